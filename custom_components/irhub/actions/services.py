"""The actions: learn, send and listen; import, export, rename, delete and restore commands."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
import logging
from typing import Any, Final

from homeassistant.const import (
    ATTR_COMMAND,
    ATTR_ENTITY_ID,
    CONF_HOST,
    CONF_NAME,
    CONF_TIMEOUT,
    Platform,
)
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.service import async_register_platform_entity_service
from homeassistant.helpers.typing import VolDictType
import voluptuous as vol

from ..const import CONF_FREQUENCY, DOMAIN
from ..devices.device import Device
from ..devices.exports import codes_data, export_data
from ..devices.importing import (
    account_data,
    async_read_codes,
    async_store,
    reasons,
    write_devices,
)
from ..devices.journal import Change
from ..devices.store import DATA_DEVICES, Devices, devices_of
from ..entities.device_entity import entity_of
from ..entities.off_timer import MAX_OFF_IN
from ..entities.players import player_id
from ..entities.registries import async_show_devices, find_device
from ..errors import (
    UserError,
    common_texts,
    list_names,
    list_reasons,
    load_texts,
    localized,
)
from ..hub.hub import caller_of
from ..hub.hubs import DATA_HUBS
from ..hub.learning import LEARN_WINDOW_S
from ..hub.transceiver import Transceiver
from ..ircodes import FORMATS, meaning, to_base64
from ..ircodes.files import MAX_NAME
from ..ircodes.packet import carrier_mhz, kind, read_packet, to_hex
from ..ircodes.protocols import clean
from ..schema import frequency_mhz
from ..settings import Mac
from .correcting import SET_STATE_SCHEMA, async_set_state
from .deletion import async_delete_named
from .learning import async_learn_packet
from .permissions import async_check_control

_LOGGER = logging.getLogger(__package__)

ATTR_CHANGE: Final = "change"
ATTR_CODES: Final = "codes"
ATTR_COMMAND_TYPE: Final = "command_type"
ATTR_DEVICE: Final = "device"
ATTR_DURATION: Final = "duration"
ATTR_FORMAT: Final = "format"
ATTR_HUB: Final = "hub"
ATTR_NEW_COMMAND: Final = "new_command"
ATTR_NEW_DEVICE: Final = "new_device"
ATTR_PACKET: Final = "packet"
ATTR_STRICT: Final = "strict"

MAX_PACKETS: Final = 100
OUR_FORMAT: Final = "irhub"

_text = vol.All(cv.string, vol.Length(min=1))


def _several(item: object) -> Callable[[object], list[str]]:
    """Validate one item, or a list of them."""
    several: Callable[[object], list[str]] = vol.All(
        cv.ensure_list, [item], vol.Length(min=1, max=MAX_PACKETS)
    )
    return several


_HUB: Final = {
    vol.Optional(CONF_HOST): _text,
    vol.Optional(ATTR_HUB): _text,
}
"""Keys for the hub, exactly one of which is required: its host, or its device or an entity."""
LEARN_SCHEMA = vol.Schema(
    _HUB
    | {
        vol.Optional(CONF_TIMEOUT, default=LEARN_WINDOW_S): vol.All(
            vol.Coerce(float), vol.Range(min=1, max=300)
        ),
        vol.Optional(ATTR_COMMAND_TYPE, default="ir"): vol.In(["ir", "rf"]),
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
    }
)
LISTEN_SCHEMA = vol.Schema(_HUB)
SEND_SCHEMA = vol.Schema(
    _HUB
    | {
        vol.Optional(ATTR_PACKET): _several(cv.string),
        vol.Optional(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): _several(_text),
    }
)
_REMOTE = {vol.Required(ATTR_ENTITY_ID): cv.entity_id}
EXPORT_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Optional(ATTR_FORMAT, default=OUR_FORMAT): vol.In([OUR_FORMAT, *FORMATS]),
        vol.Optional(ATTR_DEVICE): _text,
    }
)
IMPORT_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Required(ATTR_CODES): vol.Any(str, dict, list),
        vol.Optional(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): _text,
        vol.Optional(ATTR_STRICT, default=False): cv.boolean,
    }
)
RENAME_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Required(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): _text,
        vol.Optional(ATTR_NEW_DEVICE): _text,
        vol.Optional(ATTR_NEW_COMMAND): _text,
    }
)
DELETE_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Required(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): vol.All(cv.ensure_list, [_text], vol.Length(min=1)),
    }
)
RESTORE_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Optional(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): vol.All(cv.ensure_list, [_text], vol.Length(min=1)),
    }
)
LIST_CHANGES_SCHEMA = vol.Schema(_REMOTE | {vol.Optional(ATTR_DEVICE): _text})
UNDO_SCHEMA = vol.Schema(_REMOTE | {vol.Required(ATTR_CHANGE): _text})


_FAVOURITE: Final[VolDictType] = {
    vol.Required(CONF_NAME): vol.All(cv.string, str.strip, vol.Length(min=1, max=MAX_NAME))
}
AIR_CONDITIONERS: Final[Mapping[str, VolDictType]] = {
    "save_favourite": _FAVOURITE,
    "delete_favourite": _FAVOURITE,
    "turn_off_in": {
        vol.Required(ATTR_DURATION): vol.All(
            cv.time_period, vol.Range(min=timedelta(), max=MAX_OFF_IN)
        )
    },
}
"""Entity actions of air conditioners → schema."""


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, handler, schema, response in (
        ("learn", _learn, LEARN_SCHEMA, SupportsResponse.OPTIONAL),
        ("listen", _listen, LISTEN_SCHEMA, SupportsResponse.NONE),
        ("send", _send, SEND_SCHEMA, SupportsResponse.OPTIONAL),
        ("import_codes", _import_codes, IMPORT_SCHEMA, SupportsResponse.OPTIONAL),
        ("export_codes", _export_codes, EXPORT_SCHEMA, SupportsResponse.ONLY),
        ("rename_code", _rename_code, RENAME_SCHEMA, SupportsResponse.NONE),
        ("delete_codes", _delete_codes, DELETE_SCHEMA, SupportsResponse.NONE),
        ("restore_codes", _restore_codes, RESTORE_SCHEMA, SupportsResponse.OPTIONAL),
        ("list_changes", _list_changes, LIST_CHANGES_SCHEMA, SupportsResponse.ONLY),
        ("undo_change", _undo_change, UNDO_SCHEMA, SupportsResponse.OPTIONAL),
        ("set_state", async_set_state, SET_STATE_SCHEMA, SupportsResponse.NONE),
    ):
        hass.services.async_register(
            DOMAIN,
            name,
            partial(handler, hass),
            schema,
            supports_response=response,
        )

    _setup_air_conditioners(hass)


@callback
def _setup_air_conditioners(hass: HomeAssistant) -> None:
    """Register the actions of air conditioners."""
    for name, schema in AIR_CONDITIONERS.items():
        async_register_platform_entity_service(
            hass,
            DOMAIN,
            name,
            entity_domain=Platform.CLIMATE,
            func=f"async_{name}",
            schema=schema,
        )


async def _send(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    match call.data:
        case {"packet": texts, **others} if not {ATTR_DEVICE, ATTR_COMMAND} & others.keys():
            hub = await _hub_to_use(hass, call)
            packets = [*_read(texts)]
            await hub.transmit(packets, caller_of(call.context))
        case {"device": name, "command": commands, **others} if ATTR_PACKET not in others:
            devices, device = await _device_of(hass, call, name)
            await async_check_control(hass, call.context, devices.mac)
            items = [devices.command(device, command) for command in commands]
            if (by := hass.data[DATA_HUBS].get(devices.mac)) is None:
                raise UserError("no_hub", device=devices.label(device))
            packets = await devices.sender.send(by, device, items, call.context)
            if (entity := entity_of(hass, device)) is not None:
                for item in items:
                    entity.async_sent(item)
        case _:
            raise UserError("packet_or_command")
    if not call.return_response:
        return None
    return {"packets": [_described(packet) for packet in packets]}


async def _device_of(hass: HomeAssistant, call: ServiceCall, name: str) -> tuple[Devices, Device]:
    """Return the device that a call names, of the named hub or of any."""
    if not {CONF_HOST, ATTR_HUB} & call.data.keys():
        return find_device(hass, name)
    devices = devices_of(hass, _hub_of(hass, call).settings.mac)
    await devices.load()
    return devices, devices.get(name) or devices.named(name)


def _hub_of(hass: HomeAssistant, call: ServiceCall) -> Transceiver:
    """Return the hub that a call names: by its host, its device, or an entity of it."""
    hubs = hass.data[DATA_HUBS]
    match call.data:
        case {"host": host, **others} if ATTR_HUB not in others:
            return hubs.find(host)
        case {"hub": chosen, **others} if CONF_HOST not in others:
            for mac in _macs_of(hass, chosen):
                if (hub := hubs.get(mac)) is not None:
                    return hub
            return hubs.find(chosen)  # its error lists the hubs
        case _:
            raise UserError("host_or_hub")


async def _hub_to_use(hass: HomeAssistant, call: ServiceCall) -> Transceiver:
    """Return the hub that a call names. Raise Unauthorized if the user may not control it."""
    hub = _hub_of(hass, call)
    await async_check_control(hass, call.context, hub.settings.mac)
    return hub


def _macs_of(hass: HomeAssistant, chosen: str) -> Iterator[Mac]:
    """Yield possible MAC addresses for the id of a device or entity of this integration."""
    unique_ids: list[str] = []
    if (entity := er.async_get(hass).async_get(chosen)) is not None:
        if entity.platform == DOMAIN:
            unique_ids = [player_id(entity.unique_id) or entity.unique_id]
    elif (device := dr.async_get(hass).async_get(chosen)) is not None:
        unique_ids = [unique_id for domain, unique_id in device.identifiers if domain == DOMAIN]
    for unique_id in unique_ids:
        # The id of a device that was moved begins with the address of its first hub.
        of_devices = hass.data.get(DATA_DEVICES, {}).items()
        yield from (mac for mac, devices in of_devices if devices.owns(unique_id))
        if (mac := Mac.read(unique_id.partition("-")[0])) is not None:
            yield mac


def _read(texts: list[str]) -> Iterator[bytes]:
    for number, text in enumerate(texts, 1):
        try:
            yield read_packet(text)
        except ValueError as err:
            raise UserError("bad_packet", where=f"packet {number}", error=err) from err


async def _learn(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    hub = await _hub_to_use(hass, call)
    timeout, frequency = call.data[CONF_TIMEOUT], call.data.get(CONF_FREQUENCY)
    command_type = call.data[ATTR_COMMAND_TYPE]
    if frequency is not None and command_type != "rf":
        raise UserError("frequency_is_for_rf")
    captured, notification = await async_learn_packet(
        hub, command_type=command_type, window=timeout, frequency=frequency
    )
    described = _described(captured.packet, captured.frequency)
    meaning = f" ({described['description']})" if described["description"] else ""
    notification.show("received", packet=f"{described['base64']}{meaning}")
    return described


async def _listen(hass: HomeAssistant, call: ServiceCall) -> None:
    hub = await _hub_to_use(hass, call)
    if (own := hub.reception.own) is None:
        raise UserError("listens_without_hub")
    own.async_listen_for_others()


async def _import_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    devices = await _devices_of(hass, call)
    imported = await async_read_codes(
        hass,
        call.data[ATTR_CODES],
        device=call.data.get(ATTR_DEVICE),
        command=call.data.get(ATTR_COMMAND),
        strict=call.data[ATTR_STRICT],
    )
    await async_store(devices, imported)
    async_show_devices(hass, devices)
    await load_texts(hass)
    count, refused = imported.count, len(imported.refused)
    if refused:
        _LOGGER.warning(
            "%s of %s commands were not imported: %s",
            refused,
            count + refused,
            list_reasons(imported.refused, tell=str),
        )
    return {
        "imported": count,
        "refused": refused,
        "reasons": {**reasons(imported.refused)},
        **account_data(imported.account),
        "descriptions": {**imported.descriptions},
        "contradictions": reasons(imported.contradictions),
    }


async def _rename_code(hass: HomeAssistant, call: ServiceCall) -> None:
    device, command = call.data[ATTR_DEVICE], call.data.get(ATTR_COMMAND)
    new_device, new_command = call.data.get(ATTR_NEW_DEVICE), call.data.get(ATTR_NEW_COMMAND)
    if new_device is None and new_command is None:
        raise UserError("no_new_name")
    if new_command is not None and command is None:
        raise UserError("missing_key", key=ATTR_COMMAND)
    devices = await _devices_of(hass, call)
    if command is None:
        await devices.rename(devices.named(device), new_device or device)
    else:
        owner, item = devices.find(device, command)
        await devices.rename_command(owner, item, new_command or command, new_device)


async def _delete_codes(hass: HomeAssistant, call: ServiceCall) -> None:
    devices = await _devices_of(hass, call)
    await async_delete_named(
        hass, devices, call.data[ATTR_DEVICE], call.data.get(ATTR_COMMAND), call.context
    )


async def _restore_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    devices = await _devices_of(hass, call)
    restored = await devices.restore_named(call.data.get(ATTR_DEVICE), call.data.get(ATTR_COMMAND))
    async_show_devices(hass, devices)
    return {"restored": restored}


async def _list_changes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    devices = await _devices_of(hass, call)
    writes = devices.history
    if (name := call.data.get(ATTR_DEVICE)) is not None:
        writes = [changes for changes in writes if devices.is_about(changes, name)]
    await common_texts(hass)
    return {"changes": [_described_changes(devices, changes) for changes in writes]}


async def _undo_change(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    devices, change = await _devices_of(hass, call), call.data[ATTR_CHANGE]
    await common_texts(hass)
    described = _described_changes(devices, devices.write_of(change))
    await devices.undo(change)
    async_show_devices(hass, devices)
    return described


def _described_changes(devices: Devices, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the changes of one write as the data of a response."""
    sentences = devices.sentences(changes)
    return {
        "id": changes[0].id,
        "when": changes[0].when.isoformat(),
        "changes": [localized(sentence.change) for sentence in sentences],
        "undo": [localized(sentence.undo) for sentence in sentences],
    }


async def _export_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    devices = await _devices_of(hass, call)
    chosen = [*devices.values()]
    if (name := call.data.get(ATTR_DEVICE)) is not None:
        chosen = [devices.named(name)]
    if (format_name := call.data[ATTR_FORMAT]) == OUR_FORMAT:
        return {ATTR_CODES: codes_data(chosen), **export_data(chosen)}
    files, refused = await hass.async_add_executor_job(write_devices, format_name, chosen)
    return {"files": {**files}, "refused": len(refused), "reasons": {**reasons(refused)}}


async def _devices_of(hass: HomeAssistant, call: ServiceCall) -> Devices:
    """Return the devices of the hub whose remote a call names, even if it is unavailable.

    Not an entity service, since Home Assistant skips unavailable entities. Raise Unauthorized if
    the user may not control the remote.
    """
    entity_id = call.data[ATTR_ENTITY_ID]
    await async_check_control(hass, call.context, entity_id)
    remotes = {
        registered.entity_id: mac
        for registered in er.async_get(hass).entities.values()
        if registered.platform == DOMAIN
        and registered.domain == Platform.REMOTE
        and not registered.disabled
        and (mac := Mac.read(registered.unique_id)) is not None  # else the remote of a player
        and hass.data[DATA_HUBS].get(mac) is not None
    }
    if entity_id not in remotes:
        raise UserError("no_remote", entity_id=entity_id, remotes=list_names(remotes))
    devices = devices_of(hass, remotes[entity_id])
    await devices.load()
    return devices


def _described(packet: bytes, frequency: float | None = None) -> dict[str, Any]:
    """Return a packet as the data of a response."""
    decoded, cleaned = meaning(packet), clean(packet)
    return {
        "base64": to_base64(packet),
        "hex": to_hex(packet),
        "kind": kind(packet),
        "description": decoded and decoded.text,
        "clean": cleaned and to_base64(cleaned),
        "frequency": frequency or carrier_mhz(packet),
    }
