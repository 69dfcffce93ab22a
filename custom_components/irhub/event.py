"""The event platform: presses of followed remote controls."""

from collections.abc import Callable, Sequence, Set as AbstractSet
from functools import partial
import logging
from typing import Final, override
from urllib.parse import quote

from homeassistant.components.event import (
    PLATFORM_SCHEMA as EVENT_PLATFORM_SCHEMA,
    EventEntity,
)
from homeassistant.const import CONF_DEVICE, CONF_NAME, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .const import CONF_FREQUENCY
from .devices.device import Device, packets_of
from .devices.kinds import Kind
from .devices.press_reader import PressReader
from .devices.profile import profile_of
from .devices.rules import CommandRule, PacketRule
from .devices.thermostat import state_of_press
from .entities.device_setup import async_rule_of
from .entities.entity import FollowingEntity
from .entities.received_state import async_send_received, received_attributes, signal_pressed
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError
from .hub.following import Following, Recognize
from .ircodes import OFF, Off, State, read
from .schema import frequency_mhz, hub_schema
from .yaml.hubs import async_use_in_yaml

_LOGGER = logging.getLogger(__package__)

ATTR_COMMAND: Final = "command"
ATTR_HELD: Final = "held"
ATTR_HUB: Final = "hub"
ATTR_RECEIVER: Final = "receiver"

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = EVENT_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(),
        vol.Required(CONF_DEVICE): vol.All(cv.string, vol.Length(min=1)),
        vol.Optional(CONF_NAME): cv.string,
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
    }
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the remote control of a YAML entry."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        name = config[CONF_DEVICE]
        unique_id = use.unique_id(quote(name, safe=""))
        async_add_entities([FollowedRemote(use, name, unique_id, partial(use.devices.known, name))])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the followed remote controls of a hub's devices."""
    use = entry.runtime_data
    registries = use.registries
    added: set[str] = set()
    if not await use.devices.try_load():
        return

    def make(device: Device, use: Use) -> list[FollowedRemote]:
        remote = FollowedRemote(use, device.name, device.id, partial(use.devices.get, device.id))
        remote.async_on_remove(partial(removed, device.id))
        return [remote]

    @callback
    def removed(id_: str) -> None:
        """Handle a removed entity; if it is not registered any more, it may be added again."""
        if registries.entity_id(Platform.EVENT, id_) is None:
            added.discard(id_)

    @callback
    def changed() -> None:
        followed = {id_: device for id_, device in use.devices.items() if device.settings.events}
        registries.remove_other_entities(Platform.EVENT, followed)
        added.intersection_update(followed)
        for id_, device in followed.items():
            if id_ not in added and not registries.lacks_subentry(device):
                added.add(id_)
                with use.isolated_setup(device, Platform.EVENT):
                    use.add(async_add_entities, device, partial(make, device))

    use.async_on_end(use.devices.async_add_listener(changed))
    changed()


class FollowedRemote(FollowingEntity, EventEntity):
    """A remote control whose presses are events: commands, or states decoded by a rule.

    Each command, and each mode of a rule, has two event types: one for the press of its button, the
    other for each repetition while the button is held.
    """

    _attr_translation_key = "remote_control"

    def __init__(
        self, use: Use, name: str, unique_id: str, read: Callable[[], Device | None]
    ) -> None:
        super().__init__(use, name=use.name or name)
        self._attr_unique_id = unique_id
        self._attr_event_types = []
        self._devices = use.devices
        self._of = name
        self._read = read
        self._device: Device | None = None
        self._rule: CommandRule | PacketRule | None = None
        """The rule of an air conditioner; None for other kinds."""
        self._following: Following[str | State | Off] = Following(
            use.hub,
            use.options.frequency,
            name,
            self._pressed,
            self._held,
            first_receiver_only=True,
        )

    @override
    async def async_added_to_hass(self) -> None:
        """Track the hub and the stored commands, and follow the remote control."""
        await super().async_added_to_hass()
        if not await self._devices.try_load():
            return
        self.async_on_remove(self._following.end)
        self.async_on_remove(self._devices.async_add_listener(self._devices_changed))
        await self._read_commands()
        if not self.event_types:
            _LOGGER.warning(
                "%s follows nothing: the hub %s has no commands of the device %s",
                self.entity_id,
                self._hub.label,
                self._of,
            )

    @callback
    def _devices_changed(self) -> None:
        name = f"irhub: commands of {self.entity_id}"
        _ = self.hass.async_create_task(self._read_commands(), name)

    async def _read_commands(self) -> None:
        """Follow the current commands and states of the device."""
        device = self._read()
        if device is not None and device == self._device:
            return
        packet_rule = None if device is None else await self._packet_rule_of(device)
        self._device, self._rule = device, None
        if device is not None and device.kind is Kind.AIR_CONDITIONER:
            self._rule = profile_of(device, packet_rule).rule
        commands = [] if device is None else [*device.commands.values()]
        names = {command.name for command in commands}
        states = [] if self._rule is None else [*self._rule.capabilities, OFF.value]
        self._set_event_types(names.union([] if packet_rule is None else states))

        def decode() -> Recognize[str | State | Off] | None:
            reader = None if device is None else PressReader.of(device, packet_rule)
            return None if reader is None else reader.read

        await self._following.follow(lambda: [*packets_of(commands)], decode)
        if self._following.decode is not None:
            self._set_event_types(names.union(states))

    async def _packet_rule_of(self, device: Device) -> PacketRule | None:
        """Return the rule that decodes a device's packets, if any."""
        try:
            return await async_rule_of(self.hass, device)
        except UserError:  # reported by the climate platform, with a repair issue
            return None

    @callback
    def _pressed(self, received: Sequence[str | State | Off]) -> None:
        self._held(received, 0)

    @callback
    def _held(self, received: Sequence[str | State | Off], count: int) -> None:
        if (device := self._device) is None:
            return
        attributes: dict[str, str | float | None] = {}
        if isinstance(first := received[0], str):
            if (command := device.commands.get(first)) is None:
                return
            name = attributes[ATTR_COMMAND] = command.name
        else:
            name = OFF.value if isinstance(first, Off) else first.mode
        state = self._state_of(received)
        if self._rule is not None and state is not None:
            state_attributes = received_attributes(self.hass, state, self._rule.capabilities.unit)
            attributes |= state_attributes
            if not count:
                async_send_received(self.hass, str(self.unique_id), state_attributes)
        if name not in self._attr_event_types:  # a mode of the protocol that the rule lacks
            self._attr_event_types = sorted([*self._attr_event_types, name, _held_type(name)])
        attributes |= {
            ATTR_HELD: count,
            ATTR_HUB: self._hub.label,
            ATTR_RECEIVER: self._following.receiver,
        }
        self._trigger_event(_held_type(name) if count else name, attributes)
        self.async_write_ha_state()
        if not count and ATTR_COMMAND in attributes:
            async_dispatcher_send(self.hass, signal_pressed(str(self.unique_id)), name)

    @callback
    def _set_event_types(self, names: AbstractSet[str]) -> None:
        """Set the event types."""
        self._attr_event_types = sorted(names | {*map(_held_type, names)})
        self.async_write_ha_state()

    def _state_of(self, received: Sequence[str | State | Off]) -> State | Off | None:
        """Return the state that a press sets an air conditioner to; None if unknown."""
        rule, device, decode = self._rule, self._device, self._following.decode
        if rule is None or device is None:
            return None
        if (state := state_of_press(rule, received)) is not None:
            return state
        first = received[0]
        command = device.commands.get(first) if isinstance(first, str) else None
        if decode is None or command is None:
            return None
        return state_of_press(rule, decode(read(command.packets[0])))


def _held_type(command: str) -> str:
    """Return the event type for a held button."""
    return f"{command} held"
