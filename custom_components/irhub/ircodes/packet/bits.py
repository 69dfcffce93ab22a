"""Decoded packets: frames, their bits, and how they are written back.

A packet alternates marks and spaces. Most remote controls transmit bits: each bit is a mark and a
space, one of which is long in a 1 and short in a 0. Bits are grouped into frames:

    leader    marks and spaces that are not bits, mostly longer
    bits
    trailer   the mark after the last bit, if bits differ in their spaces
    gap       the space after it

Receivers lengthen marks and shorten spaces by up to 150 µs, start late and stop early. Durations
are therefore compared with each other, not with a table.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

from .codings import FEWEST_BITS, Bits, Coding, is_close, is_near
from .packet import INFRARED, from_durations


class Key(NamedTuple):
    """Identity of a packet's content, independent of its durations."""

    kind: str
    """`Coding.kind` of the packet's coding."""
    frames: tuple[bytes, ...]
    """Bits of each frame that is not a repeat, one byte (0 or 1) per bit."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a packet. Durations in µs, marks and spaces alternating."""

    leader: tuple[int, ...]
    bits: Bits
    trailer: tuple[int, ...]
    gap: int
    """0 if the packet ends before the gap."""


@dataclass(frozen=True)
class Signal:
    """All frames of a packet in transmission order, including repeats.

    The frames after the first message are one of:

        repeat         a frame seen before, or one without bits ("still held"): written by `packet`,
                       not part of `key`
        second press   of the same button: treated as a repeat; of another button: adds to `key`, so
                       that a packet with two presses is a different code
        cut off        a last frame that is the beginning of another frame: dropped

    If a protocol can read the message, `protocols.clean` removes the effect of holding the button:
    it keeps the copies before the first repeat, at most three. Frames after a repeat belong to
    another press.
    """

    type: int
    """First byte of the packet: infrared or radio."""
    coding: Coding
    frames: tuple[Frame, ...]

    @cached_property
    def distinct(self) -> tuple[Frame, ...]:
        """Return the frames without repeats and without cut-off frames.

        The first frame is dropped if it is the end of a later one, the last if it is the beginning
        of an earlier one. Radio signals are sent many times and received with noise: only the most
        frequent frame is returned.
        """
        readable = [frame for frame in self.whole if frame.bits]
        if self.type != INFRARED:
            count = Counter(frame.bits for frame in readable)
            readable.sort(key=lambda frame: (count[frame.bits], len(frame.bits)), reverse=True)
            del readable[1:]
        by_bits: dict[Bits, Frame] = {}
        for frame in readable:
            by_bits.setdefault(frame.bits, frame)
        return tuple(by_bits.values())

    @cached_property
    def key(self) -> Key:
        """Return the key, which is equal for all presses of a button, whatever their durations."""
        return Key(self.coding.kind, tuple(bytes(frame.bits) for frame in self.distinct))

    def is_like(self, other: Signal) -> bool:
        """Return whether another signal is the same code and uses the same durations.

        Two codes with equal bits may differ in their leaders (LG, LG2) or in the length of their
        bits.
        """
        return (
            (self.type == INFRARED) == (other.type == INFRARED)
            and self.key == other.key
            and are_close(self.coding.durations, other.coding.durations)
            and all(
                are_close(frame.leader[::-1], known.leader[::-1])
                for frame, known in zip(self.distinct, other.distinct, strict=True)
            )
        )

    def difference(self, other: Signal) -> float:
        """Return the average relative difference of the durations of two signals; 0 means equal.

        A mark and its following space count as a sum, because receivers lengthen one at the cost of
        the other.
        """
        pairs = [
            (sum(self.coding.one), sum(other.coding.one)),
            (sum(self.coding.zero), sum(other.coding.zero)),
            *(
                (sum(frame.leader), sum(known.leader))
                for frame, known in zip(self.distinct, other.distinct, strict=False)
            ),
        ]
        return fmean(abs(first - second) / (max(first, second) or 1) for first, second in pairs)

    @property
    def without_first_bit(self) -> Signal | None:
        """Return the signal without its first bit, which may be the rest of a leader; else None.

        The result lacks the leader and is only for comparison.
        """
        first, *later = self.frames
        if first.leader or len(first.bits) < FEWEST_BITS or self.coding.kind != "pairs":
            return None
        return replace(self, frames=(replace(first, bits=first.bits[1:]), *later))

    @cached_property
    def whole(self) -> Sequence[Frame]:
        """Return the frames without a cut-off last one and with a cut-off first one completed."""
        first, *later = self.frames
        if later and _is_cut_off(later[-1], [first, *later[:-1]]):
            del later[-1]
        completed = next((other for other in later if self._is_end(first, other)), first)
        return [replace(completed, gap=first.gap), *later]

    def _is_end(self, first: Frame, other: Frame) -> bool:
        """Return whether the first frame is the end of another one, by bits and by durations."""
        if not _is_proper_end(first, other):
            return False
        received, expected = map(self._durations, (first, replace(other, gap=first.gap)))
        if len(received) > len(expected) or (len(expected) - len(received)) % 2:
            return False  # an odd number would turn marks into spaces
        count = len(received) - 1  # the mark in which the receiver began is cut off
        return are_close(received[1:], expected[-count:])

    def _durations(self, frame: Frame) -> list[int]:
        """Return the durations of a frame without its gap, which includes a last space."""
        durations = [*frame.leader, *self.coding.durations_of(frame.bits), *frame.trailer]
        if frame.gap:
            del durations[len(durations) - 1 + len(durations) % 2 :]  # the gap is longer
        return durations

    def with_bits(self, bits: Sequence[Bits]) -> Signal:
        """Return a signal with the same coding, leaders and gaps, but other bits.

        `bits` replace those of `distinct`, in order; repeats are changed accordingly. Raise
        ValueError if the number of frames differs.
        """
        old_bits = [frame.bits for frame in self.distinct]
        new_bits = dict(zip(old_bits, map(tuple, bits), strict=True))
        frames = (self._with(frame, new_bits.get(frame.bits, frame.bits)) for frame in self.whole)
        return replace(self, frames=tuple(frames))

    def _with(self, frame: Frame, bits: Bits) -> Frame:
        """Return a frame with other bits.

        In biphase coding, the last space of a leader includes the first half of the first bit if
        that half is a space.
        """
        leader = frame.leader
        if self.coding.kind == "biphase" and leader and frame.bits and bits:
            half = self.coding.one[0]
            leader = (*leader[:-1], leader[-1] + (bits[0] - frame.bits[0]) * half)
        return replace(frame, leader=leader, bits=bits)

    def packet(self) -> bytes:
        """Return the signal as a packet, with nominal durations and without cut-off frames."""
        durations: list[int] = []
        for frame in self.whole:
            durations += self._durations(frame)
            if frame.gap:
                durations.append(frame.gap)
        last = self.frames[-1]
        if len(self.whole) == len(self.frames) and last.bits and not last.gap:
            del durations[len(durations) - 1 + len(durations) % 2 :]  # it ends with a mark
        packet = from_durations(durations)
        return bytes([self.type]) + packet[1:]


def are_close(first: Sequence[int], second: Sequence[int]) -> bool:
    """Return whether two sequences of durations agree, as far as the shorter one reaches.

    A leader may be cut off.
    """
    return all(map(is_close, first, second, strict=False))


def _is_cut_off(last: Frame, before: Sequence[Frame]) -> bool:
    """Return whether the packet ends within its last frame, judged by the frames before it.

    A frame that occurs more than once is complete: some remote controls repeat only the first bit.
    """
    is_complete = any(last.bits == frame.bits for frame in before)
    return not is_complete and any(_is_proper_beginning(last, frame) for frame in before)


def _is_proper_beginning(frame: Frame, other: Frame) -> bool:
    """Return whether a frame is a proper beginning of another one, with at least one bit.

    A last frame without bits is not cut off: some codes end with their leader or with a single mark
    (air conditioners by Panasonic, Daikin and Airwell; the repeat frame of GI Cable).
    """
    count = len(frame.bits)
    return (
        0 < count < len(other.bits)
        and frame.bits == other.bits[:count]
        and bool(frame.leader) == bool(other.leader)
        and are_close(frame.leader[::-1], other.leader[::-1])
    )


def _is_proper_end(frame: Frame, other: Frame) -> bool:
    """Return whether a frame is the end of another one.

    It may begin with an additional bit, if that is the rest of the other one's leader.
    """
    count, missing = len(frame.bits), len(other.bits) - len(frame.bits)
    if len(frame.leader) >= len(other.leader) > 0:
        return False
    if missing == -1 and other.leader:
        return frame.bits[1:] == other.bits
    has_most = count >= missing
    has_its_gap = is_near(frame.gap, other.gap) and len({*frame.bits}) > 1
    return missing > 0 and (has_most or has_its_gap) and frame.bits == other.bits[missing:]
