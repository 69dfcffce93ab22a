"""Whether a capture is a press of a remote control, or ambient infrared: the one place for that.

Sun, lamps, screens, motion sensors and cameras make a receiver tell of pulses. A remote control
sends pulses of few lengths: two of marks and three of spaces make up nearly all of any code, and
some space is shorter than 2.6 ms. `python -m benchmarks.measure_noise` measures both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .packet import TICK_US, kind, to_ticks
from .reader import read


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What tells a press from noise; measured on 375,000 public codes, see docs/noise.md."""

    leader_us: float = 2_600
    """A mark so long is a leader's: of lamps and sensors 0.2 to 2.1 ms were measured."""
    sparse_us: float = 2_600
    """Of most codes some space is shorter: those of its bits."""
    apart_us: float = 20_000
    """Pulses so far apart are no code: of sensors and cameras 21 to 109 ms were measured."""
    frame_gap_us: float = 15_000
    """A longer space is between frames, and of whatever length."""
    few: int = 10
    """Fewer marks than this may be regular by chance, so all of them have to be."""
    few_alike: float = 1.25
    """Durations of few pulses that are of one length: the longest to the shortest."""
    alike: float = 1.35
    """The same of many pulses."""
    regular: float = 0.6
    """The share of marks that are of two lengths, times that of spaces of three."""
    biphase_alike: float = 1.15
    """The same of pulses of three lengths, which short biphase codes have."""
    fewest_biphase: int = 6
    """Marks of such a code."""
    sparse_leader: float = 0.9
    """The share of marks that are of two lengths, in codes with a leader and long spaces alone."""
    sparse_regular: float = 0.8
    """The share of marks that are of one length, in such codes without a leader."""
    fewest_sparse: int = 6
    """Marks of those."""
    bits: int = 12
    """What is read as so many bits is a code, whatever else its durations are."""


LIMITS: Final = Limits()
_MARKS, _SPACES, _FEW_SPACES, _BIPHASE = 2, 3, 4, 3
"""How many lengths there are in nearly all of a code."""


def is_noise(packet: bytes, limits: Limits = LIMITS) -> bool:
    """Return whether an infrared capture is no press of a remote control.

    Ask this of captures, not of files: codes that flash without a carrier (Jerrold) look like
    noise, but no hub can hear them.
    """
    return kind(packet) == "ir" and not _is_press(packet, limits)


def _is_press(packet: bytes, limits: Limits) -> bool:
    ticks = to_ticks(packet)
    marks, spaces = ticks[::2], ticks[1::2]
    has_leader = max(marks) * TICK_US >= limits.leader_us
    shortest = min(spaces, default=0) * TICK_US
    inner = [
        space
        for space in spaces[: len(marks) - 1]  # not what stands at the end of the capture
        if space * TICK_US < limits.frame_gap_us
    ]
    if shortest > limits.sparse_us:
        return _is_sparse_press(marks, inner, limits, has_leader=has_leader, shortest=shortest)
    if len(marks) < limits.few:
        return has_leader or _is_short_press(marks, inner, limits)
    regular = _share(marks, _MARKS, limits.alike) * _share(inner, _SPACES, limits.alike)
    return regular >= limits.regular or _bits(packet) >= limits.bits


def _is_short_press(marks: Sequence[int], inner: Sequence[int], limits: Limits) -> bool:
    """Return whether a few pulses are a press: every one of them has one of few lengths."""
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
    """Return whether pulses that are all far from each other are a press."""
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
    """Return which share of durations the most frequent lengths make up."""
    if not durations:
        return 1
    counts: list[int] = []
    longest = -1.0
    for duration in sorted(durations):
        if duration > longest:
            longest = duration * alike + 1  # a tick more: short ones are rounded
            counts.append(0)
        counts[-1] += 1
    return sum(sorted(counts, reverse=True)[:lengths]) / len(durations)


def _bits(packet: bytes) -> int:
    """Return how many bits the longest frame has; 0 if they are not of certain lengths."""
    signal = read(packet).signal
    if signal is None or not signal.coding.has_bits:
        return 0
    return max(len(frame.bits) for frame in signal.frames)
