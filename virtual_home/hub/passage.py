"""The way of infrared from one device to another: a wall, a door, the distance."""

from random import Random
from typing import Protocol

JITTER = 0.05
"""Of each duration, in both directions."""
CODES_AT = 4
LONG = 0
"""A duration of more than 255 ticks is this byte and two more."""


class Hearing(Protocol):
    """Something that hears infrared."""

    def press(self, packet: bytes) -> object:
        """Hear a packet."""


class Passage:
    """Passes on what is transmitted, with durations that are a bit off, or loses it.

    `lost` is the share that does not arrive, `lost_next` how many of the next do not. A `closed`
    one loses everything.
    """

    def __init__(self, to: Hearing, *, lost: float = 0.0, seed: int = 0) -> None:
        self._to = to
        self._random = Random(seed)
        self.lost = lost
        self.lost_next = 0
        self.closed = False
        self.passed = 0
        """How many packets have arrived."""

    def press(self, packet: bytes) -> None:
        """Hear a packet that is transmitted on the other side."""
        if self.lost_next:
            self.lost_next -= 1
        elif not self.closed and self._random.random() >= self.lost:
            self.passed += 1
            self._to.press(self._altered(packet))

    def _altered(self, packet: bytes) -> bytes:
        """Return the packet as it is received: short durations a bit longer or shorter."""
        altered, at = bytearray(packet), CODES_AT
        while at < len(packet):
            if packet[at] == LONG:
                at += 3
                continue
            off = self._random.uniform(1 - JITTER, 1 + JITTER)
            altered[at] = min(255, max(1, round(packet[at] * off)))
            at += 1
        return bytes(altered)
