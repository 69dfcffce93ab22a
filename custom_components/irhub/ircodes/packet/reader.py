"""The reader: what a packet says, decoded once.

    split      where frames begin and end         `splitting`
    coding     how their bits are written         `codings`
    bits       of each frame                      `bits`

Nine of ten packets are written the usual way: their bits alone are read without a look at each
duration (`usual_bits`).

A packet has a signal only if that, written, is what was received: each mark and space of each
frame, leaders and the last pulse among them, within a receiver's tolerance. What else a receiver
does is put right: a first frame whose beginning is missing is written like a later one, a last one
that is cut off is left out, and few marks may be too long or short by what the space beside them
lacks or has too much. All other packets stay as they are, and `Packet.unread` is the reason.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final

from .bits import Frame, Key, Signal
from .codings import FEW_DISTURBED, FEWEST_BITS, Coding, Decoded, in_us, is_close, learn
from .comparing import Durations, difference, durations_of, is_beginning, is_same
from .packet import HEADER, INFRARED, TICK_US, to_ticks
from .splitting import BETWEEN_MESSAGES_US, Part, split
from .usual_bits import usual_bits

_MOST_COPIES: Final = 50
"""How many frames of a packet are compared with each other; captures have up to 30."""


class Unread(StrEnum):
    """Why a packet has no signal."""

    SHORT = "no frame has more than four bits"
    UNCERTAIN = "its durations are of no certain lengths"
    OTHERWISE = "written back, it would be another packet"


class Packet(bytes):
    """A packet that is decoded once, however many ask what it says. It is equal to its bytes."""

    @cached_property
    def key(self) -> Key | None:
        """Return `Signal.key` without a signal, some ten times as fast for most packets.

        None if no bits can be read.
        """
        return key_of(self)

    @property
    def signal(self) -> Signal | None:
        """Return the frames and their bits; None if it is `unread`."""
        return self._decoded if isinstance(self._decoded, Signal) else None

    @property
    def unread(self) -> Unread | None:
        """Return why there is no signal; None if there is one."""
        return self._decoded if isinstance(self._decoded, Unread) else None

    @cached_property
    def durations(self) -> Sequence[Durations]:
        """Return the microseconds of each frame that is no repeat, without the gaps.

        That is up to the first pause behind a message. Of radio it is the frame that is there most
        often: the first one may lack its beginning.
        """
        ticks = _ticks(self)
        if not ticks or 0 in ticks:
            return []
        frames: list[Durations] = []
        is_radio = self[0] != INFRARED
        for part in split(ticks):
            frame = durations_of(part)
            if is_radio or not any(is_beginning(frame, known) for known in frames):
                frames.append(frame)
            ends_message = not is_radio and part.gap * TICK_US >= BETWEEN_MESSAGES_US
            if ends_message or len(frames) == _MOST_COPIES:
                break
        if not is_radio:
            return frames
        copies = {frame: sum(is_same(frame, other) for other in frames) for frame in frames}
        return [max(frames, key=lambda frame: (copies[frame], len(frame)))]

    def difference(self, other: Packet) -> float | None:
        """Return how far the durations of two packets are apart; None if they are other codes.

        That is for packets without bits, and where thousands are not worth reading.
        """
        is_comparable = (self[0] == INFRARED) == (other[0] == INFRARED)
        if not is_comparable or len(self.durations) != len(other.durations):
            return None
        return difference(self.durations, other.durations)

    @cached_property
    def _decoded(self) -> Signal | Unread:
        decoded = _decode(self)
        if isinstance(decoded, Unread) or decoded.coding.kind != "steps":
            return decoded
        again = _decode(decoded.packet())
        is_same = isinstance(again, Signal) and again.key == decoded.key
        return decoded if is_same else Unread.OTHERWISE


def key_of(packet: bytes) -> Key | None:
    """Return `Packet.key` of one of very many packets, of which nothing else is asked."""
    if (frames := usual_bits(packet)) is not None:
        return Key("pairs", tuple(frames))
    signal = read(packet).signal
    return None if signal is None else signal.key


def read(packet: bytes) -> Packet:
    """Return a packet that says what is in it. It decodes nothing before it is asked."""
    return packet if isinstance(packet, Packet) else Packet(packet)


def _ticks(packet: bytes) -> Sequence[int]:
    """Return the durations of a packet, without what stands behind its announced length."""
    return to_ticks(packet[: HEADER + int.from_bytes(packet[2:HEADER], "little")])


def _decode(packet: bytes) -> Signal | Unread:
    ticks = _ticks(packet)
    if not ticks or 0 in ticks:
        return Unread.SHORT
    parts = split(ticks)
    decoded = _signal(packet[0], parts)
    start = parts[0]
    is_certain = isinstance(decoded, Signal) and decoded.coding.kind != "steps"
    if not is_certain and not start.leader:
        # what a capture begins with may be the rest of a leader
        parts[0] = Part(start.data[:2], start.data[2:], start.gap)
        other = _signal(packet[0], parts)
        if isinstance(other, Signal) and other.coding.kind != "steps":
            return other
    return decoded


def _signal(type_byte: int, parts: Sequence[Part]) -> Signal | Unread:
    telling = [part.data for part in parts if len(part.data) > 2 * FEWEST_BITS]
    if not telling:
        return Unread.SHORT
    reason = Unread.UNCERTAIN
    for coding, read_frame, is_exact in learn(telling):
        decoded: list[Decoded | None] = []
        for part in parts:
            is_short = len(part.data) <= 2 * FEWEST_BITS
            frame = read_frame(part.data) if part.data else None
            is_proven = is_exact and not is_short
            if frame and not is_proven and not _comes_back(coding, part.data, frame, is_short):
                reason, frame = Unread.OTHERWISE, None
            if frame is None and not is_short:
                break
            decoded.append(frame)
        else:
            return Signal(type_byte, coding, tuple(map(_frame, parts, decoded, strict=True)))
    return reason


def _comes_back(coding: Coding, data: Sequence[int], decoded: Decoded, is_short: bool) -> bool:
    """Return whether decoded bits, written, are the durations that were received, in ticks.

    Of FEW_DISTURBED bits one may be disturbed: its mark then has what its space lacks, or lacks
    what that has too much. In a short frame none may be, which may be no bits at all, nor where
    ranks of durations were read in place of bits.
    """
    before, bits, behind = decoded
    received, written = data[before : len(data) - behind], coding.written(bits)
    if not len(received) <= len(written) <= len(received) + 1:
        return False
    pairs = [*zip(written, received, strict=False)]
    far = {(us, ticks) for us, ticks in {*pairs} if not is_close(us, ticks * TICK_US)}
    if not far or is_short or not coding.has_bits:
        return not far
    disturbed = [place for place, pair in enumerate(pairs) if pair in far]
    return len(disturbed) <= max(1, len(bits) // FEW_DISTURBED) and all(
        any(_is_compensated(pairs[start : start + 2]) for start in (max(0, place - 1), place))
        for place in disturbed
    )


def _is_compensated(pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether two durations are, together, as long as they should be."""
    return is_close(sum(us for us, _ in pairs), sum(ticks for _, ticks in pairs) * TICK_US)


def _frame(part: Part, decoded: Decoded | None) -> Frame:
    """Return a frame as it was read; what says nothing stands in its leader, as it was received."""
    before, bits, trailer = decoded or (len(part.data), (), 0)
    return Frame(
        leader=in_us(part.leader) + in_us(part.data[:before]),
        bits=bits,
        trailer=in_us(part.data[len(part.data) - trailer :]),
        gap=in_us([part.gap])[0],
    )
