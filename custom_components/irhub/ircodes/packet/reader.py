"""Reader: decodes packets into frames and bits.

    split      find the beginning and end of frames   `splitting`
    coding     infer how bits are written             `codings`
    bits       read the bits of each frame            `bits`

Nine out of ten packets have a usual coding; `usual_bits` reads their bits without looking at each
duration.

A packet has a signal only if that signal, written back, equals what was received: each mark and
space of each frame, including leaders and the last pulse, within the receiver's tolerance. These
reception errors are corrected: a first frame without its beginning is completed from a later one, a
cut-off last frame is dropped, and a few marks may be too long or too short if the neighbouring
space compensates for it. All other packets are left unchanged, and `Packet.unread` is the reason.
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

_MAX_FRAMES: Final = 50
"""Maximum number of frames of a packet that are compared; captures have up to 30."""


class Unread(StrEnum):
    """Reason why a packet has no signal."""

    SHORT = "no frame has more than four bits"
    UNCERTAIN = "its durations are of no certain lengths"
    DIFFERENT = "written back, it would be another packet"


class Packet(bytes):
    """A packet that caches its decoded content. It compares equal to its bytes."""

    @cached_property
    def key(self) -> Key | None:
        """Return `Signal.key` without decoding a signal, for most packets some ten times as fast.

        None if no bits can be read.
        """
        return key_of(self)

    @property
    def signal(self) -> Signal | None:
        """Return the frames and their bits; None if the packet cannot be read (see `unread`)."""
        return self._decoded if isinstance(self._decoded, Signal) else None

    @property
    def unread(self) -> Unread | None:
        """Return why there is no signal; None if there is one."""
        return self._decoded if isinstance(self._decoded, Unread) else None

    @cached_property
    def durations(self) -> Sequence[Durations]:
        """Return the durations in µs of each frame that is not a repeat, without gaps.

        Frames after the first pause that ends a message are ignored. A radio packet returns only
        its most frequent frame, because the first one may lack its beginning.
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
            if ends_message or len(frames) == _MAX_FRAMES:
                break
        if not is_radio:
            return frames
        copies = {frame: sum(is_same(frame, other) for other in frames) for frame in frames}
        return [max(frames, key=lambda frame: (copies[frame], len(frame)))]

    def difference(self, other: Packet) -> float | None:
        """Return the average difference of the durations of two packets; None if the codes differ.

        For packets without bits, and for comparing thousands of packets without decoding them.
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
        rewritten = _decode(decoded.packet())
        is_stable = isinstance(rewritten, Signal) and rewritten.key == decoded.key
        return decoded if is_stable else Unread.DIFFERENT


def key_of(packet: bytes) -> Key | None:
    """Return `Packet.key` without creating a `Packet`, for reading very many packets."""
    if (frames := usual_bits(packet)) is not None:
        return Key("pairs", tuple(frames))
    signal = read(packet).signal
    return None if signal is None else signal.key


def read(packet: bytes) -> Packet:
    """Return the packet as a `Packet`, which decodes lazily."""
    return packet if isinstance(packet, Packet) else Packet(packet)


def _ticks(packet: bytes) -> Sequence[int]:
    """Return the durations in ticks, without bytes after the announced length."""
    return to_ticks(packet[: HEADER + int.from_bytes(packet[2:HEADER], "little")])


def _decode(packet: bytes) -> Signal | Unread:
    ticks = _ticks(packet)
    if not ticks or 0 in ticks:
        return Unread.SHORT
    parts = split(ticks)
    decoded = _signal(packet[0], parts)
    first_part = parts[0]
    is_certain = isinstance(decoded, Signal) and decoded.coding.kind != "steps"
    if not is_certain and not first_part.leader:
        # a capture may begin with the rest of a leader
        parts[0] = Part(first_part.data[:2], first_part.data[2:], first_part.gap)
        without_leader = _signal(packet[0], parts)
        if isinstance(without_leader, Signal) and without_leader.coding.kind != "steps":
            return without_leader
    return decoded


def _signal(type_byte: int, parts: Sequence[Part]) -> Signal | Unread:
    readable = [part.data for part in parts if len(part.data) > 2 * FEWEST_BITS]
    if not readable:
        return Unread.SHORT
    reason = Unread.UNCERTAIN
    for coding, read_frame, is_exact in learn(readable):
        decoded: list[Decoded | None] = []
        for part in parts:
            is_short = len(part.data) <= 2 * FEWEST_BITS
            frame = read_frame(part.data) if part.data else None
            is_proven = is_exact and not is_short
            if frame and not is_proven and not _matches(coding, part.data, frame, is_short):
                reason, frame = Unread.DIFFERENT, None
            if frame is None and not is_short:
                break
            decoded.append(frame)
        else:
            return Signal(type_byte, coding, tuple(map(_frame, parts, decoded, strict=True)))
    return reason


def _matches(coding: Coding, data: Sequence[int], decoded: Decoded, is_short: bool) -> bool:
    """Return whether decoded bits, written back, equal the received durations in ticks.

    One of FEW_DISTURBED bits may be disturbed, if the neighbouring space compensates for the error
    of the mark. None may be in a short frame, which may not contain bits at all, nor if ranks of
    durations were read instead of bits.
    """
    before, bits, after = decoded
    received, written = data[before : len(data) - after], coding.durations_of(bits)
    if not len(received) <= len(written) <= len(received) + 1:
        return False
    pairs = [*zip(written, received, strict=False)]
    differing = {(us, ticks) for us, ticks in {*pairs} if not is_close(us, ticks * TICK_US)}
    if not differing or is_short or not coding.has_bits:
        return not differing
    disturbed = [index for index, pair in enumerate(pairs) if pair in differing]
    return len(disturbed) <= max(1, len(bits) // FEW_DISTURBED) and all(
        any(_is_compensated(pairs[start : start + 2]) for start in (max(0, index - 1), index))
        for index in disturbed
    )


def _is_compensated(pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether two neighbouring durations have the correct sum."""
    return is_close(sum(us for us, _ in pairs), sum(ticks for _, ticks in pairs) * TICK_US)


def _frame(part: Part, decoded: Decoded | None) -> Frame:
    """Return the decoded frame; received durations that are not bits become part of its leader."""
    before, bits, trailer = decoded or (len(part.data), (), 0)
    return Frame(
        leader=in_us(part.leader) + in_us(part.data[:before]),
        bits=bits,
        trailer=in_us(part.data[len(part.data) - trailer :]),
        gap=in_us([part.gap])[0],
    )
