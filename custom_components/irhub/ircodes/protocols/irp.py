"""Protocols of infrared remote controls, as IRP describes them, and the signals that they write.

An `Irp` is made of a line by `irp_notation`; `irp_reader` reads signals from it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from math import inf
from typing import Final

from ..reasons import RefusedError

_MAX_CALCULATIONS: Final = 10_000
"""For one signal; lines of the table have up to some dozens."""

type Values = Mapping[str, int]
type Expression = Callable[[Values], int]

PAUSE_US: Final = 5000.0
"""A space of a stream from here on stands between frames: a receiver may hear any length."""


@dataclass(frozen=True)
class Field:
    """Some bits of a value, in the order in which they are sent."""

    value: Expression
    name: str
    """The parameter, if it is one's bits and nothing else."""
    width: int
    shift: int
    inverted: bool
    high_first: bool

    def places(self) -> Iterable[int]:
        """Return the places of the bits in the value, the first that is sent first."""
        places = range(self.shift, self.shift + self.width)
        return reversed(places) if self.high_first else places

    def bits(self, values: Values) -> Iterator[int]:
        """Yield what is sent."""
        value = self.value(values)
        for place in self.places():
            yield (value >> place & 1) ^ self.inverted


@dataclass(frozen=True)
class Bits:
    """Fields that are sent as symbols: marks and spaces for one, two or four bits."""

    fields: tuple[Field, ...]
    symbols: tuple[tuple[float, ...], ...]
    high_first: bool

    @property
    def size(self) -> int:
        """Return how many bits a symbol stands for."""
        return len(self.symbols).bit_length() - 1

    @property
    def count(self) -> int:
        """Return how many symbols there are."""
        return sum(bit_field.width for bit_field in self.fields) // self.size

    @cached_property
    def begins(self) -> frozenset[bool]:
        """Return how symbols begin: with a mark (True), with a space, or either."""
        return frozenset(symbol[0] > 0 for symbol in self.symbols)

    @cached_property
    def step(self) -> float:
        """Return by how many µs each two symbols differ at least, where they differ most."""
        return min(
            max(
                abs(us - other) if (us > 0) == (other > 0) else inf
                for us, other in zip(symbol, further, strict=False)
            )
            for symbol, further in combinations(self.symbols, 2)
        )

    def place(self, number: int) -> int:
        """Return where in a symbol the bit is that is sent as its first, second, … one."""
        return self.size - 1 - number if self.high_first else number

    def durations(self, values: Values) -> Iterator[float]:
        """Yield µs, spaces negative."""
        bits = [bit for bit_field in self.fields for bit in bit_field.bits(values)]
        for start in range(0, len(bits), self.size):
            sent = enumerate(bits[start : start + self.size])
            yield from self.symbols[sum(bit << self.place(number) for number, bit in sent)]


@dataclass(frozen=True)
class Extent:
    """A space that fills up to a length, counted from the extent before."""

    us: float


@dataclass(frozen=True)
class Assignment:
    """Gives a name a value, for what is sent from there on."""

    name: str
    value: Expression


type Item = float | Bits | Extent | Assignment


@dataclass(frozen=True)
class Parameter:
    """A value that a signal carries."""

    lowest: int
    highest: int
    default: Expression | None
    toggle: bool
    """It changes with each press of one button."""


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """What is sent: signed µs, each part ending with its space."""

    intro: Sequence[int]
    repeat: Sequence[int]
    ending: Sequence[int]
    least: int
    """How many repeats a short press of a button has."""

    def press(self) -> list[int]:
        """Return what is sent when a button is pressed shortly."""
        repeats = self.least if self.intro else max(self.least, 1)
        return merged([*self.intro, *[*self.repeat] * repeats, *self.ending])

    def message(self) -> list[int]:
        """Return what says all of it once: without an ending, which a capture may lack."""
        once = self.least > 0 or not self.intro
        return merged([*self.intro, *(self.repeat if once else ())])


class _Named(dict[str, int]):
    """Values, and those that are calculated from them when they are asked for."""

    def __init__(self, values: Values, definitions: Mapping[str, Expression]) -> None:
        super().__init__(values)
        self._definitions = definitions
        self._left = _MAX_CALCULATIONS

    def __missing__(self, name: str) -> int:
        definition = self._definitions[name]
        if not self._left:
            raise OverflowError("too much is calculated")
        self._left -= 1
        return definition(self)


@dataclass(frozen=True, kw_only=True)
class Irp:
    """A protocol. Its three streams are what is sent first, while a button is held, and last."""

    intro: tuple[Item, ...]
    repeat: tuple[Item, ...]
    ending: tuple[Item, ...]
    least: int
    parameters: Mapping[str, Parameter]
    definitions: Mapping[str, Expression] = field(repr=False)

    @cached_property
    def message(self) -> tuple[Item, ...]:
        """Return what says all of it once."""
        return self.intro + (self.repeat if self.least or not self.intro else ())

    @cached_property
    def onward(self) -> tuple[frozenset[bool], ...]:
        """Return for each item of the message how what is behind it begins, as `Bits.begins`."""
        behind = frozenset({True})  # the next frame
        onward = []
        for item in reversed(self.message):
            onward.append(behind)
            match item:
                case Bits():
                    behind = item.begins
                case Extent():
                    behind = frozenset({False})
                case float():
                    behind = frozenset({item > 0})
        return (*reversed(onward),)

    @cached_property
    def first_mark(self) -> tuple[float, float]:
        """Return how long the first mark is in µs, at least and at most."""
        least = most = 0.0
        for item in self.message:
            match item:
                case float() if item > 0:
                    least, most = least + item, most + item
                case Bits():
                    marks = [max(symbol[0], 0) for symbol in item.symbols]
                    longest = max(us for symbol in item.symbols for us in symbol)
                    return least + min(marks), most + max(marks) + longest * (min(marks) == 0)
                case float() | Extent():
                    break
        return least, most

    @cached_property
    def first_pause(self) -> tuple[range, float]:
        """Return how many marks and spaces may stand before the first pause, and its µs."""
        fewest = most = -1
        before: frozenset[bool] = frozenset()  # how what was sent last ends, as `Bits.begins`
        for item in self.message:
            match item:
                case Bits():
                    ends = frozenset(symbol[-1] > 0 for symbol in item.symbols)
                    sizes = [len(symbol) for symbol in item.symbols]
                    joints = _changes(ends, item.begins)
                    changes = _changes(before, item.begins)
                    fewest += changes[0] + item.count * (min(sizes) - 1 + joints[0]) - joints[0]
                    most += changes[1] + item.count * (max(sizes) - 1 + joints[1]) - joints[1]
                    before = ends
                case Extent() | float():
                    sent = frozenset({isinstance(item, float) and item > 0})
                    changes = _changes(before, sent)
                    fewest, most, before = fewest + changes[0], most + changes[1], sent
                    if isinstance(item, Extent) or item <= -PAUSE_US:
                        us = PAUSE_US if isinstance(item, Extent) else -item
                        return range(fewest, most + 1), us
        return range(0), 0.0

    @cached_property
    def shortest_mark(self) -> float:
        """Return its length in µs."""
        marks = [item for item in self.message if isinstance(item, float)]
        for item in self.message:
            if isinstance(item, Bits):
                marks += [us for symbol in item.symbols for us in symbol]
        return min(us for us in marks if us > 0)

    def complete(self, values: Values) -> dict[str, int]:
        """Return all parameters: those given, else what they are if nobody says it.

        Raise RefusedError for one that is missing, none of this protocol, or out of its range.
        """
        if unknown := values.keys() - self.parameters.keys():
            raise RefusedError("unknown_parameter", parameter=min(unknown))
        for name, parameter in self.parameters.items():
            if name not in values and parameter.default is None:
                raise RefusedError("no_parameter", parameter=name)
        named = self.named(values)
        for name, parameter in self.parameters.items():
            if name not in values and parameter.default is not None:
                named[name] = parameter.default(named)
            if not parameter.lowest <= named[name] <= parameter.highest:
                raise RefusedError(
                    "parameter",
                    parameter=name,
                    value=named[name],
                    lowest=parameter.lowest,
                    highest=parameter.highest,
                )
        return dict(named)

    def encode(self, values: Values) -> Transmission:
        """Return the signal of these parameters. Raise RefusedError as `complete` does."""
        named = self.named(self.complete(values))
        parts = [merged(_sent(items, named)) for items in (self.intro, self.repeat, self.ending)]
        intro, repeat, ending = parts
        return Transmission(intro=intro, repeat=repeat, ending=ending, least=self.least)

    def named(self, values: Values) -> dict[str, int]:
        """Return values, to which those that are calculated come when they are asked for."""
        return _Named(values, self.definitions)


def merged(durations: Iterable[float]) -> list[int]:
    """Return signed µs: neighbours of one sign are one duration, and 0 is none."""
    groups = groupby((us for us in durations if us), lambda us: us > 0)
    return [round(sum(group)) for _, group in groups]


def _changes(before: frozenset[bool], behind: frozenset[bool]) -> tuple[int, int]:
    """Return how often a mark follows a space, or a space a mark, at least and at most."""
    return int(before.isdisjoint(behind)), int(len(before | behind) > 1 or not before)


def _sent(items: Iterable[Item], values: dict[str, int]) -> Iterator[float]:
    since = 0.0
    for item in items:
        match item:
            case float():
                since += abs(item)
                yield item
            case Bits():
                for us in item.durations(values):
                    since += abs(us)
                    yield us
            case Extent():
                yield min(since - item.us, -1.0)
                since = 0.0
            case Assignment():
                values[item.name] = item.value(values)
