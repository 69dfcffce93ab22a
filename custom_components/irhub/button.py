"""The button platform: a button for each learned command."""

from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
import re
from typing import Final, override
from urllib.parse import quote

from homeassistant.components.button import (
    PLATFORM_SCHEMA as BUTTON_PLATFORM_SCHEMA,
    ButtonEntity,
)
from homeassistant.config_entries import ConfigSubentry
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .appliances.buttons import (
    MAX_BUTTONS,
    async_tell_of_air_conditioner,
    unused_by,
    unused_with_button,
)
from .const import DOMAIN
from .devices.files import CommandName
from .devices.learned import Moves
from .devices.names import Kind, functions_of, words_of
from .entity import SendingEntity
from .entry import IrhubConfigEntry
from .hub_use import DATA_YAML_HUBS, HubUse, async_use_in_yaml
from .schema import hub_schema

_SIGN: Final = re.compile(r"\s*([+-])$")
_VOLUME: Final = re.compile(r"\bvol\b", re.IGNORECASE)
_KEYS_OF_WORDS: Final = {
    "up": {"up", "cursor up", "arrow up", "hoch", "omhoog", "arriba", "haut"},
    "down": {"down", "cursor down", "arrow down", "runter", "omlaag", "abajo", "bas"},
    "left": {"left", "cursor left", "arrow left", "links", "izquierda", "gauche"},
    "right": {"right", "cursor right", "arrow right", "rechts", "derecha", "droite"},
    "ok": {"ok", "enter", "select"},
    "back": {"back", "return", "exit", "zuruck", "terug", "volver", "retour"},
    "home": {"home", "inicio", "accueil"},
    "menu": {"menu"},
    "source": {"source", "input", "quelle", "bron", "fuente"},
}
"""What functions of appliances leave out: the key of an icon → the names of commands."""
_KEYS_OF_FUNCTIONS: Final = {
    *("toggle", "on", "off", "volume_up", "volume_down", "mute", "source"),
    *("next", "previous", "play", "pause", "stop"),
}

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = BUTTON_PLATFORM_SCHEMA.extend(hub_schema())


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the buttons of a hub in YAML, without devices."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        use.async_on_end(await Buttons(hass, use, async_add_entities).start())


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons of one hub, each with the device that its command was learned for."""
    use = entry.runtime_data
    use.async_on_end(await Buttons(hass, use, async_add_entities, entry).start())


class Buttons:
    """The buttons of one hub: one for each command it has learned.

    What an appliance uses has none, nor what else its user does not want to have one. Of a
    device with very many commands only those have a button that had one before. A renamed
    command keeps its button, under the new name and the same entity id. A deleted one's button
    leaves the entity registry, even if it was deleted in another run.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        use: HubUse,
        add: Callable[..., None],
        entry: IrhubConfigEntry | None = None,
    ) -> None:
        self._hass = hass
        self._use = use
        self._codes = use.codes
        self._add = add
        self._entry = entry
        self._devices = None if entry is None else entry.runtime_data.devices
        self._registry = er.async_get(hass)
        self._buttons: dict[CommandName, CommandButton] = {}

    async def start(self) -> CALLBACK_TYPE:
        """Make the buttons, now and whenever commands change. Return what ends that."""
        end = self._codes.async_add_listener(self._changed)
        if await self._codes.try_load():
            self._changed({})
        return end

    @callback
    def _changed(self, moved: Moves) -> None:
        for old, new in moved.items():
            self._rename(old, new)
        names = self._wanted()
        self._forget_all_but(names)
        missing = sorted(names - self._buttons.keys())
        for device, of_device in groupby(missing, key=itemgetter(0)):
            self._make(device, [*of_device])
        if self._devices is not None:
            without = [name for name, one in self._appliances.items() if "protocol" in one.data]
            self._devices.keep_learned([*self._codes.commands, *without])

    def _wanted(self) -> set[CommandName]:
        """Return the commands that have a button."""
        appliances, becoming = self._appliances, self._becoming
        yaml_hubs = self._hass.data[DATA_YAML_HUBS]
        names: set[CommandName] = set()
        for device, commands in self._codes.commands.items():
            in_yaml = yaml_hubs.appliances(self._use.settings.mac, device)
            left = unused_by(in_yaml, commands)
            if (subentry := appliances.get(device)) is not None:
                wanted: Iterable[str] = unused_with_button(subentry.data, commands)
            elif device in becoming:
                wanted = ()
            elif len(left) > MAX_BUTTONS:
                wanted = (command for command in left if self._entity_id((device, command)))
            else:
                wanted = left
            names.update((device, command) for command in wanted)
            if self._entry is not None:
                mac = self._use.unique_id()
                settled = subentry is not None or in_yaml or device in becoming
                of_none = {} if settled else commands
                async_tell_of_air_conditioner(self._hass, mac, device, of_none)
        return names

    @property
    def _appliances(self) -> Mapping[str, ConfigSubentry]:
        """Return device → subentry."""
        if self._entry is None:
            return {}
        return {subentry.title: subentry for subentry in self._entry.subentries.values()}

    @property
    def _becoming(self) -> AbstractSet[str]:
        return set() if self._entry is None else self._entry.runtime_data.becoming

    def _make(self, device: str, names: Iterable[CommandName]) -> None:
        use, add = self._use, self._add
        if self._devices is not None and self._entry is not None:
            subentry = self._appliances.get(device)
            subentry_id = None if subentry is None else subentry.subentry_id
            registered = self._devices.register_learned(device, subentry_id)
            use = replace(use, device=DeviceInfo(identifiers=registered.identifiers))
            add = partial(self._add, config_subentry_id=subentry_id)
        added = {name: CommandButton(use, name) for name in names}
        self._buttons |= added
        add(added.values())

    def _entity_id(self, name: CommandName) -> str | None:
        return self._registry.async_get_entity_id(
            Platform.BUTTON, DOMAIN, unique_id(self._use, name)
        )

    def _rename(self, old: CommandName, new: CommandName) -> None:
        if (button := self._buttons.pop(old, None)) is None:
            return
        self._buttons[new] = button
        entity_id = self._entity_id(old)
        button.rename(new)
        if entity_id is None:
            return
        self._registry.async_update_entity(
            entity_id, new_unique_id=unique_id(self._use, new), original_name=button.name
        )
        if self._devices is not None:
            device = self._devices.move_learned(old[0], new[0], self._codes.commands)
            self._registry.async_update_entity(entity_id, device_id=device.id)

    def _forget_all_but(self, names: AbstractSet[CommandName]) -> None:
        for name in self._buttons.keys() - names:
            del self._buttons[name]
        unique_ids = {unique_id(self._use, name) for name in names}
        for entry in list(self._registry.entities.values()):
            if (
                entry.platform == DOMAIN
                and entry.domain == Platform.BUTTON
                and entry.unique_id.startswith(self._use.unique_id(""))
                and entry.unique_id not in unique_ids
            ):
                self._registry.async_remove(entry.entity_id)


class CommandButton(SendingEntity, ButtonEntity):
    """A learned command: pressed, it is transmitted; it alternates together with the remote."""

    # What has a category is left out when an action's target is an area or a device: else
    # "Press button" in a room would press all of them.
    _attr_entity_category = EntityCategory.CONFIG

    def __init__(self, use: HubUse, name: CommandName) -> None:
        super().__init__(use)
        self._use = use
        self.rename(name)

    @property
    @override
    def _emitter(self) -> str | None:
        return self._codes.emitter_of(self._command[0])

    def rename(self, name: CommandName) -> None:
        """Be the button of the command under this name from now on."""
        self._command = name
        self._attr_unique_id = unique_id(self._use, name)
        self._attr_name = name[1] if self.has_entity_name else " ".join(name)
        self._attr_translation_key = icon_key(name[1])

    @property
    @override
    def suggested_object_id(self) -> str | None:
        """Return what becomes the entity id: "vol +" and "vol -" are told apart in it."""
        return _spelled(str(self.name))

    @override
    async def async_press(self) -> None:
        """Transmit the command. Raise HubError if the hub does not confirm."""
        packet = self._codes.find(*self._command)
        await self._codes.send(self._hub, [packet], self._context, emitter=self._emitter)


def unique_id(use: HubUse, name: CommandName) -> str:
    """Return the unique id of a command's button: no two commands share one."""
    device, command = (quote(part, safe="") for part in name)
    return use.unique_id(f"{device}/{command}")


def icon_key(command: str) -> str:
    """Return the key of a button's icon: what its command does, as far as its name says."""
    words = words_of(command)
    for key, known in _KEYS_OF_WORDS.items():
        if words in known:
            return key
    function = next(iter(functions_of(Kind.MEDIA_PLAYER, [command])), "command")
    what, _, value = function.partition(" ")
    if what == "digit":
        return f"digit_{value}"
    return what if what in _KEYS_OF_FUNCTIONS else "command"


def _spelled(name: str) -> str:
    """Return a name without the signs that an entity id would lose."""
    spelled = _SIGN.sub(lambda sign: " up" if sign[1] == "+" else " down", name)
    return spelled if spelled == name else _VOLUME.sub("volume", spelled)
