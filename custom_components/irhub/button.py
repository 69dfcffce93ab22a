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
"""A device with more commands gets no new buttons: a page shows no thousand of them."""
MAX_SHOWN: Final = 12
"""A device of which nobody has said what it is shows so many buttons on dashboards."""
MANY_STATES: Final = 30
"""From this many states of an air conditioner on, a thermostat is suggested instead of buttons."""
_LISTEN: Final = "listen"
"""The key of the hub's own button."""
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
    """Add the buttons of a hub in YAML, without devices."""
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
    """Add the buttons of one hub, each with its device, and its own."""
    use = entry.runtime_data
    async_add_if_able(use, Capability.LEARN, async_add_entities, ListenButton)
    add = partial(use.add, async_add_entities)
    use.async_on_end(await Buttons(hass, use, add, has_devices=True).start())


class Buttons:
    """The buttons of one hub: one for each command of its devices.

    What a device's entity uses has none, nor what else its user does not want to have one. Of a
    device with very many commands only those have a button that had one before. A button is
    known by its command's id, so that it stays whatever is renamed. A deleted command's button
    leaves the entity registry, even if it was deleted in another run.
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
        """Whether the hub is of a config entry; in YAML it has buttons alone."""
        self._registries = use.registries
        self._buttons: dict[str, CommandButton] = {}
        self._presses = PressTargets(hass)

    async def start(self) -> CALLBACK_TYPE:
        """Make the buttons, now and whenever commands change. Return what ends that."""
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
            ids_by_device[device.id] = [*device.commands]  # of one that fails none goes
            with self._use.apart(device, Platform.BUTTON):
                ids_by_device[device.id] = self._command_ids(device)
        ids = {
            self._use.unique_id(_LISTEN),
            *(id_ for ids in ids_by_device.values() for id_ in ids),
        }
        for id_ in self._buttons.keys() - ids:
            del self._buttons[id_]
        self._registries.remove_other_entities(Platform.BUTTON, ids)
        for device in self._use.devices.values():
            with self._use.apart(device, Platform.BUTTON):
                self._keep(device, ids_by_device[device.id])
                if self._has_devices:
                    self._offer_air_conditioner(device)

    def _command_ids(self, device: Device) -> list[str]:
        """Return the commands of a device that have a button, by their ids."""
        if self._has_devices and device.entity is not None:
            if self._registries.lacks_subentry(device):
                return []  # it comes, and with it the device that they belong to
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
        """Return what YAML says a device is."""
        domains = self._hass.data[DATA_YAML_HUBS].appliances(self._use.settings.mac, device.name)
        return [KINDS_OF_PLATFORMS[domain] for domain in domains]

    def _keep(self, device: Device, command_ids: Collection[str]) -> None:
        """Give each of these commands its button, under the current names."""
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
        """Return the commands whose buttons are hidden from dashboards, should they be new.

        They would fill the page of a room. If one of them is shown, its user wants to have them
        there, or it is from a version before 0.5.0, so the others are shown, too.
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
        button.async_on_remove(partial(self._left, command.id))
        return button

    @callback
    def _left(self, id_: str) -> None:
        """Forget a button that has gone from the registry with its device; it may come back."""
        if self._entity_id(id_) is None:
            self._buttons.pop(id_, None)

    def _offer_air_conditioner(self, device: Device) -> None:
        settled = device.entity is not None or self._kinds_in_yaml(device)
        _tell_of_air_conditioner(
            self._hass,
            self._use.unique_id(),
            device,
            self._use.devices.label(device),
            0 if settled else _count_states(device),
        )

    def _entity_id(self, id_: str) -> str | None:
        return self._registries.entity_id(Platform.BUTTON, id_)


class CommandButton(SendingEntity, ButtonEntity):
    """A command: pressed, it is transmitted; it alternates together with the remote."""

    # A category would hide it from dashboards. Without one, "Press button" in a room would press
    # all of them: see `async_press`.

    def __init__(
        self, use: Use, presses: PressTargets, device: Device, command: Command, *, is_shown: bool
    ) -> None:
        super().__init__(use)
        self._attr_entity_registry_visible_default = is_shown
        self._presses = presses
        self._attr_unique_id = command.id
        self._of, self._command = device, command
        self._name_it()

    @property
    @override
    def device(self) -> Device:
        return self._use.devices.latest(self._of)

    def rename(self, device: Device, command: Command) -> bool:
        """Take over the command as it is now. Return whether the button has another name."""
        before = self._of.id, self._attr_name
        self._of, self._command = device, command
        self._name_it()
        return before != (device.id, self._attr_name)

    def _name_it(self) -> None:
        name = self._command.name
        self._attr_name = name if self.has_entity_name else f"{self._of.name} {name}"
        known = (key for key, id_ in self._of.functions.items() if id_ == self._command.id)
        self._attr_translation_key = icon_key(name, next(known, None))

    @property
    @override
    def suggested_object_id(self) -> str | None:
        """Return what becomes the entity id: "vol +" and "vol -" are told apart in it."""
        return _spelled(str(self.name))

    @override
    async def async_press(self) -> None:
        """Transmit the command. Raise HubError if the hub does not confirm.

        Raise UserError if an action has named no more than the button's room or device.
        """
        if not self._presses.names(self.entity_id, self._context):
            raise UserError("not_named", entity_id=self.entity_id)
        await self._use.devices.sender.send(self._hub, self.device, [self._command], self._context)


class ListenButton(HubEntity, ButtonEntity):
    """Pressed, the hub listens for other integrations for a while."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_translation_key = "listen"

    def __init__(self, use: Use) -> None:
        super().__init__(use, key=_LISTEN)
        self._receiver = use.own_hub.receiver

    @override
    async def async_press(self) -> None:
        """Listen. Raise UserError if the hub never does for others."""
        self._receiver.async_listen_for_others()


def functions_of_kind(device: Device) -> AbstractSet[str]:
    """Return the commands that do what Home Assistant knows of such a device, by their ids."""
    traits = device.kind.traits
    with_value = {name for name, of in traits.values.items() if of.is_shown}
    return {
        id_
        for function, id_ in device.functions.items()
        if function in traits.functions or function.partition(" ")[0] in with_value
    }


def _used_as(kind: Kind, device: Device) -> AbstractSet[str]:
    """Return the commands that an entity of a kind would use."""
    as_kind = replace(device, kind=kind, functions={})
    return profile_of(with_meanings(as_kind, device.commands.values())).used


def _count_states(device: Device) -> int:
    """Return how many states of an air conditioner a device's commands are, if they are many."""
    if len(device.commands) <= MANY_STATES:
        return 0
    return len({*states_of_names(device.by_name).values()})


@callback
def _tell_of_air_conditioner(
    hass: HomeAssistant, mac: str, device: Device, label: str, states: int
) -> None:
    """Create a repair that offers to make a device with very many states an air conditioner."""
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
    """Return the id of the repair that offers to make a device an air conditioner."""
    return f"appliance_{mac}_{device_id}"


def icon_key(command: str, function: str | None = None) -> str:
    """Return the key of a button's icon: its function, or what the name of its command says."""
    if function is None:
        function = next(iter(functions_of(Kind.TELEVISION, [command])), "command")
    what, _, value = function.partition(" ")
    if what == "digit":
        return f"digit_{value}"
    return what if what in FUNCTIONS else "command"


def _spelled(name: str) -> str:
    """Return a name without the signs that an entity id would lose."""
    spelled = _SIGN.sub(lambda sign: " up" if sign[1] == "+" else " down", name)
    return spelled if spelled == name else _VOLUME.sub("volume", spelled)
