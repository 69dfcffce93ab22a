"""Hubs as emitters and receivers of core's infrared platform, for integrations such as LG's."""

from collections.abc import Callable
from typing import override

from homeassistant.components.infrared import (
    PLATFORM_SCHEMA as INFRARED_PLATFORM_SCHEMA,
    InfraredCommand,
    InfraredEmitterEntity,
    InfraredReceivedSignal,
    InfraredReceiverEntity,
)
from homeassistant.const import EntityCategory
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .entities.entity import HubEntity, ReceiverEntity, async_add_if_able
from .entities.use import IrhubConfigEntry
from .errors import UserError
from .hub.library import Capability
from .ircodes import from_timings, to_timings
from .schema import hub_schema
from .yaml.hubs import async_use_in_yaml

PARALLEL_UPDATES = 0

PLATFORM_SCHEMA = INFRARED_PLATFORM_SCHEMA.extend(hub_schema(name="Broadlink infrared"))


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the emitter and the receiver of a hub in YAML."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        async_add_entities([Emitter(use), Receiver(use)])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the emitter of a hub that can transmit, and the receiver of one that can learn."""
    use = entry.runtime_data
    async_add_if_able(use, Capability.TRANSMIT, async_add_entities, Emitter)
    async_add_if_able(use, Capability.LEARN, async_add_entities, Receiver)


class Emitter(HubEntity, InfraredEmitterEntity):
    """A hub that transmits other integrations' infrared commands."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC  # for integrations, not for people
    _attr_translation_key = "emitter"

    @override
    async def async_send_command(self, command: InfraredCommand) -> None:
        """Transmit a command. Raise HubError, or UserError if it has no packet."""
        try:
            packet = from_timings(command.get_raw_timings())
        except ValueError as err:
            raise UserError("no_packet", entity_id=self.entity_id, error=err) from err
        await self._hub.transmit([packet], self._caller)


class Receiver(ReceiverEntity, InfraredReceiverEntity):
    """A hub that receives infrared for other integrations."""

    @override
    @callback
    def async_subscribe_received_signal(
        self, signal_callback: Callable[[InfraredReceivedSignal], None]
    ) -> CALLBACK_TYPE:
        """Call `signal_callback` for every received signal. Return a function that unsubscribes."""
        return self._subscribed(super().async_subscribe_received_signal(signal_callback))

    @override
    def _handle_packet(self, packet: bytes) -> None:
        self._handle_received_signal(InfraredReceivedSignal(to_timings(packet)))
