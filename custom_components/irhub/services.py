"""The actions: learn and send packets; import, export, rename and delete commands."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from homeassistant.const import ATTR_COMMAND, ATTR_ENTITY_ID, CONF_HOST, CONF_TIMEOUT
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity_platform import async_get_platforms
import voluptuous as vol

from .codes.codes import Codes, read_packet
from .codes.importing import parse_codes
from .const import CONF_FREQUENCY, DOMAIN
from .errors import NoSignalError, UnreadableSignalError, UserError, list_names
from .hub.hubs import DATA_HUBS
from .hub.learning import LEARN_WINDOW_S, Learning, Notice
from .packets.describe import describe
from .packets.packet import carrier_mhz, kind
from .packets.text_forms import to_base64, to_hex
from .remote import IrhubRemote
from .schema import frequency_mhz

ATTR_CODES: Final = "codes"
ATTR_COMMAND_TYPE: Final = "command_type"
ATTR_DEVICE: Final = "device"
ATTR_NEW_COMMAND: Final = "new_command"
ATTR_NEW_DEVICE: Final = "new_device"
ATTR_PACKET: Final = "packet"

MAX_PACKETS: Final = 100

_text = vol.All(cv.string, vol.Length(min=1))


def _several(item: object) -> Callable[[object], list[str]]:
    """Validate one item, or a list of them."""
    several: Callable[[object], list[str]] = vol.All(
        cv.ensure_list, [item], vol.Length(min=1, max=MAX_PACKETS)
    )
    return several


LEARN_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_HOST): _text,
        vol.Optional(CONF_TIMEOUT, default=LEARN_WINDOW_S): vol.All(
            vol.Coerce(float), vol.Range(min=1, max=300)
        ),
        vol.Optional(ATTR_COMMAND_TYPE, default="ir"): vol.In(["ir", "rf"]),
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
    }
)
SEND_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_HOST): _text,
        vol.Optional(ATTR_PACKET): _several(cv.string),
        vol.Optional(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): _several(_text),
    }
)
_REMOTE = {vol.Required(ATTR_ENTITY_ID): cv.entity_id}
EXPORT_SCHEMA = vol.Schema(_REMOTE)
IMPORT_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Required(ATTR_CODES): vol.Any(str, dict),
        vol.Optional(ATTR_DEVICE): _text,
        vol.Optional(ATTR_COMMAND): _text,
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


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, handler, schema, response in (
        ("learn", _learn, LEARN_SCHEMA, SupportsResponse.OPTIONAL),
        ("send", _send, SEND_SCHEMA, SupportsResponse.OPTIONAL),
        ("import_codes", _import_codes, IMPORT_SCHEMA, SupportsResponse.OPTIONAL),
        ("export_codes", _export_codes, EXPORT_SCHEMA, SupportsResponse.ONLY),
        ("rename_code", _rename_code, RENAME_SCHEMA, SupportsResponse.NONE),
        ("delete_codes", _delete_codes, DELETE_SCHEMA, SupportsResponse.NONE),
    ):
        hass.services.async_register(
            DOMAIN,
            name,
            partial(handler, hass),
            schema,
            supports_response=response,
        )


async def _send(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    hubs = hass.data[DATA_HUBS]
    hub = hubs.find(call.data[CONF_HOST])
    match call.data:
        case {"packet": texts, **others} if not {ATTR_DEVICE, ATTR_COMMAND} & others.keys():
            packets = [*_read(texts)]
            await hub.transmit(packets)
        case {"device": device, "command": commands, **others} if ATTR_PACKET not in others:
            codes = hubs.codes(hub.settings.mac)
            await codes.load()
            items = [codes.find(device, command) for command in commands]
            await codes.send(hub, items)
            packets = [item if isinstance(item, bytes) else item.sent for item in items]
        case _:
            raise UserError("packet_or_command")
    if not call.return_response:
        return None
    return {"packets": [_described(packet) for packet in packets]}


def _read(texts: list[str]) -> Iterator[bytes]:
    for number, text in enumerate(texts, 1):
        try:
            yield read_packet(text)
        except ValueError as err:
            raise UserError("bad_packet", where=f"packet {number}", error=err) from err


async def _learn(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    hub = hass.data[DATA_HUBS].find(call.data[CONF_HOST])
    timeout, frequency = call.data[CONF_TIMEOUT], call.data.get(CONF_FREQUENCY)
    command_type = call.data[ATTR_COMMAND_TYPE]
    if frequency is not None and command_type != "rf":
        raise UserError("frequency_is_for_rf")
    notice = Notice(hub, "the button of the remote control")
    async with Learning(hub) as session:
        try:
            [captured] = await session.capture(
                notice.ask, command_type=command_type, window=timeout, frequency=frequency
            )
        except NoSignalError:
            notice.tell("No signal was received")
            raise
        except UnreadableSignalError as err:
            notice.tell(str(err))
            raise
        except BaseException:
            notice.dismiss()
            raise
    described = _described(captured.packet, captured.frequency)
    meaning = f" ({described['description']})" if described["description"] else ""
    notice.tell(f"Received packet is: {described['base64']}{meaning}")
    return described


async def _import_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    parse = partial(
        parse_codes,
        call.data[ATTR_CODES],
        device=call.data.get(ATTR_DEVICE),
        command=call.data.get(ATTR_COMMAND),
    )
    try:
        commands = await hass.async_add_executor_job(parse)
    except ValueError as err:
        raise UserError("not_imported", error=err) from err
    await codes.store(commands)
    return {"imported": sum(map(len, commands.values()))}


async def _rename_code(hass: HomeAssistant, call: ServiceCall) -> None:
    device, command = call.data[ATTR_DEVICE], call.data.get(ATTR_COMMAND)
    new_device, new_command = call.data.get(ATTR_NEW_DEVICE), call.data.get(ATTR_NEW_COMMAND)
    if new_device is None and new_command is None:
        raise UserError("no_new_name")
    if new_command is not None and command is None:
        raise UserError("missing_key", key=ATTR_COMMAND)
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    await codes.rename(device, command, new_device or device, new_command)


async def _delete_codes(hass: HomeAssistant, call: ServiceCall) -> None:
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    await codes.delete(call.data[ATTR_DEVICE], call.data.get(ATTR_COMMAND))


async def _export_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    return {ATTR_CODES: codes.export()}


async def _codes_of(hass: HomeAssistant, entity_id: str) -> Codes:
    """Return the codes of a remote of ours, whether or not its hub answers.

    An entity service would not do: Home Assistant drops those for unavailable entities.
    """
    remotes = {
        entity.entity_id: entity
        for platform in async_get_platforms(hass, DOMAIN)
        for entity in platform.entities.values()
        if isinstance(entity, IrhubRemote)
    }
    if (remote := remotes.get(entity_id)) is None:
        raise UserError("no_remote", entity_id=entity_id, remotes=list_names(remotes))
    await remote.codes.load()
    return remote.codes


def _described(packet: bytes, frequency: float | None = None) -> dict[str, Any]:
    """Return a packet as a response shows it."""
    return {
        "base64": to_base64(packet),
        "hex": to_hex(packet),
        "kind": kind(packet),
        "description": describe(packet),
        "frequency": frequency or carrier_mhz(packet),
    }
