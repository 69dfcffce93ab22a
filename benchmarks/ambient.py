"""Simulated ambient infrared as seen by receivers: durations, by kind of source.

Marks are the output of a demodulating receiver for a disturbance: at least 60 µs, mostly below a
millisecond. Figures are from receivers' data sheets and from captures in public code files.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

type Timings = list[int]

MISSING: Final = 0.15
"""Share of half periods of a lamp without a pulse."""
END_US: Final = 100_000
"""Silence that ends a capture."""


def _timings(pulses: Sequence[tuple[float, float]]) -> Timings:
    timings = [us for mark, space in pulses for us in (max(1, round(mark)), -max(1, round(space)))]
    timings[-1] = -END_US
    return timings


def sunlight(random: Random) -> Timings:
    """Return short pulses at random times, as at the highest gain of a receiver."""
    mean_us = random.choice([800, 3_000, 12_000])
    return _timings(
        [
            (random.uniform(80, 450), min(60_000, random.expovariate(1 / mean_us) + 120))
            for _ in range(random.randint(2, 120))
        ]
    )


def fluorescent(random: Random) -> Timings:
    """Return bursts of varying width, one per half period of the mains; some are missing."""
    half_us, width_us = random.choice([10_000, 8_333]), random.uniform(200, 2_500)
    pulses: list[tuple[float, float]] = []
    for _ in range(random.randint(3, 100)):
        mark = min(max(90, random.gauss(width_us, width_us * 0.3)), half_us - 500)
        periods = 2 if random.random() < MISSING else 1
        pulses.append((mark, max(100, half_us * periods - mark + random.gauss(0, 120))))
    return _timings(pulses)


def plasma(random: Random) -> Timings:
    """Return the sub-fields of a plasma screen, which vary between frames."""
    pulses: list[tuple[float, float]] = []
    for _ in range(random.randint(1, 8)):
        left = float(random.choice([16_667, 20_000]))
        for _ in range(random.randint(6, 12)):
            mark, space = random.uniform(90, 900), random.uniform(150, 2_500)
            if left < mark + space:
                break
            pulses.append((mark, space))
            left -= mark + space
        mark, space = pulses[-1]
        pulses[-1] = mark, space + left
    return _timings(pulses)


def sensors(random: Random) -> Timings:
    """Return single pulses on a grid: a camera, a robot, a proximity or motion sensor."""
    grid_us = random.choice([10_000, 16_667, 20_000, 25_000, 33_333, 50_000])
    return _timings(
        [
            (random.uniform(100, 700), grid_us * random.choice([1, 1, 1, 2, 3]) - late)
            for late in (random.uniform(0, 400) for _ in range(random.randint(1, 40)))
        ]
    )


def random_pulses(random: Random) -> Timings:
    """Return random durations, over the whole range that a receiver reports."""

    def any_of(low: float, high: float) -> float:
        return low * float((high / low) ** random.random())

    return _timings(
        [(any_of(60, 5_000), any_of(60, 60_000)) for _ in range(random.randint(2, 200))]
    )


KINDS: Final[Mapping[str, Callable[[Random], Timings]]] = {
    "sunlight": sunlight,
    "fluorescent lamps": fluorescent,
    "plasma screens": plasma,
    "sensors and cameras": sensors,
    "random pulses": random_pulses,
}


def at_the_edge(timings: Sequence[int], lost: float, random: Random) -> Timings:
    """Return a press with a share of its marks not received, as from a distant remote control."""
    arrived: list[int] = []
    for us in timings:
        received = us if us < 0 or random.random() >= lost else -us
        if arrived and (arrived[-1] < 0) == (received < 0):
            arrived[-1] += received
        elif arrived or received > 0:
            arrived.append(received)
    return arrived
