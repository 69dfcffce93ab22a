"""The event platform: remote controls that are followed, a press of theirs an event."""

from collections.abc import Callable, Mapping, Sequence
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

from .const import CONF_FREQUENCY, DOMAIN
from .devices.device import Command, Device, packets_of
from .entities.entity import FollowingEntity
from .entities.use import IrhubConfigEntry, Use
from .hub.following import Following
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
    """Add the remote control that a YAML entry follows."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        name = config[CONF_DEVICE]
        unique_id = use.unique_id(quote(name, safe=""))
        async_add_entities([FollowedRemote(use, name, unique_id, partial(use.devices.known, name))])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the remote controls that are followed, each with its device."""
    use = entry.runtime_data
    registries = use.registries
    there: set[str] = set()
    if not await use.devices.try_load():
        return

    def make(device: Device, use: Use) -> list[FollowedRemote]:
        remote = FollowedRemote(use, device.name, device.id, partial(use.devices.get, device.id))
        remote.async_on_remove(partial(left, device.id))
        return [remote]

    @callback
    def left(id_: str) -> None:
        """Forget one that has gone from the registry with its device; it may come back."""
        if registries.entity_id(Platform.EVENT, id_) is None:
            there.discard(id_)

    @callback
    def changed() -> None:
        followed = {id_: device for id_, device in use.devices.items() if device.settings.events}
        registries.remove_other_entities(Platform.EVENT, followed)
        there.intersection_update(followed)
        for id_, device in followed.items():
            if id_ not in there and not registries.lacks_subentry(device):
                there.add(id_)
                with use.apart(device, Platform.EVENT):
                    use.add(async_add_entities, device, partial(make, device))

    use.async_on_end(use.devices.async_add_listener(changed))
    changed()


class FollowedRemote(FollowingEntity, EventEntity):
    """A remote control whose commands were learned or imported; each is two event types.

    One is fired when its button is pressed, the other each time that it is heard while held.
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
        self._commands: Mapping[str, Command] = {}
        self._following: Following[str] = Following(
            use.hub,
            use.options.frequency,
            name,
            self._pressed,
            self._held,
            once_in_house=True,
        )

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub, the commands, and the remote control."""
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
        """Learn what to recognize."""
        device = self._read()
        self._commands = {} if device is None else device.commands
        commands = [*self._commands.values()]
        names = {command.name for command in commands}
        self._attr_event_types = sorted(names | {*map(_held_type, names)})
        self.async_write_ha_state()
        await self._following.follow(lambda: packets_of(commands))

    @callback
    def _pressed(self, commands: Sequence[str]) -> None:
        self._held(commands, 0)

    @callback
    def _held(self, commands: Sequence[str], count: int) -> None:
        if (command := self._commands.get(commands[0])) is None:
            return
        name = command.name
        attributes = {
            ATTR_COMMAND: name,
            ATTR_HELD: count,
            ATTR_HUB: self._hub.label,
            ATTR_RECEIVER: self._following.receiver,
        }
        self._trigger_event(_held_type(name) if count else name, attributes)
        self.async_write_ha_state()
        if not count:
            async_dispatcher_send(self.hass, signal_pressed(str(self.unique_id)), name)


def signal_pressed(device_id: str) -> str:
    """Return the signal of a followed remote control of a config entry: what was pressed."""
    return f"{DOMAIN}_pressed_{device_id}"


def _held_type(command: str) -> str:
    """Return the event type of a command whose button is held."""
    return f"{command} held"
