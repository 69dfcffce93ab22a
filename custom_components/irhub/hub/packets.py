"""Packets to transmit: given in advance, or chosen at the time of transmission."""

from typing import Protocol


class DeferredPacket(Protocol):
    """A packet that is chosen at the time of transmission, as for an alternating command."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""

    def confirmed(self) -> None:
        """Record that the packet has been transmitted."""


def packet_of(item: bytes | DeferredPacket) -> bytes:
    """Return the packet to transmit now."""
    return item if isinstance(item, bytes) else item.packet
