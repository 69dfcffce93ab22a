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

    def positions(self) -> Iterable[int]:
        """Return the positions of the bits in the value, in transmission order."""
        positions = range(self.shift, self.shift + self.width)
        return reversed(positions) if self.high_first else positions

    def bits(self, values: Values) -> Iterator[int]:
        """Yield the transmitted bits."""
        value = self.value(values)
        for position in self.positions():
            yield (value >> position & 1) ^ self.inverted


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
                abs(us - other_us) if (us > 0) == (other_us > 0) else inf
                for us, other_us in zip(symbol, other_symbol, strict=False)
            )
            for symbol, other_symbol in combinations(self.symbols, 2)
        )

    def bit_position(self, number: int) -> int:
        """Return the position in a symbol of the bit that is sent as number 0, 1, and so on."""
        return self.size - 1 - number if self.high_first else number

    def durations(self, values: Values) -> Iterator[float]:
        """Yield signed durations in µs, spaces negative."""
        bits = [bit for bit_field in self.fields for bit in bit_field.bits(values)]
        for start in range(0, len(bits), self.size):
            numbered_bits = enumerate(bits[start : start + self.size])
            index = sum(bit << self.bit_position(number) for number, bit in numbered_bits)
            yield from self.symbols[index]


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
    min_repeats: int
    """Number of repeats in a short press of a button."""

    def press(self, repeats: int = 0) -> list[int]:
        """Return the signal of a short press, or of one with a number of repeats."""
        messages = self.min_repeats > 0 or not self.intro
        count = max(self.min_repeats, messages + repeats)
        return merged([*self.intro, *[*self.repeat] * count, *self.ending])

    def message(self) -> list[int]:
        """Return the message once: without an ending, which a capture may lack."""
        sends_repeat = self.min_repeats > 0 or not self.intro
        return merged([*self.intro, *(self.repeat if sends_repeat else ())])


class _ComputedValues(dict[str, int]):
    """Values by name, and values that are computed from them on access."""

    def __init__(self, values: Values, definitions: Mapping[str, Expression]) -> None:
        super().__init__(values)
        self._definitions = definitions
        self._calculations_left = _MAX_CALCULATIONS

    def __missing__(self, name: str) -> int:
        definition = self._definitions[name]
        if not self._calculations_left:
            raise OverflowError("too much is calculated")
        self._calculations_left -= 1
        return definition(self)


@dataclass(frozen=True, kw_only=True)
class Irp:
    """A protocol. Its three streams are sent at first, while a button is held, and at the end."""

    intro: tuple[Item, ...]
    repeat: tuple[Item, ...]
    ending: tuple[Item, ...]
    min_repeats: int
    parameters: Mapping[str, Parameter]
    definitions: Mapping[str, Expression] = field(repr=False)

    @cached_property
    def message(self) -> tuple[Item, ...]:
        """Return the items of one complete message."""
        return self.intro + (self.repeat if self.min_repeats or not self.intro else ())

    @cached_property
    def next_starts(self) -> tuple[frozenset[bool], ...]:
        """Return for each item of the message how the next item may begin, as in `Bits.begins`."""
        starts = frozenset({True})  # the next frame begins with a mark
        next_starts = []
        for item in reversed(self.message):
            next_starts.append(starts)
            match item:
                case Bits():
                    starts = item.begins
                case Extent():
                    starts = frozenset({False})
                case float():
                    starts = frozenset({item > 0})
        return (*reversed(next_starts),)

    @cached_property
    def first_mark(self) -> tuple[float, float]:
        """Return the minimum and maximum length of the first mark in µs."""
        shortest = longest = 0.0
        for item in self.message:
            match item:
                case float() if item > 0:
                    shortest, longest = shortest + item, longest + item
                case Bits():
                    marks = [max(symbol[0], 0) for symbol in item.symbols]
                    # A symbol that begins with a space joins its mark to the one before.
                    joined = max(us for symbol in item.symbols for us in symbol)
                    return shortest + min(marks), longest + max(marks) + joined * (min(marks) == 0)
                case float() | Extent():
                    break
        return shortest, longest

    @cached_property
    def first_pause(self) -> tuple[range, float]:
        """Return the possible counts of durations before the first pause, and its length in µs."""
        minimum = maximum = -1
        last_ends: frozenset[bool] = frozenset()  # how the last item ends, as in `Bits.begins`
        for item in self.message:
            match item:
                case Bits():
                    ends = frozenset(symbol[-1] > 0 for symbol in item.symbols)
                    sizes = [len(symbol) for symbol in item.symbols]
                    inner = _mark_space_changes(ends, item.begins)  # between two symbols
                    changes = _mark_space_changes(last_ends, item.begins)
                    minimum += changes[0] + item.count * (min(sizes) - 1 + inner[0]) - inner[0]
                    maximum += changes[1] + item.count * (max(sizes) - 1 + inner[1]) - inner[1]
                    last_ends = ends
                case Extent() | float():
                    sent = frozenset({isinstance(item, float) and item > 0})
                    changes = _mark_space_changes(last_ends, sent)
                    minimum, maximum, last_ends = minimum + changes[0], maximum + changes[1], sent
                    if isinstance(item, Extent) or item <= -PAUSE_US:
                        us = PAUSE_US if isinstance(item, Extent) else -item
                        return range(minimum, maximum + 1), us
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
        known = self.with_definitions(values)
        for name, parameter in self.parameters.items():
            if name not in values and parameter.default is not None:
                known[name] = parameter.default(known)
            if not parameter.lowest <= known[name] <= parameter.highest:
                raise RefusedError(
                    "parameter",
                    parameter=name,
                    value=known[name],
                    lowest=parameter.lowest,
                    highest=parameter.highest,
                )
        return dict(known)

    def encode(self, values: Values) -> Transmission:
        """Return the signal for these parameters. Raise RefusedError as `complete` does."""
        known = self.with_definitions(self.complete(values))
        streams = (self.intro, self.repeat, self.ending)
        intro, repeat, ending = (merged(_durations(items, known)) for items in streams)
        return Transmission(intro=intro, repeat=repeat, ending=ending, min_repeats=self.min_repeats)

    def with_definitions(self, values: Values) -> dict[str, int]:
        """Return the values, extended by computed values on access."""
        return _ComputedValues(values, self.definitions)


def merged(durations: Iterable[float]) -> list[int]:
    """Return rounded signed µs: neighbours with the same sign are added up, zeros are dropped."""
    groups = groupby((us for us in durations if us), lambda us: us > 0)
    return [round(sum(group)) for _, group in groups]


def _mark_space_changes(ends: frozenset[bool], starts: frozenset[bool]) -> tuple[int, int]:
    """Return the minimum and maximum number of changes between mark and space at a joint."""
    return int(ends.isdisjoint(starts)), int(len(ends | starts) > 1 or not ends)


def _durations(items: Iterable[Item], values: dict[str, int]) -> Iterator[float]:
    extent_us = 0.0
    for item in items:
        match item:
            case float():
                extent_us += abs(item)
                yield item
            case Bits():
                for us in item.durations(values):
                    extent_us += abs(us)
                    yield us
            case Extent():
                yield min(extent_us - item.us, -1.0)
                extent_us = 0.0
            case Assignment():
                values[item.name] = item.value(values)
