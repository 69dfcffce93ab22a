"""Decide whether a capture is a press of a remote control or ambient infrared.

Sunlight, lamps, screens, motion sensors and cameras cause pulses in a receiver. Remote controls use
few distinct durations: two lengths of marks and three of spaces cover nearly all of any code, and
at least one space is shorter than 2.6 ms. `python -m benchmarks.measure_noise` measures the rate of
errors on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .packet import TICK_US, kind, to_ticks
from .reader import read


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Thresholds between a press and noise, measured on 375,000 public codes; see docs/noise.md."""

    leader_us: float = 2_600
    """Minimum length of a leader's mark; lamps and sensors were measured at 0.2 to 2.1 ms."""
    sparse_us: float = 2_600
    """A code is sparse if all its spaces are longer; most codes have shorter ones in their bits."""
    apart_us: float = 20_000
    """Pulses at least this far apart are not a code; sensors and cameras were measured at 21 to 109
    ms.
    """
    frame_gap_us: float = 15_000
    """Longer spaces separate frames; their length is ignored."""
    few: int = 10
    """Below this number of marks, all must be regular: fewer may be regular by chance."""
    few_alike: float = 1.25
    """Maximum ratio of longest to shortest duration of one length, in captures with few marks."""
    alike: float = 1.35
    """The same ratio for captures with many marks."""
    regular: float = 0.6
    """Minimum of: share of marks with the two most frequent lengths, times share of spaces with the
    three most frequent.
    """
    biphase_alike: float = 1.15
    """The same ratio for pulses of three lengths, as in short biphase codes."""
    fewest_biphase: int = 6
    """Minimum number of marks of a short biphase code."""
    sparse_leader: float = 0.9
    """Minimum share of marks with the two most frequent lengths, in sparse codes with a leader."""
    sparse_regular: float = 0.8
    """Minimum share of marks with the most frequent length, in sparse codes without a leader."""
    fewest_sparse: int = 6
    """Minimum number of marks of a sparse code without a leader."""
    bits: int = 12
    """A capture with this many readable bits is a code, whatever its durations."""


LIMITS: Final = Limits()
_MARKS, _SPACES, _FEW_SPACES, _BIPHASE = 2, 3, 4, 3
"""Number of distinct lengths that cover nearly all of a code."""


def is_noise(packet: bytes, limits: Limits = LIMITS) -> bool:
    """Return whether an infrared capture is not a press of a remote control.

    Apply this to captures only, not to files: codes without a carrier (Jerrold) look like noise,
    but no hub can receive them.
    """
    return kind(packet) == "ir" and not _is_press(packet, limits)


def _is_press(packet: bytes, limits: Limits) -> bool:
    ticks = to_ticks(packet)
    marks, spaces = ticks[::2], ticks[1::2]
    has_leader = max(marks) * TICK_US >= limits.leader_us
    shortest = min(spaces, default=0) * TICK_US
    inner = [
        space
        for space in spaces[: len(marks) - 1]  # without the space that ends the capture
        if space * TICK_US < limits.frame_gap_us
    ]
    if shortest > limits.sparse_us:
        return _is_sparse_press(marks, inner, limits, has_leader=has_leader, shortest=shortest)
    if len(marks) < limits.few:
        return has_leader or _is_short_press(marks, inner, limits)
    regular = _share(marks, _MARKS, limits.alike) * _share(inner, _SPACES, limits.alike)
    return regular >= limits.regular or _bits(packet) >= limits.bits


def _is_short_press(marks: Sequence[int], inner: Sequence[int], limits: Limits) -> bool:
    """Return whether a capture with few pulses is a press: all durations have few lengths."""
    alike = limits.few_alike
    if _share(marks, _MARKS, alike) * _share(inner, _FEW_SPACES, alike) == 1:
        return True
    alike = limits.biphase_alike
    return (
        len(marks) >= limits.fewest_biphase
        and _share(marks, _BIPHASE, alike) * _share(inner, _BIPHASE, alike) == 1
    )


def _is_sparse_press(
    marks: Sequence[int],
    inner: Sequence[int],
    limits: Limits,
    *,
    has_leader: bool,
    shortest: float,
) -> bool:
    """Return whether a capture whose pulses are all far apart is a press."""
    if has_leader:
        is_short = len(marks) <= _SPACES
        return is_short or _share(marks, _MARKS, limits.few_alike) >= limits.sparse_leader
    return (
        shortest < limits.apart_us
        and len(marks) >= limits.fewest_sparse
        and bool(inner)
        and _share(marks, 1, limits.alike) >= limits.sparse_regular
    )


def _share(durations: Sequence[int], lengths: int, alike: float) -> float:
    """Return the share of durations that have one of the `lengths` most frequent lengths."""
    if not durations:
        return 1
    counts: list[int] = []
    longest = -1.0
    for duration in sorted(durations):
        if duration > longest:
            longest = duration * alike + 1  # one tick for rounding
            counts.append(0)
        counts[-1] += 1
    return sum(sorted(counts, reverse=True)[:lengths]) / len(durations)


def _bits(packet: bytes) -> int:
    """Return the number of bits in the longest frame; 0 if no bits can be read."""
    signal = read(packet).signal
    if signal is None or not signal.coding.has_bits:
        return 0
    return max(len(frame.bits) for frame in signal.frames)
