"""Bits: what the frames of a packet say, and how they are written.

A packet is marks and spaces in turn. What a remote control sends is mostly bits: a mark and a
space each, one of the two long in a one and short in a zero. Bits come in frames:

    leader    marks and spaces that are no bits, most of them longer
    bits
    trailer   the mark behind the last bit, where it is the spaces that differ
    gap       the space behind it

Receivers lengthen marks and shorten spaces by up to 150 µs, begin late and end early: durations
are compared with each other, not with a table.
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
    """What a packet says."""

    kind: str
    """Of its coding."""
    frames: tuple[bytes, ...]
    """The bits of each frame that is no repeat; a byte, 0 or 1, for each bit."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands between two gaps. Durations in microseconds, marks and spaces in turn."""

    leader: tuple[int, ...]
    bits: Bits
    trailer: tuple[int, ...]
    gap: int
    """0 if the packet ends before."""


@dataclass(frozen=True)
class Signal:
    """The frames of a packet in the order in which they are transmitted, repeats among them.

    What stands behind the first message is

        a repeat        frames that are there already, or have no bits ("still held"): `packet`
                        writes them, `key` has none of them
        a second press  of the same button: the same; of another one: more of `key`, so a packet
                        with two presses is a code of its own
        cut off         a last frame that is the beginning of another one: left out

    A protocol that knows the message (`protocols.clean`) writes it without what was held: its
    copies up to the first repeat, three at most. What comes behind a repeat is a press of its own.
    """

    type: int
    """The packet's first byte: infrared or radio."""
    coding: Coding
    frames: tuple[Frame, ...]

    @cached_property
    def distinct(self) -> tuple[Frame, ...]:
        """Return the frames that say what none before them says.

        That is without repeats, and without what is cut off: the first frame if it is the end of
        a later one, the last if it is the beginning of an earlier one. Of radio, which is sent
        many times and heard with noise, it is the frame that is there most often.
        """
        telling = [frame for frame in self.whole if frame.bits]
        if self.type != INFRARED:
            count = Counter(frame.bits for frame in telling)
            telling.sort(key=lambda frame: (count[frame.bits], len(frame.bits)), reverse=True)
            del telling[1:]
        by_bits: dict[Bits, Frame] = {}
        for frame in telling:
            by_bits.setdefault(frame.bits, frame)
        return tuple(by_bits.values())

    @cached_property
    def key(self) -> Key:
        """Return what the signal says: equal for each press of a button, whatever the durations."""
        return Key(self.coding.kind, tuple(bytes(frame.bits) for frame in self.distinct))

    def is_like(self, other: Signal) -> bool:
        """Return whether another signal is the same code, written as this one is.

        Two codes of equal bits may have other leaders (LG, LG2), or bits of another length.
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
        """Return how far its durations are from another one's, on average: 0 is equal.

        A mark and the space behind it count together: receivers change one against the other.
        """
        pairs = [
            (sum(self.coding.one), sum(other.coding.one)),
            (sum(self.coding.zero), sum(other.coding.zero)),
            *(
                (sum(frame.leader), sum(known.leader))
                for frame, known in zip(self.distinct, other.distinct, strict=False)
            ),
        ]
        return fmean(abs(own - known) / (max(own, known) or 1) for own, known in pairs)

    @property
    def begun_late(self) -> Signal | None:
        """Return what it says if its first bit is the rest of a leader; None if that cannot be.

        It is for comparing: the leader is left out.
        """
        first, *later = self.frames
        if first.leader or len(first.bits) < FEWEST_BITS or self.coding.kind != "pairs":
            return None
        return replace(self, frames=(replace(first, bits=first.bits[1:]), *later))

    @cached_property
    def whole(self) -> Sequence[Frame]:
        """Return the frames without what is cut off: the last left out, the first put right."""
        first, *later = self.frames
        if later and _is_cut_off(later[-1], [first, *later[:-1]]):
            del later[-1]
        whole = next((other for other in later if self._is_end(first, other)), first)
        return [replace(whole, gap=first.gap), *later]

    def _is_end(self, first: Frame, other: Frame) -> bool:
        """Return whether the first frame is the end of another one, by bits and by durations."""
        if not _ends(first, other):
            return False
        received, written = map(self._durations, (first, replace(other, gap=first.gap)))
        if len(received) > len(written) or (len(written) - len(received)) % 2:
            return False  # by an odd number, what follows would be dark where it was lit
        count = len(received) - 1  # the mark in which the receiver began is cut off
        return are_close(received[1:], written[-count:])

    def _durations(self, frame: Frame) -> list[int]:
        """Return the durations of a frame without its gap, the last one's last space perhaps."""
        durations = [*frame.leader, *self.coding.written(frame.bits), *frame.trailer]
        if frame.gap:
            del durations[len(durations) - 1 + len(durations) % 2 :]  # the gap is longer
        return durations

    def with_bits(self, bits: Sequence[Bits]) -> Signal:
        """Return a signal that is written alike and says something else.

        `bits` are those of `distinct`, in their order: repeats follow. Raise ValueError if there
        are more or fewer frames.
        """
        old_bits = [frame.bits for frame in self.distinct]
        other = dict(zip(old_bits, map(tuple, bits), strict=True))
        frames = (self._with(frame, other.get(frame.bits, frame.bits)) for frame in self.whole)
        return replace(self, frames=tuple(frames))

    def _with(self, frame: Frame, bits: Bits) -> Frame:
        """Return a frame that says something else.

        The space of a leader contains the first half of a biphase bit if that is a space.
        """
        leader = frame.leader
        if self.coding.kind == "biphase" and leader and frame.bits and bits:
            half = self.coding.one[0]
            leader = (*leader[:-1], leader[-1] + (bits[0] - frame.bits[0]) * half)
        return replace(frame, leader=leader, bits=bits)

    def packet(self) -> bytes:
        """Return it as a packet, its durations as the coding has them, without what is cut off."""
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
    """Return whether durations may be the same ones, as far as both have them.

    A leader may be cut off.
    """
    return all(map(is_close, first, second, strict=False))


def _is_cut_off(last: Frame, before: Sequence[Frame]) -> bool:
    """Return whether a packet ends in the middle of its last frame, by the frames before it.

    What is there more than once is whole: some remote controls repeat but the first bit.
    """
    is_whole = any(last.bits == frame.bits for frame in before)
    return not is_whole and any(_begins(last, frame) for frame in before)


def _begins(frame: Frame, other: Frame) -> bool:
    """Return whether a frame is the beginning of another one, with at least one bit of it.

    A last frame without bits is not cut off: some codes end with their leader, or with one mark
    (air conditioners of Panasonic, Daikin and Airwell, what GI Cable repeats).
    """
    count = len(frame.bits)
    return (
        0 < count < len(other.bits)
        and frame.bits == other.bits[:count]
        and bool(frame.leader) == bool(other.leader)
        and are_close(frame.leader[::-1], other.leader[::-1])
    )


def _ends(frame: Frame, other: Frame) -> bool:
    """Return whether a frame is the end of another, or its leader's rest was taken for a bit."""
    count, left_out = len(frame.bits), len(other.bits) - len(frame.bits)
    if len(frame.leader) >= len(other.leader) > 0:
        return False
    if left_out == -1 and other.leader:
        return frame.bits[1:] == other.bits
    is_most = count >= left_out
    has_its_gap = is_near(frame.gap, other.gap) and len({*frame.bits}) > 1
    return left_out > 0 and (is_most or has_its_gap) and frame.bits == other.bits[left_out:]
