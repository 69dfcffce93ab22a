"""Frames: what a packet transmits between two pauses, and whether two of them are the same.

A receiver hears the same button with other durations each time, with more repeats or fewer, and
sometimes ends in the middle of one.
"""

from collections.abc import Sequence
from typing import Final

from .packet import kind, to_timings

PAUSE_US: Final = {"ir": 5500, "rf": 3000}
"""A longer space ends a frame; the longest within one is a leader's, of 4,500 µs."""
BETWEEN_MESSAGES_US: Final = 36_000
"""What comes after a shorter pause belongs to the message: some air conditioners' have three
frames 35 ms apart. After a longer one come repeats, or the next press."""
_MOST_COPIES: Final = 50
"""Of a radio packet, so many frames are compared with each other; captures have up to 30."""
_TOLERANCE: Final = 0.2
_TOLERANCE_US: Final = 75
"""Receivers lengthen marks, and shorten spaces, by up to 150 µs."""

type Frame = list[int]
"""Microseconds, from a mark (positive) to a mark, spaces (negative) between them."""


def split(timings: Sequence[int], pause_us: int = PAUSE_US["ir"]) -> list[Frame]:
    """Return the frames of signed microseconds, without the pauses."""
    frames: list[Frame] = [[]]
    for duration in timings:
        if duration <= -pause_us:
            frames.append([])
        elif duration > 0 or frames[-1]:
            frames[-1].append(duration)
    return [frame[: len(frame) - (frame[-1] < 0)] for frame in frames if frame]


def first_message(timings: Sequence[int]) -> Sequence[int]:
    """Return what stands before the first pause that ends a message."""
    ends = (index for index, us in enumerate(timings) if us <= -BETWEEN_MESSAGES_US)
    return timings[: next(ends, None)]


def same(first: Frame, second: Frame) -> bool:
    """Say if two frames are the same but for what receivers make of them."""
    return len(first) == len(second) and cut_from(first, second)


def cut_from(frame: Frame, whole: Frame) -> bool:
    """Say if a frame is another one, or the beginning of it: where a capture ends, say."""
    return len(frame) <= len(whole) and all(
        close(one, other) for one, other in zip(frame, whole, strict=False)
    )


def difference(first: Sequence[Frame], second: Sequence[Frame]) -> float | None:
    """Return how far the durations of as many frames as both have differ; None if they are others.

    0 is equal, 0.1 a tenth on average.
    """
    off, count = 0.0, 0
    for one, other in zip(first, second, strict=False):
        if not same(one, other):
            return None
        off += sum(abs(a - b) / max(abs(a), abs(b)) for a, b in zip(one, other, strict=True))
        count += len(one)
    return off / count if count else None


def packets_difference(first: bytes, second: bytes) -> float | None:
    """Return how far the durations of two packets differ; None if they are other codes."""
    one, other = said(first), said(second)
    if kind(first) != kind(second) or len(one) != len(other):
        return None
    return difference(one, other)


def said(packet: bytes) -> list[Frame]:
    """Return the different frames of a packet, in order: what it says, without repeats.

    Of radio only the frame that is there most often: the first one may lack its beginning.
    """
    timings = to_timings(packet)
    if kind(packet) == "rf":
        frames = split(timings, PAUSE_US["rf"])[:_MOST_COPIES]
        return [max(frames, key=lambda frame: (_copies(frame, frames), len(frame)))]
    different: list[Frame] = []
    for frame in split(first_message(timings)):
        if not any(cut_from(frame, known) for known in different):
            different.append(frame)
    return different


def _copies(frame: Frame, frames: Sequence[Frame]) -> int:
    return sum(same(frame, other) for other in frames)


def close(first: int, second: int) -> bool:
    """Say if two durations may be the same one, heard twice."""
    allowed = _TOLERANCE * max(abs(first), abs(second)) + _TOLERANCE_US
    return (first > 0) == (second > 0) and abs(first - second) <= allowed
