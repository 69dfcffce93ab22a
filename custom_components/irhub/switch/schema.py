"""Schema of a switch entry in YAML: the classic map of switches, core's list, slots."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast

from homeassistant.components.switch import PLATFORM_SCHEMA as SWITCH_PLATFORM_SCHEMA
from homeassistant.const import (
    CONF_COMMAND_OFF,
    CONF_COMMAND_ON,
    CONF_FRIENDLY_NAME,
    CONF_NAME,
    CONF_SWITCHES,
    CONF_UNIQUE_ID,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
from homeassistant.util import slugify
import voluptuous as vol

from ..hub.library import SLOTS
from ..ircodes import parse_text
from ..schema import hub_schema

CONF_REPEATS: Final = "repeats"
CONF_RETRY: Final = "retry"
CONF_SLOTS: Final = "slots"

DEFAULT_NAME: Final = "Broadlink switch"
DEFAULT_RETRY: Final = 2
DEFAULT_SCAN_INTERVAL: Final = timedelta(seconds=30)
DEFAULT_TIMEOUT_S: Final = 10
MAX_REPEATS: Final = 50
MAX_RETRY: Final = 100

HIDDEN: Final = "(value not shown)"
"""Last element of an error's path: replaces the packet, which Home Assistant would log."""


def _packet(value: object) -> bytes | None:
    """Read the text of a packet; None if it is omitted."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        shown = value if isinstance(value, int | float) else f"a {type(value).__name__}"
        raise TypeError(f"{shown} is not text; write the packet in quotes")
    return parse_text(value)


def command_keys(name: str = "") -> dict[vol.Marker, Any]:
    """Return the keys of a switch; `name` is put before errors whose path has no name."""

    def packet(value: object) -> bytes | None:
        try:
            return _packet(value)
        except (TypeError, ValueError) as err:
            problem = f"{name}: {err}" if name else str(err)
            raise vol.Invalid(problem, path=[HIDDEN]) from err

    return {
        vol.Optional(CONF_COMMAND_ON): packet,
        vol.Optional(CONF_COMMAND_OFF): packet,
        vol.Optional(CONF_REPEATS, default=1): vol.All(
            vol.Coerce(int), vol.Range(min=1, max=MAX_REPEATS)
        ),
        vol.Optional(CONF_UNIQUE_ID): cv.string,
    }


def _listed(value: object) -> dict[str, Any]:
    """Validate one switch of core's list."""
    name = value.get(CONF_NAME) if isinstance(value, dict) else None
    schema = vol.Schema({**command_keys(str(name)), vol.Required(CONF_NAME): cv.string})
    return cast(dict[str, Any], schema(value))


_KEYS: Final = {*map(str, command_keys()), CONF_FRIENDLY_NAME}
"""Keys of a switch in the map; in the list it has a name, too."""
_MAP = cv.schema_with_slug_keys({**command_keys(), vol.Optional(CONF_FRIENDLY_NAME): cv.string})
_LIST = vol.Schema([_listed])


def _switches(value: object) -> dict[str, dict[str, Any]]:
    """Validate the classic map or core's list; return slug → switch.

    Errors do not show a value that may contain a packet: it may open a garage door.
    """
    try:
        return _read_switches(value)
    except vol.Invalid as err:
        errors = err.errors if isinstance(err, vol.MultipleInvalid) else [err]
        raise vol.MultipleInvalid([_without_packets(problem, value) for problem in errors]) from err


def _without_packets(err: vol.Invalid, value: object) -> vol.Invalid:
    for key in err.path:
        try:
            value = cast(Any, value)[key]
        except IndexError, KeyError, TypeError:
            return err
    # Home Assistant does not log the value of an unknown key, and suggests another key.
    is_in_list = isinstance(next(iter(err.path), None), int)
    keys = _KEYS | {CONF_NAME} if is_in_list else _KEYS
    is_unknown_key = len(err.path) > 1 and err.path[1] not in keys
    if is_unknown_key or value is None or isinstance(value, int | float):
        return err
    return vol.Invalid(err.error_message, path=[*err.path, HIDDEN])


def _read_switches(value: object) -> dict[str, dict[str, Any]]:
    if value is None:
        return {}
    if isinstance(value, dict) and not isinstance(value.get(CONF_NAME), str):
        return {slug: {CONF_FRIENDLY_NAME: slug, **switch} for slug, switch in _MAP(value).items()}
    switches: dict[str, dict[str, Any]] = {}
    for switch in _LIST(cv.ensure_list(value)):
        name = switch.pop(CONF_NAME)
        slug = base = slugify(name)
        number = 1
        while slug in switches:
            number += 1
            slug = f"{base}_{number}"
        switches[slug] = {CONF_FRIENDLY_NAME: name, **switch}
    return switches


PLATFORM_SCHEMA = SWITCH_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(timeout=DEFAULT_TIMEOUT_S, poll=DEFAULT_SCAN_INTERVAL),
        vol.Optional(CONF_FRIENDLY_NAME, default=DEFAULT_NAME): cv.string,
        vol.Optional(CONF_RETRY, default=DEFAULT_RETRY): vol.All(
            vol.Coerce(int), vol.Range(min=0, max=MAX_RETRY)
        ),
        vol.Optional(CONF_SWITCHES, default=dict): _switches,
        vol.Optional(CONF_SLOTS): {vol.Optional(f"slot_{number}"): cv.string for number in SLOTS},
    }
)


@dataclass(frozen=True, kw_only=True)
class Commands:
    """The packets of a switch."""

    name: str
    on: bytes | None
    off: bytes | None
    repeats: int
    unique_id: str | None


def commands_of(switch: ConfigType) -> Commands:
    """Return the packets of a validated switch."""
    return Commands(
        name=switch[CONF_FRIENDLY_NAME],
        on=switch.get(CONF_COMMAND_ON),
        off=switch.get(CONF_COMMAND_OFF),
        repeats=switch[CONF_REPEATS],
        unique_id=switch.get(CONF_UNIQUE_ID),
    )


def slot_names(config: ConfigType) -> Mapping[int, str]:
    """Return slot → name of a validated entry."""
    named = config.get(CONF_SLOTS, {})
    return {number: named[f"slot_{number}"] for number in SLOTS if f"slot_{number}" in named}
