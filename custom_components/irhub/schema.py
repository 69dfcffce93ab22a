"""Schema of the keys that all irhub entries have, and their conversion to settings."""

from datetime import timedelta
import re
from typing import Any, Final

from homeassistant.const import (
    CONF_HOST,
    CONF_MAC,
    CONF_NAME,
    CONF_PORT,
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    CONF_TYPE,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol
from yarl import URL

from ._common.durations import period
from .const import (
    CONF_COLLECTION,
    CONF_DEFAULT_EMITTERS,
    CONF_EMITTERS,
    CONF_FREQUENCY,
    CONF_LISTEN_FOR_OTHERS,
    CONF_MIN_GAP,
    CONF_RECEIVERS,
    DEFAULT_MIN_GAP_S,
    DEFAULT_PORT,
    DEFAULT_TIMEOUT_S,
    FREQUENCIES_MHZ,
)
from .hub.device_types import devtype_of
from .settings import (
    ALL_RECEIVERS,
    OWN_RECEIVER,
    HubOptions,
    HubSettings,
    Mac,
    Others,
    WithoutHubSettings,
    is_address,
)

_MAC_SEPARATORS = re.compile(r"[:.\-\s]")
_MAC = re.compile(r"[0-9a-f]{12}")
_HOST = re.compile(r"[^\s/@:\[\]]{1,253}")
MAX_S: Final = 300


def mac(value: object) -> str:
    """Validate a MAC address with or without separators (: - .); return twelve hex digits."""
    if not isinstance(value, str):
        raise vol.Invalid(
            f"{value!r} is not text; write the MAC address in quotes,"
            " or YAML reads its digits as a number"
        )
    digits = _MAC_SEPARATORS.sub("", value).lower()
    if not _MAC.fullmatch(digits):
        raise vol.Invalid(
            f"{value!r} is not a MAC address; expected twelve hexadecimal digits"
            " like AA:BB:CC:DD:EE:FF"
        )
    return digits


def host(value: object) -> str:
    """Validate a host name or IPv4 address; return it in lower case."""
    text = cv.string(value).strip().lower()
    if not _HOST.fullmatch(text):
        raise vol.Invalid(
            f"{value!r} is not a host; expected a name or an address like 192.168.1.20,"
            f" without http://, and a port under the key {CONF_PORT}"
        )
    return text


def device_type(value: object) -> str:
    """Validate a name or number of a device type; return it as text."""
    try:
        devtype = devtype_of(value)
    except ValueError as err:
        raise vol.Invalid(str(err)) from err
    return value.strip().lower() if isinstance(value, str) else f"{devtype:#06x}"


def host_and_port(text: str) -> tuple[str, int]:
    """Read a host of a dialogue: a name or an address, optionally with a port after a colon."""
    name, colon, port = text.strip().rpartition(":")
    return (host(name), int(cv.port(port))) if colon else (host(port), DEFAULT_PORT)


def _seconds(value: object) -> float:
    if isinstance(value, bool):
        raise vol.Invalid(f"{value!r} is not a number of seconds")
    return float(vol.Coerce(float)(value))


def collection_source(value: object) -> str:
    """Validate the location of the code files: a URL, a folder or a zip file."""
    text = cv.string(value).strip()
    if is_address(text):
        try:
            url = URL(text)
        except ValueError as err:
            raise vol.Invalid(f"{text!r} is no address: {err}") from err
        if url.scheme not in ("http", "https") or not url.host or url.user or url.query_string:
            raise vol.Invalid(
                f"{text!r} is no address; expected one like https://192.168.1.5/SmartIR, without"
                " a user"
            )
    return text


timeout_s = vol.All(_seconds, vol.Range(min=0, min_included=False, max=MAX_S))
_scan_interval = vol.All(period, vol.Range(min=timedelta(seconds=1)))
frequency_mhz = vol.All(
    vol.Coerce(float), vol.Range(min=FREQUENCIES_MHZ[0], max=FREQUENCIES_MHZ[1])
)
receivers: Final = vol.All(
    cv.ensure_list,
    [
        vol.Any(
            vol.In((OWN_RECEIVER, ALL_RECEIVERS)),
            cv.entity_domain("infrared"),
            vol.Match(r"[0-9a-f]{12}\Z"),
        )
    ],
)
several_emitters: Final = vol.All(cv.ensure_list, [cv.entity_domain("infrared")])
emitters: Final = vol.Schema({cv.string: several_emitters})
gap_s = vol.All(_seconds, vol.Range(min=0, max=MAX_S))


def hub_schema(
    *, name: str | None = None, timeout: int = DEFAULT_TIMEOUT_S, poll: timedelta | None = None
) -> dict[vol.Marker, Any]:
    """Return the keys that all entries have.

    `name` is the platform's default name, None where an entry has none; `timeout` its default
    in seconds; `poll` its default scan_interval: without one the platform polls nothing, and
    the key that core accepts everywhere means nothing.
    """
    named: dict[vol.Marker, Any] = (
        {} if name is None else {vol.Optional(CONF_NAME, default=name): cv.string}
    )
    scanned: dict[vol.Marker, Any] = (
        {vol.Optional(CONF_SCAN_INTERVAL): period}
        if poll is None
        else {vol.Optional(CONF_SCAN_INTERVAL, default=poll): _scan_interval}
    )
    return {
        vol.Required(CONF_HOST): host,
        vol.Required(CONF_MAC): mac,
        vol.Optional(CONF_TYPE): device_type,
        vol.Optional(CONF_PORT, default=DEFAULT_PORT): cv.port,
        vol.Optional(CONF_TIMEOUT, default=timeout): timeout_s,
        vol.Optional(CONF_MIN_GAP, default=DEFAULT_MIN_GAP_S): gap_s,
        vol.Optional(CONF_LISTEN_FOR_OTHERS): vol.Coerce(Others),
        vol.Optional(CONF_RECEIVERS): receivers,
        **named,
        **scanned,
    }


ENTRY_SCHEMA: Final = vol.Schema(
    {
        **hub_schema(),
        vol.Optional(CONF_SCAN_INTERVAL): _scan_interval,
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
        vol.Optional(CONF_COLLECTION): collection_source,
        vol.Optional(CONF_EMITTERS): emitters,
    },
    extra=vol.REMOVE_EXTRA,
)
"""Schema of the merged data and options of a config entry."""


WITHOUT_HUB_SCHEMA: Final = vol.Schema(
    {
        vol.Required(CONF_MAC): mac,
        vol.Optional(CONF_MIN_GAP, default=DEFAULT_MIN_GAP_S): gap_s,
        vol.Optional(CONF_DEFAULT_EMITTERS): several_emitters,
        vol.Optional(CONF_RECEIVERS): receivers,
        vol.Optional(CONF_COLLECTION): collection_source,
    },
    extra=vol.REMOVE_EXTRA,
)
"""Schema of the merged data and options of the entry of a home without a hub."""


def without_hub_settings(config: ConfigType, name: str) -> WithoutHubSettings:
    """Return the settings of a validated entry of a home without a hub."""
    return WithoutHubSettings(
        name=name,
        min_gap=config[CONF_MIN_GAP],
        receivers=tuple(config.get(CONF_RECEIVERS, ())),
        emitters=tuple(config.get(CONF_DEFAULT_EMITTERS, ())),
    )


def hub_settings(config: ConfigType) -> HubSettings:
    """Return the settings of the hub of a validated entry."""
    return HubSettings(
        host=config[CONF_HOST],
        port=config[CONF_PORT],
        mac=Mac(config[CONF_MAC]),
        timeout=config[CONF_TIMEOUT],
        min_gap=config[CONF_MIN_GAP],
        others=config.get(CONF_LISTEN_FOR_OTHERS),
        receivers=tuple(config.get(CONF_RECEIVERS, ())),
        fallback=devtype_of(config[CONF_TYPE]) if CONF_TYPE in config else None,
    )


def hub_options(config: ConfigType) -> HubOptions:
    """Return the options for entities of a validated entry."""
    return HubOptions(
        scan_interval=config.get(CONF_SCAN_INTERVAL),
        frequency=config.get(CONF_FREQUENCY),
        collection=config.get(CONF_COLLECTION),
        emitters=config.get(CONF_EMITTERS, {}),
    )
