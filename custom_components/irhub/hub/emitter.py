"""One infrared emitter of Home Assistant's.

Imported when one transmits: core's platform needs a library that is not there on every host.
"""

from typing import Final, override

from homeassistant.components.infrared import InfraredCommand, async_send_command
from homeassistant.core import Context, HomeAssistant

from ..ircodes import to_timings
from ..ircodes.protocols import closed

CARRIER_HZ: Final = 38_000
"""Packets do not say theirs: hubs transmit all on this one."""


class PacketCommand(InfraredCommand):  # type: ignore[misc]  # of a library without types
    """A packet as other emitters take it; each of the hub's own repeats is in its timings."""

    def __init__(self, packet: bytes) -> None:
        super().__init__(modulation=CARRIER_HZ)
        timings = to_timings(packet)
        self._timings = closed(timings) * packet[1] + timings

    @override
    def get_raw_timings(self) -> list[int]:
        """Return the durations in microseconds: marks positive, spaces negative."""
        return self._timings


async def async_emit(
    hass: HomeAssistant, entity_id: str, packet: bytes, context: Context | None
) -> None:
    """Transmit a packet. Raise HomeAssistantError as the emitter does, or if there is none."""
    await async_send_command(hass, entity_id, PacketCommand(packet), context)
