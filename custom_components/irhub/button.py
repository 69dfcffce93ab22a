"""The button platform: a button for each learned command."""

from collections.abc import Set as AbstractSet
import logging
from typing import override
from urllib.parse import quote

from homeassistant.components.button import (
    PLATFORM_SCHEMA as BUTTON_PLATFORM_SCHEMA,
    ButtonEntity,
)
from homeassistant.const import CONF_MAC, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .codes.codes import Codes, Moves
from .codes.files import Name
from .const import CONF_DEVICE_INFO, DOMAIN
from .devices import HubDevices
from .entity import HubEntity
from .entry import IrhubConfigEntry, entity_config
from .errors import StorageFailedError
from .hub.hub import Hub
from .hub.hubs import DATA_HUBS, YAML, async_get_hub
from .schema import hub_schema

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = BUTTON_PLATFORM_SCHEMA.extend(hub_schema())


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the buttons of one hub, without devices."""
    if (hub := async_get_hub(hass, config)) is not None:
        hubs = hass.data[DATA_HUBS]
        buttons = Buttons(hub, hubs.codes(config[CONF_MAC]), config, async_add_entities)
        hubs.async_on_release(YAML, await buttons.follow())


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons of one hub, each with the device that its command was learned for."""
    data, config = entry.runtime_data, entity_config(entry, PLATFORM_SCHEMA)
    buttons = Buttons(data.hub, data.codes, config, async_add_entities, data.devices)
    # Not on the entry's unloading: that ends nothing when it is cancelled, and the codes live on.
    hass.data[DATA_HUBS].async_on_release(entry.entry_id, await buttons.follow())


class Buttons:
    """The buttons of one hub: one for each command it has learned.

    A renamed command keeps its button, under the new name and the same entity id. A deleted
    one's button leaves the entity registry, even if it was deleted in another run.
    """

    def __init__(
        self,
        hub: Hub,
        codes: Codes,
        config: ConfigType,
        add: AddEntitiesCallback | AddConfigEntryEntitiesCallback,
        devices: HubDevices | None = None,
    ) -> None:
        self._hub = hub
        self._codes = codes
        self._config = config
        self._mac: str = config[CONF_MAC]
        self._add = add
        self._devices = devices
        self._registry = er.async_get(hub.hass)
        self._buttons: dict[Name, CommandButton] = {}

    async def follow(self) -> CALLBACK_TYPE:
        """Make the buttons, and follow what is learned. Return what ends that."""
        end = self._codes.async_add_listener(self._changed)
        try:
            await self._codes.load()
        except StorageFailedError as err:
            _LOGGER.error("%s", err)  # noqa: TRY400  (the sentence says it all)
        else:
            self._changed({})
        return end

    @callback
    def _changed(self, moved: Moves) -> None:
        commands = self._codes.commands
        names = {(device, command) for device in commands for command in commands[device]}
        for old, new in moved.items():
            self._rename(old, new)
        self._forget_all_but(names)
        if missing := sorted(names - self._buttons.keys()):
            added = {name: self._make(name) for name in missing}
            self._buttons |= added
            self._add(added.values())
        if self._devices is not None:
            self._devices.keep_learned(commands)

    def _make(self, name: Name) -> CommandButton:
        config = self._config
        if self._devices is not None:
            device = self._devices.register_learned(name[0])
            config = {**config, CONF_DEVICE_INFO: DeviceInfo(identifiers=device.identifiers)}
        return CommandButton(self._hub, self._codes, config, name)

    def _rename(self, old: Name, new: Name) -> None:
        if (button := self._buttons.pop(old, None)) is None:
            return
        self._buttons[new] = button
        entity_id = self._registry.async_get_entity_id(
            Platform.BUTTON, DOMAIN, unique_id(self._mac, old)
        )
        button.rename(new)
        if entity_id is None:
            return
        self._registry.async_update_entity(
            entity_id, new_unique_id=unique_id(self._mac, new), original_name=button.name
        )
        if self._devices is not None:
            device = self._devices.follow_learned(old[0], new[0], self._codes.commands)
            self._registry.async_update_entity(entity_id, device_id=device.id)

    def _forget_all_but(self, names: AbstractSet[Name]) -> None:
        for name in self._buttons.keys() - names:
            del self._buttons[name]
        unique_ids = {unique_id(self._mac, name) for name in names}
        for entry in list(self._registry.entities.values()):
            if (
                entry.platform == DOMAIN
                and entry.domain == Platform.BUTTON
                and entry.unique_id.startswith(f"{self._mac}-")
                and entry.unique_id not in unique_ids
            ):
                self._registry.async_remove(entry.entity_id)


class CommandButton(HubEntity, ButtonEntity):
    """A learned command: pressed, it is transmitted; it alternates together with the remote."""

    _attr_translation_key = "command"

    def __init__(self, hub: Hub, codes: Codes, config: ConfigType, name: Name) -> None:
        super().__init__(hub, config)
        self._codes = codes
        self._mac: str = config[CONF_MAC]
        self.rename(name)

    def rename(self, name: Name) -> None:
        """Be the button of the command under this name from now on."""
        self._command = name
        self._attr_unique_id = unique_id(self._mac, name)
        self._attr_name = name[1] if self.has_entity_name else " ".join(name)

    @override
    async def async_press(self) -> None:
        """Transmit the command. Raise HubError if the hub does not confirm."""
        await self._codes.send(self._hub, [self._codes.find(*self._command)])


def unique_id(mac: str, name: Name) -> str:
    """Return the unique id of a command's button: no two commands share one."""
    device, command = (quote(part, safe="") for part in name)
    return f"{mac}-{device}/{command}"
