"""Hubs as emitters of core's infrared platform: LG, Samsung, Gree and the like use them."""

from typing import override

from homeassistant.components.infrared import (
    PLATFORM_SCHEMA as INFRARED_PLATFORM_SCHEMA,
    InfraredCommand,
    InfraredEmitterEntity,
)

from .entity import HubEntity, one_per_hub
from .errors import UserError
from .hub.library import Capability
from .packets.packet import from_timings
from .schema import hub_schema

PARALLEL_UPDATES = 0

PLATFORM_SCHEMA = INFRARED_PLATFORM_SCHEMA.extend(hub_schema(name="Broadlink infrared"))


class Emitter(HubEntity, InfraredEmitterEntity):
    """A hub that transmits other integrations' infrared commands."""

    _attr_translation_key = "emitter"

    @override
    async def async_send_command(self, command: InfraredCommand) -> None:
        """Transmit a command. Raise HubError, or UserError if it has no packet."""
        try:
            packet = from_timings(command.get_raw_timings())
        except ValueError as err:
            raise UserError("no_packet", entity_id=self.entity_id, error=err) from err
        await self._hub.transmit([packet])


async_setup_platform, async_setup_entry = one_per_hub(PLATFORM_SCHEMA, Capability.TRANSMIT, Emitter)
