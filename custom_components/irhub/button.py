"""The button platform: a button for each learned command."""

from collections.abc import Callable, Collection, Set as AbstractSet
from dataclasses import replace
from functools import partial
import re
from typing import Final, override

from homeassistant.components.button import (
    PLATFORM_SCHEMA as BUTTON_PLATFORM_SCHEMA,
    ButtonEntity,
)
from homeassistant.const import CONF_DEVICE, CONF_MAC, EntityCategory, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import (
    issue_registry as ir,
)
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .const import DOMAIN
from .devices.device import Command, Device
from .devices.kinds import FUNCTIONS, KINDS_OF_PLATFORMS, Kind
from .devices.meanings import with_meanings
from .devices.names import functions_of
from .devices.profile import profile_of
from .devices.state_names import states_of_names
from .entities.entity import HubEntity, SendingEntity, async_add_if_able
from .entities.press_targets import PressTargets
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError
from .hub.library import Capability
from .schema import hub_schema
from .yaml.hubs import DATA_YAML_HUBS, async_use_in_yaml

MAX_BUTTONS: Final = 100
"""A device with more commands gets no new buttons, since dashboards cannot show as many."""
MAX_SHOWN: Final = 12
"""A device of unknown kind with more commands hides its buttons from dashboards."""
MANY_STATES: Final = 30
"""With more states of an air conditioner, a thermostat is suggested instead of buttons."""
_LISTEN: Final = "listen"
"""Key of the hub's button *Listen for others*."""
_SIGN: Final = re.compile(r"\s*([+-])$")
_VOLUME: Final = re.compile(r"\bvol\b", re.IGNORECASE)

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = BUTTON_PLATFORM_SCHEMA.extend(hub_schema())


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the buttons of a hub in YAML, without registered devices."""
    if (use := async_use_in_yaml(hass, config)) is not None:

        @callback
        def add(_device: Device, make: Callable[[Use], list[CommandButton]]) -> None:
            async_add_entities(make(use))

        use.async_on_end(await Buttons(hass, use, add, has_devices=False).start())


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons of a hub's devices, and its own."""
    use = entry.runtime_data
    async_add_if_able(use, Capability.LEARN, async_add_entities, ListenButton)
    add = partial(use.add, async_add_entities)
    use.async_on_end(await Buttons(hass, use, add, has_devices=True).start())


class Buttons:
    """The buttons of one hub: one for each command of its devices.

    Commands that a device's entity uses have none, nor commands that the user has excluded. A
    device with very many commands keeps its buttons but gets no new ones. The unique id of a button
    is the id of its command, so that renaming keeps it. Buttons of deleted commands are removed
    from the entity registry, even after a restart.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        use: Use,
        add: Callable[[Device, Callable[[Use], list[CommandButton]]], object],
        *,
        has_devices: bool,
    ) -> None:
        self._hass = hass
        self._use = use
        self._add = add
        self._has_devices = has_devices
        """Whether buttons belong to registered devices: True for config entries, not for YAML."""
        self._registries = use.registries
        self._buttons: dict[str, CommandButton] = {}
        self._presses = PressTargets(hass)

    async def start(self) -> CALLBACK_TYPE:
        """Add the buttons, now and when commands change. Return a function that ends it."""
        ends = (
            self._use.devices.async_add_listener(self._changed),
            self._presses.async_follow(),
        )
        if await self._use.devices.try_load():
            self._changed()

        @callback
        def end() -> None:
            for unsubscribe in ends:
                unsubscribe()

        return end

    @callback
    def _changed(self) -> None:
        ids_by_device: dict[str, list[str]] = {}
        for device in self._use.devices.values():
            ids_by_device[device.id] = [*device.commands]  # kept if the set-up fails
            with self._use.isolated_setup(device, Platform.BUTTON):
                ids_by_device[device.id] = self._command_ids(device)
        ids = {
            self._use.unique_id(_LISTEN),
            *(id_ for ids in ids_by_device.values() for id_ in ids),
        }
        for id_ in self._buttons.keys() - ids:
            del self._buttons[id_]
        self._registries.remove_other_entities(Platform.BUTTON, ids)
        for device in self._use.devices.values():
            with self._use.isolated_setup(device, Platform.BUTTON):
                self._keep(device, ids_by_device[device.id])
                if self._has_devices:
                    self._offer_air_conditioner(device)

    def _command_ids(self, device: Device) -> list[str]:
        """Return the ids of a device's commands that have a button."""
        if self._has_devices and device.entity is not None:
            if self._registries.lacks_subentry(device):
                return []  # added once the subentry exists
            used: AbstractSet[str] = profile_of(device).used
            buttons = device.settings.buttons
            return [
                id_
                for id_ in device.commands
                if id_ not in used and (buttons is None or id_ in buttons)
            ]
        used = {id_ for kind in self._kinds_in_yaml(device) for id_ in _used_as(kind, device)}
        left = [id_ for id_ in device.commands if id_ not in used]
        if len(left) > MAX_BUTTONS:
            return [id_ for id_ in left if self._entity_id(id_)]
        return left

    def _kinds_in_yaml(self, device: Device) -> list[Kind]:
        """Return the kinds of a device's entities in YAML."""
        domains = self._hass.data[DATA_YAML_HUBS].appliances(self._use.settings.mac, device.name)
        return [KINDS_OF_PLATFORMS[domain] for domain in domains]

    def _keep(self, device: Device, command_ids: Collection[str]) -> None:
        """Add the missing buttons of these commands, and update the names of the others."""
        new: list[Command] = []
        for id_ in command_ids:
            command = device.commands[id_]
            if (button := self._buttons.get(id_)) is None:
                new.append(command)
            elif button.rename(device, command):
                self._registries.move_entity(Platform.BUTTON, id_, button.name, device)
        if new:
            hidden = self._hidden(device, command_ids) if self._has_devices else set[str]()
            self._add(
                device, lambda use: [self._button(use, device, command, hidden) for command in new]
            )

    def _hidden(self, device: Device, command_ids: Collection[str]) -> AbstractSet[str]:
        """Return the commands whose buttons, if new, are hidden from dashboards.

        They would fill the page of an area. But none is hidden if the user has chosen the buttons,
        or if one of them is already shown: by the user, or by a version before 0.5.0.
        """
        if device.settings.buttons is not None:
            return set()
        hidden = {id_ for id_ in command_ids if id_ not in functions_of_kind(device)}
        if device.kind is Kind.OTHER and len(command_ids) <= MAX_SHOWN:
            return set()
        is_shown = partial(self._registries.is_shown, Platform.BUTTON)
        return set() if any(map(is_shown, hidden)) else hidden

    def _button(
        self, use: Use, device: Device, command: Command, hidden: AbstractSet[str]
    ) -> CommandButton:
        button = CommandButton(
            use, self._presses, device, command, is_shown=command.id not in hidden
        )
        self._buttons[command.id] = button
        button.async_on_remove(partial(self._button_removed, command.id))
        return button

    @callback
    def _button_removed(self, id_: str) -> None:
        """Handle a removed button; if it is not registered any more, it may be added again."""
        if self._entity_id(id_) is None:
            self._buttons.pop(id_, None)

    def _offer_air_conditioner(self, device: Device) -> None:
        settled = device.entity is not None or self._kinds_in_yaml(device)
        _update_air_conditioner_issue(
            self._hass,
            self._use.unique_id(),
            device,
            self._use.devices.label(device),
            0 if settled else _count_states(device),
        )

    def _entity_id(self, id_: str) -> str | None:
        return self._registries.entity_id(Platform.BUTTON, id_)


class CommandButton(SendingEntity, ButtonEntity):
    """Button that transmits a command; alternating commands share their state with the remote."""

    # No entity category, since that would hide it from dashboards. Therefore `async_press` must
    # refuse actions that target a whole area.

    def __init__(
        self, use: Use, presses: PressTargets, device: Device, command: Command, *, is_shown: bool
    ) -> None:
        super().__init__(use)
        self._attr_entity_registry_visible_default = is_shown
        self._presses = presses
        self._attr_unique_id = command.id
        self._saved_device, self._command = device, command
        self._set_name()

    @property
    @override
    def device(self) -> Device:
        return self._use.devices.latest(self._saved_device)

    def rename(self, device: Device, command: Command) -> bool:
        """Update the command. Return whether the button's name or device has changed."""
        before = self._saved_device.id, self._attr_name
        self._saved_device, self._command = device, command
        self._set_name()
        return before != (device.id, self._attr_name)

    def _set_name(self) -> None:
        name = self._command.name
        self._attr_name = name if self.has_entity_name else f"{self._saved_device.name} {name}"
        known = (
            key for key, id_ in self._saved_device.functions.items() if id_ == self._command.id
        )
        self._attr_translation_key = icon_key(name, next(known, None))

    @property
    @override
    def suggested_object_id(self) -> str | None:
        """Return the name for the entity id, with the signs of "vol +" and "vol -" spelled out."""
        return _with_sign_as_word(str(self.name))

    @override
    async def async_press(self) -> None:
        """Transmit the command. Raise HubError if the hub does not confirm.

        Raise UserError if an action has targeted only the button's area or device.
        """
        if not self._presses.names(self.entity_id, self._context):
            raise UserError("not_named", entity_id=self.entity_id)
        await self._use.devices.sender.send(self._hub, self.device, [self._command], self._context)


class ListenButton(HubEntity, ButtonEntity):
    """Button that lets the hub listen for other integrations for a while."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_translation_key = "listen"

    def __init__(self, use: Use) -> None:
        super().__init__(use, key=_LISTEN)
        self._receiver = use.own_hub.receiver

    @override
    async def async_press(self) -> None:
        """Listen. Raise UserError if the hub is configured never to listen for others."""
        self._receiver.async_listen_for_others()


def functions_of_kind(device: Device) -> AbstractSet[str]:
    """Return the ids of the commands with a function that Home Assistant's entity supports."""
    traits = device.kind.traits
    with_value = {name for name, values in traits.values.items() if values.is_shown}
    return {
        id_
        for function, id_ in device.functions.items()
        if function in traits.functions or function.partition(" ")[0] in with_value
    }


def _used_as(kind: Kind, device: Device) -> AbstractSet[str]:
    """Return the ids of the commands that an entity of a kind would use."""
    as_kind = replace(device, kind=kind, functions={})
    return profile_of(with_meanings(as_kind, device.commands.values())).used


def _count_states(device: Device) -> int:
    """Return the number of air conditioner states among the commands; 0 if there are few."""
    if len(device.commands) <= MANY_STATES:
        return 0
    return len({*states_of_names(device.by_name).values()})


@callback
def _update_air_conditioner_issue(
    hass: HomeAssistant, mac: str, device: Device, label: str, states: int
) -> None:
    """Update the repair issue that offers to turn a device into an air conditioner."""
    issue = air_conditioner_issue(mac, device.id)
    if states <= MANY_STATES:
        ir.async_delete_issue(hass, DOMAIN, issue)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue,
        data={CONF_MAC: mac, CONF_DEVICE: device.id},
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key="appliance",
        translation_placeholders={"device": label, "count": str(states)},
    )


def air_conditioner_issue(mac: str, device_id: str) -> str:
    """Return the id of the repair issue that offers to turn a device into an air conditioner."""
    return f"appliance_{mac}_{device_id}"


def icon_key(command: str, function: str | None = None) -> str:
    """Return the translation key for a button's icon, by its function or its command's name."""
    if function is None:
        function = next(iter(functions_of(Kind.TELEVISION, [command])), "command")
    prefix, _, value = function.partition(" ")
    if prefix == "digit":
        return f"digit_{value}"
    return prefix if prefix in FUNCTIONS else "command"


def _with_sign_as_word(name: str) -> str:
    """Return a name with a final sign as word, since an entity id has no signs."""
    spelled = _SIGN.sub(lambda sign: " up" if sign[1] == "+" else " down", name)
    return spelled if spelled == name else _VOLUME.sub("volume", spelled)
