"""Comparing durations: whether two frames are the same, where no bits say it.

A receiver makes other durations of the same button each time, and sometimes ends in the middle of
a frame. Here they are compared one by one, with less tolerance than the reader has for bits that a
whole frame confirms: of codes without certain bits one duration alone may be what they differ in.
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
"""Microseconds of a frame, from a mark to a mark, without what stands behind that."""


def durations_of(part: Part) -> Durations:
    """Return the durations of a frame, from a mark to a mark."""
    ticks = [*part.leader, *part.data]
    return in_us(ticks[: len(ticks) - 1 + len(ticks) % 2])


def frames_of(timings_us: Sequence[int]) -> list[Durations]:
    """Return the frames of signed microseconds. A space before the first mark is left out."""
    first = int(bool(timings_us) and timings_us[0] < 0)
    ticks = [max(1, round(abs(us) / TICK_US)) for us in timings_us[first:]]
    return [durations_of(part) for part in split(ticks)] if ticks else []


def is_same(first: Durations, second: Durations) -> bool:
    """Return whether two frames are the same but for what receivers make of them."""
    return len(first) == len(second) and is_beginning(first, second)


def is_beginning(frame: Durations, whole: Durations) -> bool:
    """Return whether a frame is another one, or the beginning of it: where a capture ends, say."""
    return len(frame) <= len(whole) and all(map(is_near, frame, whole, strict=False))


def is_near(first: int, second: int) -> bool:
    """Return whether two durations may be the same one, received twice."""
    allowed = _TOLERANCE * max(abs(first), abs(second)) + _TOLERANCE_US
    return abs(first - second) <= allowed


def difference(first: Sequence[Durations], second: Sequence[Durations]) -> float | None:
    """Return how far the durations of as many frames as both have differ; None if they are others.

    0 is equal, 0.1 a tenth on average.
    """
    off, count = 0.0, 0
    for frame, other in zip(first, second, strict=False):
        if not is_same(frame, other):
            return None
        off += sum(abs(a - b) / max(a, b) for a, b in zip(frame, other, strict=True))
        count += len(frame)
    return off / count if count else None
