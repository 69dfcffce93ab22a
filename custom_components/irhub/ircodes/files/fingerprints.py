"""Fingerprints: a number for what a packet says, to look for it among hundreds of thousands.

A code has two: one of all its bits, and one of their end, which is what is heard of it if the
receiver began late.
"""

from collections.abc import Iterable
from typing import Final
from zlib import crc32

from ..packet.bits import Key
from ..packet.packet import HEADER
from ..packet.reader import read
from ..protocols.protocols import learned

_LONG_DURATION: Final = b"\0"
"""What stands before a duration of two bytes."""
_LONG: Final = 64
_ENDS: Final = (16, 40)
"""Bits at the end of a single frame that is shorter than _LONG, or is not."""


def fingerprint(key: Key, *, end: bool = False) -> int:
    """Return the same number, below 2**32, for the same bits, today and tomorrow."""
    return crc32(b"|".join([b"end" if end else b"all", key.kind.encode(), *key.frames]))


def of_end(key: Key) -> int:
    """Return the fingerprint of a code's end."""
    first, *later = key.frames
    ending = later or [first[-_ENDS[len(first) >= _LONG] :]]
    return fingerprint(Key(key.kind, tuple(ending)), end=True)


def key_of(packet: bytes) -> Key:
    """Return what a packet says; its bytes if no bits can be read."""
    return read(packet).key or Key("bytes", (packet,))


def is_certain(key: Key) -> bool:
    """Return whether each press of the button has this key, however it is heard."""
    return key.kind not in {"steps", "bytes"}


def shape(packet: bytes) -> int:
    """Return how many durations stand before the first long one: the same for each press."""
    return len(packet[HEADER:].partition(_LONG_DURATION)[0])


def keys_of(press: bytes) -> frozenset[Key]:
    """Return what a press says, with either toggle bit, and as its protocol would write it."""
    packets = {press, *learned([press])}
    for toggled in packets - {press}:
        packets = packets | {*learned([toggled])}
    return frozenset(map(key_of, packets))


def of_ends(received: Iterable[Key]) -> frozenset[int]:
    """Return the fingerprints of what may have been heard from a later moment on."""
    return frozenset(
        fingerprint(Key(kind, ending), end=True)
        for kind, (first, *later) in received
        for ending in ([tuple(later)] if later else [(first[-count:],) for count in _ENDS])
    )


def is_end(received: Key, known: Key) -> bool:
    """Return whether what was heard is a code whose beginning is missing."""
    (rest, *later), (whole, *all_later) = received.frames, known.frames
    return (
        (received.kind, later) == (known.kind, all_later)
        and (len(rest) >= _ENDS[0] or bool(later))
        and whole.endswith((rest, rest[1:]))  # the first may be a leader's rest
    )
