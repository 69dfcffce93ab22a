"""Messages: what a packet says as one number, and a packet that says another.

A message is an integer whose bit n is the n-th bit that was sent, all its frames in a row. Frames
of a few bits, which begin or end some messages, say nothing and are left as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..packet import bits
from ..packet.bits import Frame, Signal

_FEWEST_BITS: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """What all messages of a remote control have alike."""

    kind: str
    """How bits are written."""
    frames: tuple[int, ...]
    """How many bits each frame has."""


def read(packet: bytes) -> tuple[Layout, int] | None:
    """Return what a packet says; None if it says nothing certain."""
    signal = bits.read(packet)
    return None if signal is None else said_by(signal)


def said_by(signal: Signal) -> tuple[Layout, int] | None:
    """Return what a signal says; None if it is no bits."""
    if not signal.coding.has_bits:
        return None
    telling = [frame.bits for frame in signal.distinct if _tells(frame)]
    if not telling:
        return None
    layout = Layout(kind=signal.coding.kind, frames=tuple(map(len, telling)))
    in_a_row = [bit for frame in telling for bit in frame]
    return layout, sum(bit << index for index, bit in enumerate(in_a_row))


def write(like: Signal, message: int) -> bytes:
    """Return a packet that is written like another one and says this."""
    said: list[Sequence[int]] = []
    for frame in like.distinct:
        if _tells(frame):
            said.append([message >> index & 1 for index in range(len(frame.bits))])
            message >>= len(frame.bits)
        else:
            said.append(frame.bits)
    return like.with_bits([tuple(frame) for frame in said]).packet()


def _tells(frame: Frame) -> bool:
    return len(frame.bits) >= _FEWEST_BITS
