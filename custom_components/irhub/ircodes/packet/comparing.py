"""Compare durations: decide whether two frames are the same if they have no readable bits.

A receiver measures slightly different durations on every press, and may stop within a frame.
Durations are compared one by one, with a smaller tolerance than when reading bits: without bits,
two codes may differ in a single duration.
"""

from collections.abc import Sequence
from typing import Final

from .codings import in_us
from .packet import TICK_US
from .splitting import Part, split

_TOLERANCE: Final = 0.2
_TOLERANCE_US: Final = 75
"""Receivers lengthen marks, and shorten spaces, by up to 150 µs."""

type Durations = tuple[int, ...]
"""Durations of a frame in µs, from its first to its last mark."""


def durations_of(part: Part) -> Durations:
    """Return the durations of a frame, from its first to its last mark."""
    ticks = [*part.leader, *part.data]
    return in_us(ticks[: len(ticks) - 1 + len(ticks) % 2])


def frames_of(timings_us: Sequence[int]) -> list[Durations]:
    """Split signed microseconds into frames. A space before the first mark is dropped."""
    first = int(bool(timings_us) and timings_us[0] < 0)
    ticks = [max(1, round(abs(us) / TICK_US)) for us in timings_us[first:]]
    return [durations_of(part) for part in split(ticks)] if ticks else []


def is_same(first: Durations, second: Durations) -> bool:
    """Return whether two frames are equal within the tolerance."""
    return len(first) == len(second) and is_beginning(first, second)


def is_beginning(frame: Durations, whole: Durations) -> bool:
    """Return whether a frame equals another one or its beginning, as when a capture ends early."""
    return len(frame) <= len(whole) and all(map(is_near, frame, whole, strict=False))


def is_near(first: int, second: int) -> bool:
    """Return whether two durations may be the same one, received twice."""
    allowed = _TOLERANCE * max(abs(first), abs(second)) + _TOLERANCE_US
    return abs(first - second) <= allowed


def difference(first: Sequence[Durations], second: Sequence[Durations]) -> float | None:
    """Return the average relative difference of the durations; None if a pair of frames differs.

    0 means equal, 0.1 a tenth on average. Surplus frames of either side are ignored.
    """
    total, count = 0.0, 0
    for frame, other in zip(first, second, strict=False):
        if not is_same(frame, other):
            return None
        total += sum(
            abs(first_us - second_us) / max(first_us, second_us)
            for first_us, second_us in zip(frame, other, strict=True)
        )
        count += len(frame)
    return total / count if count else None
