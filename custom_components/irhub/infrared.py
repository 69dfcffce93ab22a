"""Hubs as emitters of core's infrared platform: LG, Samsung, Gree and the like use them."""

from typing import Final, override

from homeassistant.components.infrared import (
    PLATFORM_SCHEMA as INFRARED_PLATFORM_SCHEMA,
    InfraredCommand,
    InfraredEmitterEntity,
)
from homeassistant.const import CONF_NAME
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .entity import HubEntity
from .entry import IrhubConfigEntry, add_if, entity_config
from .errors import UserError
from .hub.hubs import async_get_hub
from .hub.library import Capability
from .packets.packet import from_timings
from .schema import hub_schema

PARALLEL_UPDATES = 0

DEFAULT_NAME: Final = "Broadlink infrared"

PLATFORM_SCHEMA = INFRARED_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(),
        vol.Optional(CONF_NAME, default=DEFAULT_NAME): cv.string,
    }
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the emitter of one hub."""
    if (hub := async_get_hub(hass, config)) is not None:
        async_add_entities([Emitter(hub, config)])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the emitter of a hub that can transmit."""
    hub, config = entry.runtime_data.hub, entity_config(entry, PLATFORM_SCHEMA)
    add_if(
        Capability.TRANSMIT,
        entry,
        async_add_entities,
        lambda: [Emitter(hub, config)],
    )


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
