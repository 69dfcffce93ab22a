"""What is to be transmitted."""

from typing import Protocol


class DeferredPacket(Protocol):
    """A packet that is chosen at the moment it is transmitted."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""

    def confirmed(self) -> None:
        """Note that it has been transmitted."""


def packet_of(item: bytes | DeferredPacket) -> bytes:
    """Return the packet to transmit now."""
    return item if isinstance(item, bytes) else item.packet
