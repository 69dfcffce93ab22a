"""Infrared protocols in IRP notation, and the signals that they write.

`irp_notation` parses a line into an `Irp`; `irp_reader` reads signals with it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from math import inf
from typing import Final

from ..reasons import RefusedError

_MAX_CALCULATIONS: Final = 10_000
"""Limit per signal; the lines of the table need up to some dozens."""

type Values = Mapping[str, int]
type Expression = Callable[[Values], int]

PAUSE_US: Final = 5000.0
"""Spaces in a stream from this length on separate frames: a receiver may measure any length."""


@dataclass(frozen=True)
class Field:
    """A bit field of a value, in transmission order."""

    value: Expression
    name: str
    """Name of the parameter if the field has only bits of one, else empty."""
    width: int
    shift: int
    inverted: bool
    high_first: bool

    def places(self) -> Iterable[int]:
        """Return the positions of the bits in the value, in transmission order."""
        places = range(self.shift, self.shift + self.width)
        return reversed(places) if self.high_first else places

    def bits(self, values: Values) -> Iterator[int]:
        """Yield the transmitted bits."""
        value = self.value(values)
        for place in self.places():
            yield (value >> place & 1) ^ self.inverted


@dataclass(frozen=True)
class Bits:
    """Fields that are sent as symbols: sequences of marks and spaces for one, two or four bits."""

    fields: tuple[Field, ...]
    symbols: tuple[tuple[float, ...], ...]
    high_first: bool

    @property
    def size(self) -> int:
        """Return the number of bits per symbol."""
        return len(self.symbols).bit_length() - 1

    @property
    def count(self) -> int:
        """Return the number of symbols."""
        return sum(bit_field.width for bit_field in self.fields) // self.size

    @cached_property
    def begins(self) -> frozenset[bool]:
        """Return how symbols may begin: with a mark (True), with a space (False)."""
        return frozenset(symbol[0] > 0 for symbol in self.symbols)

    @cached_property
    def step(self) -> float:
        """Return the smallest difference in µs between any two symbols.

        Two symbols are compared by the duration in which they differ most.
        """
        return min(
            max(
                abs(us - other) if (us > 0) == (other > 0) else inf
                for us, other in zip(symbol, further, strict=False)
            )
            for symbol, further in combinations(self.symbols, 2)
        )

    def place(self, number: int) -> int:
        """Return the position in a symbol of the bit that is sent as number 0, 1, and so on."""
        return self.size - 1 - number if self.high_first else number

    def durations(self, values: Values) -> Iterator[float]:
        """Yield signed durations in µs, spaces negative."""
        bits = [bit for bit_field in self.fields for bit in bit_field.bits(values)]
        for start in range(0, len(bits), self.size):
            sent = enumerate(bits[start : start + self.size])
            yield from self.symbols[sum(bit << self.place(number) for number, bit in sent)]


@dataclass(frozen=True)
class Extent:
    """A space that fills up to a length in µs, counted from the end of the previous extent."""

    us: float


@dataclass(frozen=True)
class Assignment:
    """Assigns a value to a name for the rest of the signal."""

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
    """Whether it changes with each press of the same button."""


@dataclass(frozen=True, kw_only=True)
class Transmission:
    """The signal to send: signed µs, each part ending with its space."""

    intro: Sequence[int]
    repeat: Sequence[int]
    ending: Sequence[int]
    least: int
    """Number of repeats in a short press of a button."""

    def press(self) -> list[int]:
        """Return the signal of a short press."""
        repeats = self.least if self.intro else max(self.least, 1)
        return merged([*self.intro, *[*self.repeat] * repeats, *self.ending])

    def message(self) -> list[int]:
        """Return the message once: without an ending, which a capture may lack."""
        once = self.least > 0 or not self.intro
        return merged([*self.intro, *(self.repeat if once else ())])


class _Named(dict[str, int]):
    """Values by name, and values that are computed from them on access."""

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
    """A protocol. Its three streams are sent at first, while a button is held, and at the end."""

    intro: tuple[Item, ...]
    repeat: tuple[Item, ...]
    ending: tuple[Item, ...]
    least: int
    parameters: Mapping[str, Parameter]
    definitions: Mapping[str, Expression] = field(repr=False)

    @cached_property
    def message(self) -> tuple[Item, ...]:
        """Return the items of one complete message."""
        return self.intro + (self.repeat if self.least or not self.intro else ())

    @cached_property
    def onward(self) -> tuple[frozenset[bool], ...]:
        """Return for each item of the message how the next item begins, as in `Bits.begins`."""
        behind = frozenset({True})  # the next frame begins with a mark
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
        """Return the minimum and maximum length of the first mark in µs."""
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
        """Return the possible counts of durations before the first pause, and its length in µs."""
        fewest = most = -1
        before: frozenset[bool] = frozenset()  # how the last item ends, as in `Bits.begins`
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
        """Return the length of the shortest mark in µs."""
        marks = [item for item in self.message if isinstance(item, float)]
        for item in self.message:
            if isinstance(item, Bits):
                marks += [us for symbol in item.symbols for us in symbol]
        return min(us for us in marks if us > 0)

    def complete(self, values: Values) -> dict[str, int]:
        """Return all parameters, with defaults for those that are not given.

        Raise RefusedError for a parameter that is missing, unknown or out of its range.
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
        """Return the signal for these parameters. Raise RefusedError as `complete` does."""
        named = self.named(self.complete(values))
        parts = [merged(_sent(items, named)) for items in (self.intro, self.repeat, self.ending)]
        intro, repeat, ending = parts
        return Transmission(intro=intro, repeat=repeat, ending=ending, least=self.least)

    def named(self, values: Values) -> dict[str, int]:
        """Return the values, extended by computed values on access."""
        return _Named(values, self.definitions)


def merged(durations: Iterable[float]) -> list[int]:
    """Return rounded signed µs: neighbours with the same sign are added up, zeros are dropped."""
    groups = groupby((us for us in durations if us), lambda us: us > 0)
    return [round(sum(group)) for _, group in groups]


def _changes(before: frozenset[bool], behind: frozenset[bool]) -> tuple[int, int]:
    """Return the minimum and maximum number of changes between mark and space at a joint."""
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
