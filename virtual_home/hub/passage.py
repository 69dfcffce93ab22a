"""The path of infrared from one device to another: walls, doors, distance."""

from random import Random
from typing import Protocol

JITTER = 0.05
"""Maximum relative change of each duration, up or down."""
CODES_AT = 4
LONG = 0
"""Prefix byte of a duration over 255 ticks, which has two more bytes."""


class Hearing(Protocol):
    """A receiver of infrared."""

    def press(self, packet: bytes) -> object:
        """Receive a packet."""


class Passage:
    """Forwards transmitted packets with inexact durations, or loses them.

    `lost` is the fraction of lost packets, `lost_next` the number of next packets to lose. A
    `closed` passage loses all.
    """

    def __init__(self, receiver: Hearing, *, lost: float = 0.0, seed: int = 0) -> None:
        self._receiver = receiver
        self._random = Random(seed)
        self.lost = lost
        self.lost_next = 0
        self.closed = False
        self.passed = 0
        """Number of packets forwarded."""

    def press(self, packet: bytes) -> None:
        """Receive a packet transmitted on the other side."""
        if self.lost_next:
            self.lost_next -= 1
        elif not self.closed and self._random.random() >= self.lost:
            self.passed += 1
            self._receiver.press(self._altered(packet))

    def _altered(self, packet: bytes) -> bytes:
        """Return the packet as received: short durations slightly longer or shorter."""
        altered, position = bytearray(packet), CODES_AT
        while position < len(packet):
            if packet[position] == LONG:
                position += 3
                continue
            factor = self._random.uniform(1 - JITTER, 1 + JITTER)
            altered[position] = min(255, max(1, round(packet[position] * factor)))
            position += 1
        return bytes(altered)
