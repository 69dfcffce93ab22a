"""Hubs with a radio as transmitters of core's radio frequency platform."""

from typing import override

from homeassistant.components.radio_frequency import (
    PLATFORM_SCHEMA as RADIO_FREQUENCY_PLATFORM_SCHEMA,
    RadioFrequencyCommand,
    RadioFrequencyTransmitterEntity,
)

from .entity import HubEntity, one_per_hub
from .errors import UserError
from .hub.library import Capability
from .packets.packet import BANDS_HZ, from_radio_timings
from .schema import hub_schema

PARALLEL_UPDATES = 0

PLATFORM_SCHEMA = RADIO_FREQUENCY_PLATFORM_SCHEMA.extend(hub_schema(name="Broadlink radio"))


class Transmitter(HubEntity, RadioFrequencyTransmitterEntity):
    """A hub that transmits other integrations' radio commands (OOK)."""

    _attr_translation_key = "transmitter"

    @property
    @override
    def supported_frequency_ranges(self) -> list[tuple[int, int]]:
        """Return the hubs' bands, in Hz."""
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
        await self._hub.transmit([packet])


async_setup_platform, async_setup_entry = one_per_hub(
    PLATFORM_SCHEMA, Capability.RADIO, Transmitter
)
