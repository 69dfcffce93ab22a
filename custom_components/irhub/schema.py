"""The keys every irhub entry has, and what they become."""

from dataclasses import dataclass
from datetime import timedelta
import re
from typing import Any

from homeassistant.const import (
    CONF_HOST,
    CONF_MAC,
    CONF_PORT,
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    CONF_TYPE,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from .const import CONF_MIN_GAP, DEFAULT_MIN_GAP_S, DEFAULT_PORT, DEFAULT_TIMEOUT_S
from .models import CLASSIC_TYPES

_MAC_SEPARATORS = re.compile(r"[:.\-\s]")
_MAC = re.compile(r"[0-9a-f]{12}")
_HOST = re.compile(r"[^\s/@:\[\]]{1,253}")
_MAX_S = 300


def mac(value: object) -> str:
    """Validate a MAC address, with colons, dashes, dots or bare; return twelve hex digits."""
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


def reverse_mac(digits: str) -> str:
    """Return the same address in the other byte order."""
    return bytes.fromhex(digits)[::-1].hex()


def same_mac(one: str, other: str) -> bool:
    """Say if two addresses of twelve hex digits name one device, in either byte order."""
    return other in (one, reverse_mac(one))


def show_mac(digits: str) -> str:
    """Return an address the way the device's label has it: AA:BB:CC:DD:EE:FF."""
    return bytes.fromhex(digits).hex(":").upper()


def host(value: object) -> str:
    """Validate a host name or IPv4 address; return it in lower case."""
    text = cv.string(value).strip().lower()
    if not _HOST.fullmatch(text):
        raise vol.Invalid(
            f"{value!r} is not a host; expected a name or an address like 192.168.1.20,"
            f" without http://, and a port under the key {CONF_PORT}"
        )
    return text


def _seconds(value: object) -> float:
    if isinstance(value, bool):
        raise vol.Invalid(f"{value!r} is not a number of seconds")
    return float(vol.Coerce(float)(value))


def _period(value: object) -> timedelta:
    try:
        period: timedelta = cv.time_period(value)
    except OverflowError as err:
        raise vol.Invalid("the time is too long; an example is 30, in seconds") from err
    return period


timeout_s = vol.All(_seconds, vol.Range(min=0, min_included=False, max=_MAX_S))
_scan_interval = vol.All(_period, vol.Range(min=timedelta(seconds=1)))
gap_s = vol.All(_seconds, vol.Range(min=0, max=_MAX_S))


def hub_schema(
    *, timeout: int = DEFAULT_TIMEOUT_S, poll: timedelta | None = None
) -> dict[vol.Marker, Any]:
    """Return the keys every entry has.

    `timeout` is the platform's default in seconds, `poll` its default scan_interval; without
    one the platform polls nothing, and the key that core accepts everywhere means nothing.
    """
    scanned: dict[vol.Marker, Any] = (
        {vol.Optional(CONF_SCAN_INTERVAL): _period}
        if poll is None
        else {vol.Optional(CONF_SCAN_INTERVAL, default=poll): _scan_interval}
    )
    return {
        vol.Required(CONF_HOST): host,
        vol.Required(CONF_MAC): mac,
        vol.Optional(CONF_TYPE): vol.In(CLASSIC_TYPES),
        vol.Optional(CONF_PORT, default=DEFAULT_PORT): cv.port,
        vol.Optional(CONF_TIMEOUT, default=timeout): timeout_s,
        vol.Optional(CONF_MIN_GAP, default=DEFAULT_MIN_GAP_S): gap_s,
        **scanned,
    }


@dataclass(frozen=True, kw_only=True)
class HubSettings:
    """One hub as its entries describe it."""

    host: str
    port: int
    mac: str
    """Twelve hexadecimal digits, as configured: the device may have them reversed."""
    timeout: float
    min_gap: float
    fallback: int | None = None
    """Device type of the configured `type`, for hardware the library does not know."""

    @property
    def label(self) -> str:
        """The hub's name in messages: its host, and its port where that is not the usual one."""
        return self.host if self.port == DEFAULT_PORT else f"{self.host}:{self.port}"


def hub_settings(config: ConfigType) -> HubSettings:
    """Read a validated entry of any irhub platform."""
    return HubSettings(
        host=config[CONF_HOST],
        port=config[CONF_PORT],
        mac=config[CONF_MAC],
        timeout=config[CONF_TIMEOUT],
        min_gap=config[CONF_MIN_GAP],
        fallback=CLASSIC_TYPES.get(config.get(CONF_TYPE, "")),
    )
