"""Transmission through an infrared emitter entity of Home Assistant.

Imported on first use: core's infrared platform needs a library that not every host has.
"""

from typing import Final, override

from homeassistant.components.infrared import InfraredCommand, async_send_command
from homeassistant.core import Context, HomeAssistant

from ..ircodes import to_timings
from ..ircodes.protocols import closed

CARRIER_HZ: Final = 38_000
"""Packets do not contain a carrier frequency; hubs transmit all of them on this one."""


class PacketCommand(InfraredCommand):  # type: ignore[misc]  # of a library without types
    """A packet as a command for emitter entities; its repeats are part of the timings."""

    def __init__(self, packet: bytes) -> None:
        super().__init__(modulation=CARRIER_HZ)
        timings = to_timings(packet)
        self._timings = closed(timings) * packet[1] + timings

    @override
    def get_raw_timings(self) -> list[int]:
        """Return the durations in µs: marks positive, spaces negative."""
        return self._timings


async def async_emit(
    hass: HomeAssistant, entity_id: str, packet: bytes, context: Context | None
) -> None:
    """Transmit a packet. Raise HomeAssistantError if the emitter fails or does not exist."""
    await async_send_command(hass, entity_id, PacketCommand(packet), context)
