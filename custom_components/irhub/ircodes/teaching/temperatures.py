"""Temperatures: infer their encoding from the pressed ones.

A column has a bit for each temperature, lowest first: at which of them a bit of the message is set.
For 18 to 25 degrees counted from 0, the lowest bit has the column 10101010, the next one 11001100.
All known ways to count (binary with any offset, Gray code, decimal digits, tables) produce such
columns. A way fits if all columns match at the pressed temperatures. If several ways fit, a
temperature is known only if they agree on it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce
from itertools import chain, combinations, groupby, islice, pairwise, product
from operator import and_, or_
from typing import Final, Self

from ..states.checks import units

_SIZE: Final = 64
"""Modulus of numbers: six bits."""
FAHRENHEIT_FROM: Final = 45
_FIELD: Final = 3
"""Minimum number of adjacent bits to be explained separately, if no way fits all bits."""
_ASSIGNMENTS: Final = 8
"""Maximum number of assignments of bits to columns that are tried for a way to count."""
FEWEST: Final = 3
"""Minimum number of pressed temperatures for inferring their encoding."""
_COOLIX: Final = (0, 1, 3, 2, 6, 7, 5, 4, 12, 13, 9, 8, 10, 11)
"""17 to 30 °C of Coolix and similar: nearly a Gray code. 16 °C, if available, has the number of 17
and another bit."""


type Numbers = tuple[int, ...]
"""A number for each temperature, lowest first."""


@cache
def _columns(temperatures: tuple[float, ...], *, cut: bool) -> tuple[tuple[int, ...], ...]:
    """Return the ways to count these temperatures, each as the columns of its bits.

    Constant columns are 0.
    """
    every = (1 << len(temperatures)) - 1
    ways: dict[tuple[int, ...], None] = {}
    for numbers in _truncated_ways(temperatures) if cut else _ways(temperatures):
        columns = []
        for bit in range(max(numbers).bit_length()):
            column = sum((number >> bit & 1) << index for index, number in enumerate(numbers))
            columns.append(0 if column == every else column)
        ways[tuple(columns)] = None
    return tuple(ways)


def _ways(temperatures: tuple[float, ...]) -> Iterator[Numbers]:
    step = min((b - a for a, b in pairwise(temperatures)), default=1.0)
    steps = [round(t / step) for t in temperatures]
    for offset in range(_SIZE):
        yield tuple((n + offset) % _SIZE for n in steps)
    for offset in range(_SIZE):
        yield tuple((at := (n + offset) % _SIZE) ^ at >> 1 for n in steps)
    lowest = 17 if temperatures[0] < FAHRENHEIT_FROM else steps[0]
    if all(lowest - 1 <= n < lowest + len(_COOLIX) for n in steps):
        yield tuple(_COOLIX[max(0, n - lowest)] for n in steps)
        yield tuple(_COOLIX[max(0, n - lowest)] | 16 * (n < lowest) for n in steps)
    yield tuple(int(t) % 10 | int(t) // 10 << 4 | round(t % 1 * 2) << 8 for t in temperatures)
    for offset in range(_SIZE):
        yield tuple((round(t) + offset) % _SIZE for t in _in_other_unit(temperatures))


def _truncated_ways(temperatures: tuple[float, ...]) -> Iterator[Numbers]:
    """Yield the ways to count truncated temperatures in the other unit.

    They are more likely to fit by chance, so they are tried only for adjacent bits by themselves.
    """
    other_unit = _in_other_unit(temperatures)
    for offset in range(_SIZE):
        yield tuple((int(t) + offset) % _SIZE for t in other_unit)
    if temperatures[0] < FAHRENHEIT_FROM:  # the displayed number: seven bits
        for numbers in (map(round, other_unit), map(int, other_unit)):
            yield tuple(number + 32 for number in numbers)


def _in_other_unit(temperatures: Sequence[float]) -> list[float]:
    """Return °F above freezing for °C, and °C for °F."""
    if temperatures[0] > FAHRENHEIT_FROM:
        return [(t - 32) / 1.8 for t in temperatures]
    return [t * 1.8 for t in temperatures]


type _Way = tuple[int, ...]
"""The columns of a way to count."""
type Guess = Mapping[float, int]
"""Temperature → bits that it flips relative to the first pressed one."""


@dataclass(frozen=True, slots=True)
class _Pressed:
    """Bits of messages by the temperatures at which they are set."""

    index: Mapping[float, int]
    """Temperature → its position in a column."""
    first: int
    """Position of the first pressed temperature."""
    pressed: int
    """Column of all pressed temperatures."""
    columns: Mapping[int, int]
    """Bit of the message → its column at the pressed temperatures."""


@dataclass(frozen=True, slots=True)
class _Ways:
    """Ways to count, relative to one temperature, and which of them have a column."""

    ways: Sequence[_Way]
    by_column: Mapping[int, int]
    """Column → the ways that have it, one bit for each."""

    def at(self, pressed: int) -> Self:
        """Return the ways by the part of their columns at the pressed temperatures."""
        by_column: dict[int, int] = {}
        for column, ways in self.by_column.items():
            part = column & pressed
            by_column[part] = by_column.get(part, 0) | ways
        return replace(self, by_column=by_column)

    def having(self, columns: Iterable[int]) -> Iterator[_Way]:
        """Yield the ways that have all these columns."""
        every = (1 << len(self.ways)) - 1
        ways = reduce(and_, (self.by_column.get(column, 0) for column in columns), every)
        while ways:
            lowest = ways & -ways
            yield self.ways[lowest.bit_length() - 1]
            ways ^= lowest


@lru_cache(maxsize=16)  # pressed temperatures grow, the available ones stay
def _every_way(order: tuple[float, ...], first: int, *, cut: bool) -> _Ways:
    """Return all distinct ways to count, relative to the first temperature."""
    every = (1 << len(order)) - 1
    different = dict.fromkeys(
        tuple([every ^ c if c >> first & 1 else c for c in columns])
        for columns in _columns(order, cut=cut)
    )
    by_column: dict[int, int] = {}
    for number, way in enumerate(different):
        for column in way:
            by_column[column] = by_column.get(column, 0) | 1 << number
    return _Ways(tuple(different), by_column)


@lru_cache(maxsize=64)  # called repeatedly for the same temperatures
def _relative_ways(
    order: tuple[float, ...], first: int, pressed: int, *, cut: bool = False
) -> _Ways:
    """Return the ways to count, relative to the first pressed temperature."""
    return _every_way(order, first, cut=cut).at(pressed)


def explain(
    pressed: Mapping[float, int], every: Sequence[float], frames: tuple[int, ...]
) -> list[list[Guess]] | None:
    """Return possible bits at each temperature, by groups of bits; None if a group fits no way.

    `pressed` contains the bits that temperatures flip relative to the first one; `every` are all
    temperatures of the remote control. Undetermined temperatures are missing in a guess.
    """
    return _explain(tuple(pressed.items()), tuple(every), frames)


@lru_cache(maxsize=512)  # each press repeats the calls of earlier ones
def _explain(
    bits_at: tuple[tuple[float, int], ...], every: tuple[float, ...], frames: tuple[int, ...]
) -> list[list[Guess]] | None:
    order = tuple(sorted({*every, *(t for t, _ in bits_at)}))
    index = {t: n for n, t in enumerate(order)}
    first = index[bits_at[0][0]]
    varied = reduce(or_, (value for _, value in bits_at), 0)
    pressed = sum(1 << index[t] for t, _ in bits_at)
    columns = {
        bit: sum((value >> bit & 1) << index[t] for t, value in bits_at)
        for bit in range(varied.bit_length())
        if varied >> bit & 1
    }
    facts = _Pressed(index, first, pressed, columns)
    ways = _relative_ways(order, first, pressed)
    runs = _runs(columns, frames)
    together = [
        guess for way in ways.having(columns.values()) for guess in _guesses(way, runs, facts)
    ]
    if together:
        return [together]
    ways_if_cut = _relative_ways(order, first, pressed, cut=True)
    apart: list[list[Guess]] = []
    left: list[int] = []
    shared: dict[_Way, None] = {}
    for run in runs:
        guesses: list[Guess] = []
        of_run = [columns[bit] for bit in run]
        possible = chain(ways.having(of_run), ways_if_cut.having(of_run))
        for way in possible if len(run) >= _FIELD else ():
            if fitting := [*_guesses(way, [run], facts)]:
                guesses += fitting
                shared[way] = None
        if guesses:
            apart.append(guesses)
        else:
            left += run
    for bit in left:
        guesses = [*_steps(bit, facts)] or [*_limits(bit, facts)]
        for way in shared:
            guesses += [
                {t: (c >> n & 1) << bit for t, n in index.items()}
                for c in way
                if c & pressed == columns[bit]
            ]
        if not guesses:
            return None
        apart.append(guesses)
    return apart


def explain_clipped(
    pressed: Mapping[float, int], every: Sequence[float], frames: tuple[int, ...]
) -> list[list[Guess]] | None:
    """Return the same as `explain` if the first or last temperatures send what the next one does.

    A remote control may show 16 and 17 °C in a mode in which the air conditioner begins at 18 °C.
    """
    order = sorted({*every, *pressed})
    found: list[list[Guess]] = []
    for low, high in _ranges(pressed, order):
        within = {min(max(t, low), high): bits for t, bits in pressed.items()}
        groups = None
        if len(within) > FEWEST:
            groups = explain(within, [t for t in order if low <= t <= high], frames)
        if groups is not None and len(groups) == 1:
            nearest = {t: min(max(t, low), high) for t in order}
            found.append(
                [{t: guess[n] for t, n in nearest.items() if n in guess} for guess in groups[0]]
            )
    return [[*chain(*found)]] if found else None


def _ranges(pressed: Mapping[float, int], order: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield the ranges outside which the bits of their lowest or highest temperature may be sent.

    Both ends are limited only if several pressed temperatures show it at each.
    """
    lowest, highest = order[0], order[-1]
    lows, highs = _limits_from_end(pressed, order), _limits_from_end(pressed, order[::-1])
    if lowest in lows:
        yield from ((lowest, high) for high in highs if high != highest)
    if highest in highs:
        yield from ((low, highest) for low in lows if low != lowest)
    if lowest not in lows and highest not in highs:
        yield from product(lows, highs)


def _limits_from_end(pressed: Mapping[float, int], order: Sequence[float]) -> Sequence[float]:
    """Return the temperatures, from one end of the order, that may be a limit.

    That is between the last one with the bits of the first and the next pressed one.
    """
    at = [index for index, temperature in enumerate(order) if temperature in pressed]
    bits = [pressed[order[index]] for index in at]
    count = next((n for n, other in enumerate(bits) if other != bits[0]), 0)
    if count == 0:
        return ()
    if count == 1:
        return (order[0], *order[at[0] + 1 : at[1]])
    return order[at[count - 1] : at[count]]


def agreed(guesses: Sequence[Sequence[Guess]], every: Iterable[float]) -> dict[float, int]:
    """Return the bits of those temperatures on which the guesses of each group agree."""
    sure = [*map(_common, guesses)]
    return {
        temperature: reduce(or_, (bits[temperature] for bits in sure), 0)
        for temperature in every
        if all(temperature in bits for bits in sure)
    }


def _common(guesses: Sequence[Guess]) -> Guess:
    """Return the bits of those temperatures on which all guesses agree."""
    common, *others = guesses
    for guess in others:
        common = {t: bits for t, bits in common.items() if guess.get(t) == bits}
    return common


def _steps(bit: int, facts: _Pressed) -> Iterator[Guess]:
    """Yield guesses in which a bit changes once, at a threshold."""
    size = len(facts.index)
    every = (1 << size) - 1
    for at in range(1, size):
        column = (1 << at) - 1
        if column >> facts.first & 1:
            column ^= every
        if column & facts.pressed == facts.columns[bit]:
            yield {t: (column >> n & 1) << bit for t, n in facts.index.items()}


def _limits(bit: int, facts: _Pressed) -> Iterator[Guess]:
    """Yield guesses in which a bit differs at the lowest and at the highest temperature.

    A remote control may tell the air conditioner to beep twice there. Temperatures beside them that
    were not pressed may be the same.
    """
    size, pressed = len(facts.index), facts.pressed
    every = (1 << size) - 1
    lowest, highest = 1, 1 << size - 1
    between = pressed & ~(lowest | highest)
    if pressed & lowest == 0 or pressed & highest == 0 or between == 0:
        return
    column = facts.columns[bit]
    if column not in (lowest | highest, between):
        return
    first_between, last_between = (between & -between).bit_length() - 1, between.bit_length() - 1
    for low in range(1, first_between + 1):
        for high in range(last_between + 1, size):
            limits = every & ~((1 << high) - 1) | (1 << low) - 1
            differs = limits if column & lowest else every ^ limits
            yield {t: (differs >> n & 1) << bit for t, n in facts.index.items()}


def is_clipped(guesses: Sequence[Guess]) -> bool:
    """Return whether the two lowest or the two highest temperatures may have the same bits.

    A single bit has no number that could be clipped.
    """
    return any(
        len({*bits}) > 2 and (bits[0] == bits[1] or bits[-1] == bits[-2])  # noqa: PLR2004
        for guess in guesses
        for bits in [[guess[t] for t in sorted(guess)]]
    )


def marks_limits(guesses: Sequence[Guess]) -> bool:
    """Return whether bits are the same at the lowest and highest temperature, and others between.

    Such bits encode no number.
    """
    return all(
        len({*bits}) == 2 and bits[0] == bits[-1] and len([*groupby(bits)]) == 3  # noqa: PLR2004
        for guess in guesses
        for bits in [[guess[t] for t in sorted(guess)]]
    )


def _guesses(way: _Way, runs: Sequence[Sequence[int]], facts: _Pressed) -> Iterator[Guess]:
    """Yield the guesses for the bits of some runs in this way; it has all their columns."""
    pressed, columns = facts.pressed, facts.columns
    fits = {
        bit: [place for place, column in enumerate(way) if column & pressed == columns[bit]]
        for run in runs
        for bit in run
    }
    shown = {k for ks in fits.values() for k in ks}
    if any(c & pressed and k not in shown for k, c in enumerate(way)):
        return
    hidden = reduce(or_, (c for c in way if not c & pressed), 0)
    for assigned in _assignments(runs, fits):
        counting = [(1 << bit, way[k]) for bit, k in assigned.items()]
        yield {
            t: sum([bit for bit, column in counting if column >> n & 1])
            for t, n in facts.index.items()
            if not hidden >> n & 1
        }


def _runs(bits: Iterable[int], frames: tuple[int, ...]) -> list[list[int]]:
    """Return bits in groups that are adjacent in one byte."""
    byte = {
        bit: unit.start
        for unit in units(frames, 8)
        for bit in range(unit.start, unit.start + unit.width)
    }
    runs: list[list[int]] = []
    for bit in bits:
        if runs and runs[-1][-1] == bit - 1 and byte[bit] == byte[bit - 1]:
            runs[-1].append(bit)
        else:
            runs.append([bit])
    return runs


def _assignments(
    runs: Sequence[Sequence[int]], fits: Mapping[int, Sequence[int]]
) -> Iterator[dict[int, int]]:
    """Yield assignments of bits to columns: adjacent in a run, in either direction."""
    for direction in (1, -1):
        choices = [
            [
                {bit: k + direction * n for n, bit in enumerate(run)}
                for k in fits[run[0]]
                if all(k + direction * n in fits[bit] for n, bit in enumerate(run))
            ]
            for run in runs
        ]
        for chosen in islice(product(*choices), _ASSIGNMENTS):
            if all(_copy_or_rest({*a.values()}, {*b.values()}) for a, b in combinations(chosen, 2)):
                yield {bit: k for of_run in chosen for bit, k in of_run.items()}


def _copy_or_rest(columns: set[int], others: set[int]) -> bool:
    """Return whether two runs of bits have equal columns, or none in common."""
    return columns == others or columns.isdisjoint(others)
