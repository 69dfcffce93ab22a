"""Hubs with a radio as transmitters of core's radio frequency platform."""

from typing import Final, override

from homeassistant.components.radio_frequency import (
    PLATFORM_SCHEMA as RADIO_FREQUENCY_PLATFORM_SCHEMA,
    RadioFrequencyCommand,
    RadioFrequencyTransmitterEntity,
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
from .packets.radio import BANDS_HZ, radio_packet
from .schema import hub_schema

PARALLEL_UPDATES = 0

DEFAULT_NAME: Final = "Broadlink radio"

PLATFORM_SCHEMA = RADIO_FREQUENCY_PLATFORM_SCHEMA.extend(
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
    """Add the transmitter of one hub."""
    if (hub := async_get_hub(hass, config)) is not None:
        async_add_entities([Transmitter(hub, config)])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the transmitter of a hub with a radio."""
    hub, config = entry.runtime_data.hub, entity_config(entry, PLATFORM_SCHEMA)
    add_if(
        Capability.RADIO,
        entry,
        async_add_entities,
        lambda: [Transmitter(hub, config)],
    )


class Transmitter(HubEntity, RadioFrequencyTransmitterEntity):
    """A hub that transmits other integrations' radio commands (OOK)."""

    _attr_translation_key = "transmitter"

    @property
    @override
    def supported_frequency_ranges(self) -> list[tuple[int, int]]:
        """The hubs' bands, in Hz."""
        return list(BANDS_HZ.values())

    @override
    async def async_send_command(self, command: RadioFrequencyCommand) -> None:
        """Transmit a command. Raise HubError, or UserError if it has no packet."""
        try:
            packet = radio_packet(
                command.get_raw_timings(),
                frequency_hz=command.frequency,
                repeats=command.repeat_count,
            )
        except ValueError as err:
            raise UserError("no_packet", entity_id=self.entity_id, error=err) from err
        await self._hub.transmit([packet])
