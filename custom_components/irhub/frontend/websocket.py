"""Websocket commands of the card.

irhub/device/subscribe  {device}                              → a device, now and on each change
irhub/device/possible   {device}                              → possible states of its entity
irhub/device/learn      {device, command?, function?, name?}  → each step of learning a button

`command` is the id of an existing command; a new one has `name`, or the name of `function`.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.websocket_api import async_register_command
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.const import ERR_NOT_FOUND
from homeassistant.components.websocket_api.decorators import (
    async_response,
    require_admin,
    websocket_command,
)
from homeassistant.const import CONF_COMMAND, CONF_DEVICE, CONF_NAME, Platform
from homeassistant.core import HomeAssistant, callback, split_entity_id
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import (
    config_validation as cv,
    entity_registry as er,
)
import voluptuous as vol

from ..actions.permissions import async_check_read, remote_of
from ..const import DOMAIN
from ..devices.device import Command, Device
from ..devices.kinds import KINDS_OF_PLATFORMS, Kind
from ..devices.profile import profile_of
from ..devices.store import Devices
from ..entities.device_entity import entity_of
from ..entities.registries import find_device, find_registered
from ..errors import IrhubError, UserError, list_names, localized
from ..hub.hubs import DATA_HUBS
from ..hub.learning import Captured
from ..hub.listening import Listening
from ..hub.transceiver import Transceiver
from ..ircodes.protocols import learned

ATTR_FUNCTION: Final = "function"

_ENTITIES: Final = {*KINDS_OF_PLATFORMS, Platform.EVENT}
"""The domains of the entities that the card uses."""
_name: Final = vol.All(cv.string, vol.Length(min=1, max=255))
_DEVICE: Final[dict[str | vol.Marker, Any]] = {vol.Required(CONF_DEVICE): _name}


async def async_setup(hass: HomeAssistant) -> None:
    """Register the commands."""
    async_register_command(hass, _subscribe)
    async_register_command(hass, _possible)
    async_register_command(hass, _learn)


@websocket_command(_DEVICE | {vol.Required("type"): "irhub/device/subscribe"})
@async_response
async def _subscribe(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> None:
    """Send the description of a device, now and on each change."""
    if (place := _find(hass, connection, message)) is None:
        return
    devices, device, hub = place
    number, user, sent = message["id"], connection.user, None
    async_check_read(hass, user, devices.mac, _entities_of(hass, device))

    @callback
    def send() -> None:
        nonlocal sent
        described = _described(hass, devices, devices.latest(device), hub, user)
        if described != sent:  # else another device has changed
            sent = described
            connection.send_event(number, described)

    @callback
    def registry_changed(_event: object) -> None:
        send()

    ends = (
        devices.async_add_listener(send),
        hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, registry_changed),
    )

    @callback
    def end() -> None:
        for unsubscribe in ends:
            unsubscribe()

    connection.subscriptions[number] = end
    connection.send_result(number)
    send()


@websocket_command(_DEVICE | {vol.Required("type"): "irhub/device/possible"})
@callback
def _possible(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Return the states that `irhub.set_state` accepts for a device: state → field → values."""
    if (place := _find(hass, connection, message)) is None:
        return
    devices, device, _hub = place
    async_check_read(hass, connection.user, devices.mac, _entities_of(hass, device))
    if (entity := entity_of(hass, device)) is None:
        connection.send_error(message["id"], ERR_NOT_FOUND, localized(UserError("correct_none")))
        return
    connection.send_result(
        message["id"], {"entity_id": entity.entity_id, "states": entity.possible}
    )


@websocket_command(
    _DEVICE
    | {
        vol.Required("type"): "irhub/device/learn",
        vol.Optional(CONF_COMMAND): _name,
        vol.Optional(ATTR_FUNCTION): _name,
        vol.Optional(CONF_NAME): _name,
    }
)
@require_admin
@async_response
async def _learn(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> None:
    """Learn an existing or a new command; send an event for each step."""
    if (place := _find(hass, connection, message)) is None:
        return
    devices, device, hub = place
    number = message["id"]
    try:
        name, command = _place(devices, device, message)
    except UserError as err:
        connection.send_error(number, ERR_NOT_FOUND, localized(err))
        return

    @callback
    def send_step(step: str, **more: str) -> None:
        connection.send_event(number, {"step": step, "name": name, **more})

    is_learned = False

    async def on_captured(captured: Sequence[Captured]) -> bool:
        nonlocal is_learned
        packets, function = learned([captured[0].packet]), message.get(ATTR_FUNCTION)
        await devices.learn(device, packets, name=name, command=command, function=function)
        is_learned = True
        return False

    @callback
    def on_end(problem: IrhubError | None) -> None:
        if problem is not None:
            send_step("failed", error=localized(problem))
        elif is_learned:
            send_step("learned")

    listening = Listening(
        hub=hub, on_step=send_step, on_captured=on_captured, name=f"{devices.label(device)}: {name}"
    )
    listening.start(on_end)
    connection.subscriptions[number] = listening.cancel
    connection.send_result(number)


def _place(devices: Devices, device: Device, message: dict[str, Any]) -> tuple[str, Command | None]:
    """Return the name of the command to learn, and the command itself if it exists.

    Raise UserError if a command given by id does not exist any more.
    """
    name: str | None = message.get(CONF_NAME)
    function: str = message.get(ATTR_FUNCTION, "")
    if (id_ := message.get(CONF_COMMAND)) is not None:
        if (command := device.commands.get(id_)) is None:
            known, label = list_names(device.by_name), devices.label(device)
            raise UserError("unknown_command", device=label, command=name or id_, known=known)
    elif name is not None:
        command = device.named(name)
    else:
        command = device.commands.get(device.functions.get(function, ""))
    if command is not None:
        return command.name, command
    return name or function.replace("_", " "), None


@callback
def _find(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> tuple[Devices, Device, Transceiver] | None:
    """Return the device that a message names, and its hub; send an error if there is none.

    If the user may not read all entities, raise Unauthorized instead.
    """
    try:
        devices, device = find_device(hass, message[CONF_DEVICE])
        return devices, device, _hub_of(hass, devices, device)
    except UserError as err:
        if not connection.user.permissions.access_all_entities(POLICY_READ):
            raise Unauthorized(permission=POLICY_READ) from err  # the error lists other devices
        connection.send_error(message["id"], ERR_NOT_FOUND, localized(err))
        return None


def _hub_of(hass: HomeAssistant, devices: Devices, device: Device) -> Transceiver:
    """Return the hub of a device. Raise UserError if the hub is not in use."""
    if (hub := hass.data[DATA_HUBS].get(devices.mac)) is None:
        raise UserError("no_hub", device=devices.label(device))
    return hub


@callback
def _described(
    hass: HomeAssistant, devices: Devices, device: Device, hub: Transceiver, user: User
) -> dict[str, Any]:
    """Return the description of a device for the card of a user."""
    functions: dict[str, list[str]] = {id_: [] for id_ in device.commands}
    for function, id_ in device.functions.items():
        functions[id_].append(function)
    registry = er.async_get(hass)
    remote = remote_of(hass, devices.mac)
    readable = [
        entity_id
        for entity_id in _entities_of(hass, device)
        if user.permissions.check_entity(entity_id, POLICY_READ)
    ]
    entities = {
        domain: entity_id
        for entity_id in readable
        if (domain := split_entity_id(entity_id)[0]) in _ENTITIES
    }
    return {
        "device_id": device.id,
        "name": devices.label(device),
        "kind": device.kind,
        **described_kind(device.kind),
        "gap": hub.settings.min_gap,
        "remote": remote,
        "speeds": [*profile_of(device).speeds],
        "commands": [
            {
                "id": command.id,
                "name": command.name,
                "functions": functions[command.id],
                "state": command.state is not None,
            }
            for command in device.commands.values()
        ],
        "entities": entities,
        "entity": entities.get(device.kind.platform or ""),
        "favourites": [
            {"id": entity_id, "name": favourite.name}
            for favourite in device.favourites
            if (entity_id := registry.async_get_entity_id(Platform.SCENE, DOMAIN, favourite.id))
            in readable
        ],
    }


def described_kind(kind: Kind) -> dict[str, Any]:
    """Return the card's layout for devices of a kind, and the `looks` of its functions."""
    traits = kind.traits
    looks = {
        key: {
            "text": traits.called_by(key),
            "icon": function.icon if function.on_card is None else function.on_card,
            "colour": function.colour,
            "repeats": function.repeats,
        }
        for key, function in (*traits.functions.items(), *traits.keys.items())
    }
    return {"layout": [asdict(block) for block in traits.layout], "looks": looks}


@callback
def _entities_of(hass: HomeAssistant, device: Device) -> list[str]:
    """Return the ids of a device's registered entities."""
    if (registered := find_registered(hass, device)) is None:
        return []
    return [
        entity.entity_id
        for entity in er.async_entries_for_device(er.async_get(hass), registered.id)
    ]
