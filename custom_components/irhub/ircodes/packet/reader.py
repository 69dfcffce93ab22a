"""The reader: what a packet says, decoded once.

    split      where frames begin and end         `splitting`
    coding     how their bits are written         `codings`
    bits       of each frame                      `bits`

Nine of ten packets are written the usual way: their bits alone are read without a look at each
duration (`usual_bits`).
"""

from collections.abc import Sequence
from functools import cached_property

from .bits import Frame, Key, Signal, are_close
from .codings import FEWEST_BITS, Coding, Said, in_us, learn
from .packet import HEADER, to_ticks
from .splitting import Part, split
from .usual_bits import usual_bits


class Packet(bytes):
    """A packet that is decoded once, however many ask what it says. It is equal to its bytes."""

    @cached_property
    def key(self) -> Key | None:
        """Return `Signal.key` without a signal, some ten times as fast for most packets.

        None if no bits can be read.
        """
        if (frames := usual_bits(self)) is not None:
            return Key("pairs", tuple(frames))
        return None if self.signal is None else self.signal.key

    @cached_property
    def signal(self) -> Signal | None:
        """Return the frames and their bits; None if durations fall into no certain classes."""
        signal = _decode(self)
        if signal is None or signal.coding.kind != "steps":
            return signal
        again = _decode(signal.packet())
        return signal if again is not None and again.key == signal.key else None


def read(packet: bytes) -> Packet:
    """Return a packet that says what is in it. It decodes nothing before it is asked."""
    return packet if isinstance(packet, Packet) else Packet(packet)


def _decode(packet: bytes) -> Signal | None:
    end = HEADER + int.from_bytes(packet[2:HEADER], "little")
    ticks = to_ticks(packet[:end])
    if not ticks or 0 in ticks:
        return None
    parts = split(ticks)
    signal = _signal(packet[0], parts)
    start = parts[0]
    if (signal is None or signal.coding.kind == "steps") and not start.leader:
        # what a capture begins with may be the rest of a leader
        parts[0] = Part(start.data[:2], start.data[2:], start.gap)
        other = _signal(packet[0], parts)
        if other is not None and other.coding.kind != "steps":
            return other
    return signal


def _signal(type_byte: int, parts: Sequence[Part]) -> Signal | None:
    telling = [part.data for part in parts if len(part.data) > 2 * FEWEST_BITS]
    if not telling:
        return None
    for coding, reader in learn(telling):
        decoded: list[Said | None] = []
        for part in parts:
            is_short = len(part.data) <= 2 * FEWEST_BITS
            frame = reader(part.data) if part.data else None
            if frame is None and not is_short:
                break
            decoded.append(None if is_short and not _comes_back(coding, part, frame) else frame)
        else:
            return Signal(type_byte, coding, tuple(map(_frame, parts, decoded, strict=True)))
    return None


def _comes_back(coding: Coding, part: Part, decoded: Said | None) -> bool:
    """Return whether the bits of a part, written, are the durations that were received."""
    if decoded is None:
        return False
    before, bits, _ = decoded
    return are_close(coding.written(bits), in_us(part.data[before:]))


def _frame(part: Part, decoded: Said | None) -> Frame:
    """Return a frame as it was read; what says nothing stands in its leader, as it was received."""
    before, bits, trailer = decoded or (len(part.data), (), 0)
    return Frame(
        leader=in_us(part.leader) + in_us(part.data[:before]),
        bits=bits,
        trailer=in_us(part.data[len(part.data) - trailer :]),
        gap=in_us([part.gap])[0],
    )
