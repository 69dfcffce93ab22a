"""Temperatures: how bits count them, as far as some of them tell.

Each bit of a temperature is a wave over the temperatures: it changes each degree, each second, …
Which bit is which, where they begin to count and how (binary, Gray, decimal digits, a table) is
found by what fits the temperatures that were pressed. Several ways may fit; what they do not agree
on is not known yet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import combinations, islice, pairwise, product
from operator import or_
from typing import Final

from .checks import units

_SIZE: Final = 64
"""What is counted modulo: six bits."""
FAHRENHEIT_FROM: Final = 45
_FIELD: Final = 3
"""Bits side by side that count by themselves."""
_ASSIGNMENTS: Final = 8
FEWEST: Final = 3
"""Temperatures from which on counting is tried."""
_COOLIX: Final = (0, 1, 3, 2, 6, 7, 5, 4, 12, 13, 9, 8, 10, 11)
"""17 to 30 °C of Coolix and its like: nearly a Gray code. Where there are 16 °C, another bit says
so beside the number of 17."""


type Numbers = tuple[int, ...]
"""A number for each temperature, lowest first."""


@cache
def _columns(temperatures: tuple[float, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the ways to count these temperatures, each as its bits' columns.

    Bit n of a column belongs to the n-th temperature. Columns that never change are left out.
    """
    every = (1 << len(temperatures)) - 1
    ways: dict[tuple[int, ...], None] = {}
    for numbers in _ways(temperatures):
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
    if all(t > FAHRENHEIT_FROM for t in temperatures):
        for offset in range(_SIZE):
            yield tuple((round((t - 32) / 1.8) + offset) % _SIZE for t in temperatures)
    else:
        for offset in range(_SIZE):
            yield tuple((round(t * 1.8) + offset) % _SIZE for t in temperatures)


type _Way = tuple[tuple[int, ...], Mapping[int, list[int]]]
"""The columns of a way to count, and where it has which."""
type Guess = Mapping[float, int]
"""Temperature → bits, as differences from the first temperature heard."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """Bits by the temperatures at which they are set."""

    index: Mapping[float, int]
    first: int
    pressed: int
    columns: Mapping[int, int]


@lru_cache(maxsize=64)  # the same temperatures are explained again and again
def _ways_heard(order: tuple[float, ...], first: int, pressed: int) -> Sequence[_Way]:
    """Return the ways to count, as differences from the first temperature heard.

    Each with where it has which column, as far as it was pressed.
    """
    every = (1 << len(order)) - 1
    ways: list[_Way] = []
    different = dict.fromkeys(
        tuple(every ^ c if c >> first & 1 else c for c in columns) for columns in _columns(order)
    )
    for way in different:
        places: dict[int, list[int]] = {}
        for place, column in enumerate(way):
            places.setdefault(column & pressed, []).append(place)
        ways.append((way, places))
    return ways


def explain(
    heard: Mapping[float, int], wanted: Sequence[float], frames: tuple[int, ...]
) -> list[list[Guess]] | None:
    """Return for each group of bits what it may be at each temperature; None if one is no way.

    `heard` has the bits of some temperatures, as differences from the first of them; `wanted` are
    all that the remote control has. A temperature that a guess leaves open is not in it.
    """
    return _explain(tuple(heard.items()), tuple(wanted), frames)


@lru_cache(maxsize=512)  # each press asks again for what those before it said
def _explain(
    said: tuple[tuple[float, int], ...], wanted: tuple[float, ...], frames: tuple[int, ...]
) -> list[list[Guess]] | None:
    heard = dict(said)
    order = tuple(sorted({*heard, *wanted}))
    index = {t: n for n, t in enumerate(order)}
    first = index[next(iter(heard))]
    varied = reduce(or_, heard.values(), 0)
    pressed = sum(1 << index[t] for t in heard)
    columns = {
        bit: sum((value >> bit & 1) << index[t] for t, value in heard.items())
        for bit in range(varied.bit_length())
        if varied >> bit & 1
    }
    facts = _Heard(index, first, pressed, columns)
    ways = _ways_heard(order, first, pressed)
    runs = _runs(columns, frames)
    together = [guess for way in ways for guess in _guesses(way, runs, facts)]
    if together:
        return [together]
    apart: list[list[Guess]] = []
    left: list[int] = []
    shared: dict[int, _Way] = {}
    for run in runs:
        guesses: list[Guess] = []
        for number, way in enumerate(ways) if len(run) >= _FIELD else ():
            if fitting := [*_guesses(way, [run], facts)]:
                guesses += fitting
                shared[number] = way
        if guesses:
            apart.append(guesses)
        else:
            left += run
    for bit in left:
        guesses = [*_steps(bit, facts)]
        for columns_of_way, _ in shared.values():
            guesses += [
                {t: (c >> n & 1) << bit for t, n in index.items()}
                for c in columns_of_way
                if c & pressed == columns[bit]
            ]
        if not guesses:
            return None
        apart.append(guesses)
    return apart


def agreed(guesses: Sequence[Sequence[Guess]], wanted: Iterable[float]) -> dict[float, int]:
    """Return the bits of the temperatures on which the guesses of each group agree."""
    found: dict[float, int] = {}
    for temperature in wanted:
        said = [{guess.get(temperature) for guess in group} for group in guesses]
        bits = [one for values in said if len(values) == 1 for one in values if one is not None]
        if len(bits) == len(said):
            found[temperature] = reduce(or_, bits, 0)
    return found


def _steps(bit: int, facts: _Heard) -> Iterator[Guess]:
    """Yield the thresholds at which a bit may change once."""
    size = len(facts.index)
    every = (1 << size) - 1
    for at in range(1, size):
        column = (1 << at) - 1
        if column >> facts.first & 1:
            column ^= every
        if column & facts.pressed == facts.columns[bit]:
            yield {t: (column >> n & 1) << bit for t, n in facts.index.items()}


def _guesses(said: _Way, runs: Sequence[Sequence[int]], facts: _Heard) -> Iterator[Guess]:
    """Yield what the bits of some runs are if they count in this way."""
    way, places = said
    if not {facts.columns[bit] for run in runs for bit in run} <= places.keys():
        return
    fits = {bit: places[facts.columns[bit]] for run in runs for bit in run}
    shown = {k for ks in fits.values() for k in ks}
    if any(c & facts.pressed and k not in shown for k, c in enumerate(way)):
        return
    hidden = reduce(or_, (c for c in way if not c & facts.pressed), 0)
    for assigned in _assignments(runs, fits):
        counting = [(1 << bit, way[k]) for bit, k in assigned.items()]
        yield {
            t: sum([bit for bit, column in counting if column >> n & 1])
            for t, n in facts.index.items()
            if not hidden >> n & 1
        }


def _runs(bits: Iterable[int], frames: tuple[int, ...]) -> list[list[int]]:
    """Return bits in groups that stand side by side in one byte."""
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
    """Yield which column each bit is: side by side in a run, one way or the other."""
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
                yield {bit: k for one in chosen for bit, k in one.items()}


def _copy_or_rest(columns: set[int], others: set[int]) -> bool:
    """Say if two groups of bits count the same, or nothing in common."""
    return columns == others or columns.isdisjoint(others)
