"""Another infrared emitter of Home Assistant's, which transmits in place of the hub."""

from typing import Final, override

from homeassistant.components.infrared import InfraredCommand, async_send_command
from homeassistant.core import Context
from homeassistant.exceptions import HomeAssistantError

from ..errors import EmitterFailedError, UserError
from ..hub.hub import DeferredPacket, Hub
from ..ircodes import to_timings
from ..ircodes.packet import air_time_s, kind
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
    hub: Hub, entity_id: str, item: bytes | DeferredPacket, context: Context | None
) -> None:
    """Transmit a packet through an emitter in place of the hub.

    Raise UserError if it is a radio packet, EmitterFailedError if the emitter fails.
    """
    packet = item if isinstance(item, bytes) else item.packet
    if kind(packet) == "rf":
        raise UserError("emitter_no_radio", entity_id=entity_id)
    seconds = air_time_s(packet)
    hub.air.sending(packet, None, seconds)
    try:
        await async_send_command(hub.hass, entity_id, PacketCommand(packet), context)
    except HomeAssistantError as err:
        raise EmitterFailedError("emitter_failed", entity_id=entity_id, error=err) from err
    finally:
        hub.air.sending(packet, None, seconds)  # it may have had to wait for something
    if not isinstance(item, bytes):
        item.confirmed()
