"""Fingerprints: a number for the content of a packet, to find it among hundreds of thousands.

A code has two: one of all its bits, and one of its last bits, which are all that is received if the
receiver starts late.
"""

from collections.abc import Iterable
from typing import Final
from zlib import crc32

from ..packet.bits import Key
from ..packet.packet import HEADER
from ..packet.reader import read
from ..protocols.protocols import learned

_LONG_DURATION: Final = b"\0"
"""Prefix of a two-byte duration."""
_LONG: Final = 64
_END_BITS: Final = (16, 40)
"""Number of last bits in the fingerprint of the end of a single frame: if it has less than _LONG
bits, else."""


def fingerprint(key: Key, *, end: bool = False) -> int:
    """Return a number below 2**32 that is the same for equal bits, also across versions."""
    return crc32(b"|".join([b"end" if end else b"all", key.kind.encode(), *key.frames]))


def end_fingerprint(key: Key) -> int:
    """Return the fingerprint of the end of a code."""
    first, *later = key.frames
    end_frames = later or [first[-_END_BITS[len(first) >= _LONG] :]]
    return fingerprint(Key(key.kind, tuple(end_frames)), end=True)


def key_of(packet: bytes) -> Key:
    """Return the key of a packet; its bytes if no bits can be read."""
    return read(packet).key or Key("bytes", (packet,))


def is_certain(key: Key) -> bool:
    """Return whether every press of the button has this key, however it is received."""
    return key.kind not in {"steps", "bytes"}


def shape(packet: bytes) -> int:
    """Return the number of durations before the first long one, equal for every press."""
    return len(packet[HEADER:].partition(_LONG_DURATION)[0])


def keys_of(press: bytes) -> frozenset[Key]:
    """Return the keys of a press: with either toggle bit, and as encoded by its protocol."""
    packets = {press, *learned([press])}
    for toggled in packets - {press}:
        packets = packets | {*learned([toggled])}
    return frozenset(map(key_of, packets))


def end_fingerprints(received: Iterable[Key]) -> frozenset[int]:
    """Return the fingerprints of the ends that these keys may be, for `end_fingerprint`."""
    return frozenset(
        fingerprint(Key(kind, ending), end=True)
        for kind, (first, *later) in received
        for ending in ([tuple(later)] if later else [(first[-count:],) for count in _END_BITS])
    )


def is_end(received: Key, known: Key) -> bool:
    """Return whether a received key is the end of a known code."""
    (received_first, *received_later), (known_first, *known_later) = received.frames, known.frames
    return (
        (received.kind, received_later) == (known.kind, known_later)
        and (len(received_first) >= _END_BITS[0] or bool(received_later))
        # The first received bit may be the rest of a leader.
        and known_first.endswith((received_first, received_first[1:]))
    )
