"""Messages: the bits of a packet as one number, and packets with other bits.

A message is an integer whose bit n is the n-th transmitted bit, over all frames. Frames of few
bits, which begin or end some messages, are not included and left unchanged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..packet import reader
from ..packet.bits import Frame, Signal

_FEWEST_BITS: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """Common structure of all messages of a remote control."""

    kind: str
    """`Coding.kind` of the bits."""
    frames: tuple[int, ...]
    """Number of bits of each frame."""


def read(packet: bytes, *, like: Layout | None = None) -> tuple[Layout, int] | None:
    """Return the layout and the message of a packet; None if it cannot be read.

    Equal frames are treated as one with repeats, unless all frames together have the layout `like`.
    """
    signal = reader.read(packet).signal
    if signal is None:
        return None
    if like is not None and (message := read_as(packet, like)) is not None:
        return like, message
    return decode(signal)


def read_as(packet: bytes, layout: Layout) -> int | None:
    """Return the message of a packet with this layout; None if it has another one.

    Frames that are equal by chance look like repeats, so all frames are tried, too.
    """
    signal = reader.read(packet).signal
    if signal is None:
        return None
    decoded = decode(signal)
    if decoded is not None and decoded[0] != layout:
        decoded = decode_whole(signal)
    return None if decoded is None or decoded[0] != layout else decoded[1]


def decode_whole(signal: Signal) -> tuple[Layout, int] | None:
    """Decode all frames, unlike `decode`: equal frames are not always repeats."""
    return _decode(signal, signal.whole)


def decode(signal: Signal) -> tuple[Layout, int] | None:
    """Return the layout and the message of a signal; None if it has no bits."""
    return _decode(signal, signal.distinct)


def _decode(signal: Signal, frames: Iterable[Frame]) -> tuple[Layout, int] | None:
    if not signal.coding.has_bits:
        return None
    frame_bits = [frame.bits for frame in frames if _is_included(frame)]
    if not frame_bits:
        return None
    layout = Layout(kind=signal.coding.kind, frames=tuple(map(len, frame_bits)))
    bits = [bit for frame in frame_bits for bit in frame]
    return layout, sum(bit << index for index, bit in enumerate(bits))


def write(like: Signal, message: int) -> bytes:
    """Return a packet with the durations of a signal and the bits of a message."""
    return signal_of(like, message).packet()


def signal_of(like: Signal, message: int) -> Signal:
    """Return a signal with the durations of another one and the bits of a message."""
    frames: list[Sequence[int]] = []
    for frame in like.distinct:
        if _is_included(frame):
            frames.append([message >> index & 1 for index in range(len(frame.bits))])
            message >>= len(frame.bits)
        else:
            frames.append(frame.bits)
    return like.with_bits([tuple(frame) for frame in frames])


def _is_included(frame: Frame) -> bool:
    return len(frame.bits) >= _FEWEST_BITS
