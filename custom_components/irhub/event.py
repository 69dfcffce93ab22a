"""The event platform: remote controls that are followed, a press of theirs an event."""

from collections.abc import Sequence
import logging
from typing import override
from urllib.parse import quote

from homeassistant.components.event import (
    PLATFORM_SCHEMA as EVENT_PLATFORM_SCHEMA,
    EventEntity,
)
from homeassistant.const import CONF_DEVICE, CONF_NAME, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .const import CONF_FOLLOWED, CONF_FREQUENCY, DOMAIN
from .devices.learned import Moves, packets_of
from .entity import ListeningEntity
from .entry import IrhubConfigEntry, async_reload_soon
from .hub.following import Following
from .hub_use import HubUse, async_use_in_yaml
from .schema import frequency_mhz, hub_schema

_LOGGER = logging.getLogger(__package__)

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
        async_add_entities([FollowedRemote(use, config[CONF_DEVICE])])


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the remote controls that the options name, each with the device of its commands."""
    use = entry.runtime_data
    if not await use.codes.try_load():
        return
    followed = [device for device in use.options.followed if device in use.codes.commands]
    remotes = [
        FollowedRemote(
            use, device, DeviceInfo(identifiers=use.devices.register_learned(device).identifiers)
        )
        for device in followed
    ]
    _forget_others(hass, entry, {str(remote.unique_id) for remote in remotes})
    async_add_entities(remotes)

    @callback
    def changed(moved: Moves) -> None:
        """Follow what is followed under its new name."""
        commands = use.codes.commands
        new = {old: new for (old, _), (new, _) in moved.items() if old not in commands}
        if new.keys() & set(followed):
            follow = [new.get(device, device) for device in followed]
            for old, device in new.items():
                _rename(hass, unique_id(use, old), unique_id(use, device))
            hass.config_entries.async_update_entry(
                entry, options={**entry.options, CONF_FOLLOWED: follow}
            )
            async_reload_soon(hass, entry)

    use.async_on_end(use.codes.async_add_listener(changed))


def _forget_others(hass: HomeAssistant, entry: IrhubConfigEntry, present: set[str]) -> None:
    """Remove the entities of what is followed no more."""
    registry = er.async_get(hass)
    for registered in er.async_entries_for_config_entry(registry, entry.entry_id):
        if registered.domain == Platform.EVENT and registered.unique_id not in present:
            registry.async_remove(registered.entity_id)


def _rename(hass: HomeAssistant, old: str, new: str) -> None:
    registry = er.async_get(hass)
    entity_id = registry.async_get_entity_id(Platform.EVENT, DOMAIN, old)
    if entity_id is not None and registry.async_get_entity_id(Platform.EVENT, DOMAIN, new) is None:
        registry.async_update_entity(entity_id, new_unique_id=new)


def unique_id(use: HubUse, device: str) -> str:
    """Return the unique id of the remote control of a device."""
    return use.unique_id(quote(device, safe=""))


class FollowedRemote(ListeningEntity, EventEntity):
    """A remote control whose commands were learned or imported; each is an event type."""

    _attr_translation_key = "remote_control"

    def __init__(self, use: HubUse, device: str, belongs_to: DeviceInfo | None = None) -> None:
        super().__init__(use, name=use.name or device)
        self._attr_unique_id = unique_id(use, device)
        if belongs_to is not None:
            self._attr_device_info = belongs_to
        self._attr_event_types = []
        self._codes = use.codes
        self._device = device
        self._following = Following(use.hub, use.options.frequency, self._pressed)

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub, the commands, and the remote control."""
        await super().async_added_to_hass()
        if not await self._codes.try_load():
            return
        self.async_on_remove(self._following.end)
        self.async_on_remove(self._codes.async_add_listener(self._codes_changed))
        await self._read_commands()
        if not self.event_types:
            _LOGGER.warning(
                "%s follows nothing: the hub %s has no commands of the device %s",
                self.entity_id,
                self._hub.label,
                self._device,
            )

    @callback
    def _codes_changed(self, _moved: Moves) -> None:
        name = f"irhub: commands of {self.entity_id}"
        _ = self.hass.async_create_task(self._read_commands(), name)

    async def _read_commands(self) -> None:
        """Learn what to recognize."""
        commands = dict(self._codes.commands.get(self._device, {}))
        self._attr_event_types = sorted(commands)
        self.async_write_ha_state()
        await self._following.follow(lambda: list(packets_of(commands)))

    @callback
    def _pressed(self, commands: Sequence[str]) -> None:
        if (command := commands[0]) in self.event_types:
            self._trigger_event(command)
            self.async_write_ha_state()
