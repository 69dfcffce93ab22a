"""Hubs with a radio as transmitters and receivers of core's radio frequency platform.

Home Assistant has radio receivers since 2026.11; older releases have only transmitters.
"""

from collections.abc import Callable
from functools import partial
from typing import override

from homeassistant.components.radio_frequency import (
    PLATFORM_SCHEMA as RADIO_FREQUENCY_PLATFORM_SCHEMA,
    RadioFrequencyCommand,
    RadioFrequencyTransmitterEntity,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .const import CONF_FREQUENCY
from .entities.entity import HubEntity, async_add_if_able
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError
from .hub.library import Capability
from .ircodes.packet import BANDS_HZ, from_radio_timings
from .schema import frequency_mhz, hub_schema
from .yaml.hubs import async_use_in_yaml

try:
    from .entities.radio_receiver import RadioReceiver
except ImportError:
    RadioReceiver = None  # type: ignore[assignment, misc]

PARALLEL_UPDATES = 0

PLATFORM_SCHEMA = RADIO_FREQUENCY_PLATFORM_SCHEMA.extend(
    {**hub_schema(name="Broadlink radio"), vol.Optional(CONF_FREQUENCY): frequency_mhz}
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the transmitter of a hub in YAML, and its receiver if it has a frequency."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        async_add_entities([Transmitter(use)])
        if (make := _receiver(use)) is not None:
            async_add_entities([make(use)])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the transmitter of a hub with a radio, and its receiver if it has a frequency."""
    use = entry.runtime_data
    async_add_if_able(use, Capability.RADIO, async_add_entities, Transmitter)
    if (make := _receiver(use)) is not None:
        async_add_if_able(use, Capability.RADIO, async_add_entities, make)


def _receiver(use: Use) -> Callable[[Use], Entity] | None:
    """Return the factory of a hub's receiver; None without a frequency, or before 2026.11."""
    if RadioReceiver is None or use.options.frequency is None:
        return None
    return partial(RadioReceiver, frequency=use.options.frequency)


class Transmitter(HubEntity, RadioFrequencyTransmitterEntity):
    """A hub that transmits other integrations' radio commands (OOK)."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC  # for integrations, not for people
    _attr_translation_key = "transmitter"

    @property
    @override
    def supported_frequency_ranges(self) -> list[tuple[int, int]]:
        """Return the frequency bands of hubs, in Hz."""
        return list(BANDS_HZ.values())

    @override
    async def async_send_command(self, command: RadioFrequencyCommand) -> None:
        """Transmit a command. Raise HubError, or UserError if it has no packet."""
        try:
            packet = from_radio_timings(
                command.get_raw_timings(),
                frequency_hz=command.frequency,
                repeats=command.repeat_count,
            )
        except ValueError as err:
            raise UserError("no_packet", entity_id=self.entity_id, error=err) from err
        await self._hub.transmit([packet], self._caller)
