"""The actions irhub.learn, irhub.send, irhub.import_codes and irhub.export_codes."""

from functools import partial
from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID, CONF_HOST, CONF_TIMEOUT
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

from . import notices
from .codes import Codes, read_packet
from .const import DOMAIN
from .describe import describe
from .errors import NoSignalError, UserError
from .learning import LEARN_WINDOW_S, Learning
from .library import carrier_mhz
from .packet import kind, parse_text, to_base64, to_hex
from .registry import DATA_REGISTRY
from .remote import IrhubRemote

ATTR_CODES: Final = "codes"
ATTR_COMMAND_TYPE: Final = "command_type"
ATTR_FREQUENCY: Final = "frequency"
ATTR_PACKET: Final = "packet"

MAX_PACKETS: Final = 100
ALTERNATING: Final = 2
FREQUENCIES_MHZ: Final = (100, 1000)

_text = vol.All(cv.string, vol.Length(min=1))

LEARN_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_HOST): _text,
        vol.Optional(CONF_TIMEOUT, default=LEARN_WINDOW_S): vol.All(
            vol.Coerce(float), vol.Range(min=1, max=300)
        ),
        vol.Optional(ATTR_COMMAND_TYPE, default="ir"): vol.In(["ir", "rf"]),
        vol.Optional(ATTR_FREQUENCY): vol.All(
            vol.Coerce(float), vol.Range(min=FREQUENCIES_MHZ[0], max=FREQUENCIES_MHZ[1])
        ),
    }
)
SEND_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_HOST): _text,
        vol.Required(ATTR_PACKET): vol.All(
            cv.ensure_list, [cv.string], vol.Length(min=1, max=MAX_PACKETS)
        ),
    }
)
_REMOTE = {vol.Required(ATTR_ENTITY_ID): cv.entity_id}
EXPORT_SCHEMA = vol.Schema(_REMOTE)
IMPORT_SCHEMA = vol.Schema(
    _REMOTE
    | {
        vol.Required(ATTR_CODES): vol.All(
            {
                _text: vol.All(
                    {
                        _text: vol.All(
                            cv.ensure_list, [cv.string], vol.Length(min=1, max=ALTERNATING)
                        )
                    },
                    vol.Length(min=1),
                )
            },
            vol.Length(min=1),
        )
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
    ):
        hass.services.async_register(
            DOMAIN,
            name,
            partial(handler, hass),
            schema,  # type: ignore[arg-type]  # voluptuous or its successor
            supports_response=response,
        )


async def _send(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    hub = hass.data[DATA_REGISTRY].find(call.data[CONF_HOST])
    packets = []
    for number, text in enumerate(call.data[ATTR_PACKET], 1):
        try:
            packets.append(read_packet(text))
        except ValueError as err:
            raise UserError("bad_packet", where=f"packet {number}", error=err) from err
    await hub.transmit(packets)
    if not call.return_response:
        return None
    return {"packets": [_described(packet) for packet in packets]}


async def _learn(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    hub = hass.data[DATA_REGISTRY].find(call.data[CONF_HOST])
    timeout, frequency = call.data[CONF_TIMEOUT], call.data.get(ATTR_FREQUENCY)
    tell = partial(notices.ask, hass, hub, button="the button of the remote control")
    if frequency is not None and call.data[ATTR_COMMAND_TYPE] != "rf":
        raise UserError("frequency_is_for_rf")
    async with Learning(hub) as learning:
        try:
            if call.data[ATTR_COMMAND_TYPE] == "ir":
                captured = await learning.capture_ir(timeout, tell)
            else:
                captured = await learning.capture_rf(timeout, tell, frequency)
        except NoSignalError:
            notices.tell(hass, hub, "No signal was received")
            raise
        except BaseException:
            notices.dismiss(hass, hub)
            raise
    described = _described(captured.packet, captured.frequency)
    meaning = f" ({described['description']})" if described["description"] else ""
    notices.tell(hass, hub, f"Received packet is: {described['base64']}{meaning}")
    return described


async def _import_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    commands: dict[str, dict[str, list[bytes]]] = {}
    for device, of_device in call.data[ATTR_CODES].items():
        for command, texts in of_device.items():
            try:
                packets = [parse_text(text) for text in texts]
            except ValueError as err:
                where = f"{device} → {command}"
                raise UserError("bad_packet", where=where, error=err) from err
            commands.setdefault(device, {})[command] = packets
    await codes.store(commands)
    return {"imported": sum(map(len, commands.values()))}


async def _export_codes(hass: HomeAssistant, call: ServiceCall) -> ServiceResponse:
    codes = await _codes_of(hass, call.data[ATTR_ENTITY_ID])
    return {ATTR_CODES: codes.layout()}


async def _codes_of(hass: HomeAssistant, entity_id: str) -> Codes:
    """Return the codes of a remote of ours, whether or not its hub answers.

    An entity service would not do: Home Assistant drops those for unavailable entities.
    """
    remotes = {
        found.entity_id: found
        for platform in async_get_platforms(hass, DOMAIN)
        for found in platform.entities.values()
        if isinstance(found, IrhubRemote)
    }
    if (remote := remotes.get(entity_id)) is None:
        raise UserError(
            "no_remote", entity_id=entity_id, remotes=", ".join(sorted(remotes)) or "none"
        )
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
