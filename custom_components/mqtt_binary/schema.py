"""Schema of a sensor in YAML or in a discovery message."""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    DEVICE_CLASSES_SCHEMA,
    PLATFORM_SCHEMA as BINARY_SENSOR_PLATFORM_SCHEMA,
)
from homeassistant.const import (
    CONF_DEVICE,
    CONF_DEVICE_CLASS,
    CONF_ENTITY_CATEGORY,
    CONF_FORCE_UPDATE,
    CONF_ICON,
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_UNIQUE_ID,
    CONF_VALUE_TEMPLATE,
    EntityCategory,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity import ENTITY_CATEGORIES_SCHEMA
from homeassistant.helpers.template import Template
import voluptuous as vol

from . import const
from ._common.durations import period
from .mqtt import valid_qos_schema, valid_subscribe_topic
from .payload.text import check_encoding

# Any value from YAML or JSON.
type Raw = Any


def subscribe_topic(value: Raw) -> str:
    """Return a topic filter."""
    return valid_subscribe_topic(cv.string(value))


def qos(value: Raw) -> int:
    """Return a QoS level."""
    try:
        return valid_qos_schema(value)
    except OverflowError as err:
        raise vol.Invalid(f"expected 0, 1 or 2, got {value}") from err


def duration(value: Raw) -> float:
    """Return a time period in seconds, at least 0."""
    seconds = period(value).total_seconds()
    if seconds < 0:
        raise vol.Invalid(f"expected seconds or a time period, at least 0, got {value}")
    return seconds


def template(value: Raw) -> Template:
    """Return a template. Raise vol.Invalid if Jinja or Python cannot compile it."""
    try:
        return cv.template(value)
    except vol.Invalid:
        raise
    except (SyntaxError, RecursionError, MemoryError, ValueError) as err:
        # For example nested too deeply, or a number with too many digits.
        raise vol.Invalid(f"the template cannot be compiled: {err}") from err


def encoding(value: Raw) -> str:
    """Return the name of a text encoding, or "" for raw bytes."""
    name = cv.string(value)
    try:
        check_encoding(name)
    except (LookupError, ValueError) as err:
        raise vol.Invalid(f"there is no text encoding named {name!r}") from err
    return name


def payloads(value: Raw) -> tuple[str, ...]:
    """Return the payloads of a string or a list of strings."""
    listed = value if isinstance(value, list) else [value]
    if not listed:
        raise vol.Invalid("expected a payload or a list of payloads")
    return tuple(cv.string(payload) for payload in listed)


def entity_category(value: Raw) -> EntityCategory:
    """Return the category, except `config`, which Home Assistant rejects for binary sensors."""
    category: EntityCategory = ENTITY_CATEGORIES_SCHEMA(value)
    if category is EntityCategory.CONFIG:
        raise vol.Invalid("a binary sensor cannot be 'config'; 'diagnostic' is allowed")
    return category


def connections(value: Raw) -> tuple[tuple[str, str], ...]:
    """Return the (type, identifier) pairs of a list of pairs or a map."""
    if isinstance(value, Mapping):
        value = [
            (kind, identifier)
            for kind, identifiers in value.items()
            for identifier in (identifiers if isinstance(identifiers, list) else [identifiers])
        ]
    pairs = []
    for pair in cv.ensure_list(value):
        if not isinstance(pair, list | tuple) or len(pair) != 2:  # noqa: PLR2004  (a pair)
            raise vol.Invalid(f"expected pairs of type and identifier, got {pair}")
        pairs.append((cv.string(pair[0]), cv.string(pair[1])))
    return tuple(pairs)


def different_payloads(config: dict[str, Any]) -> dict[str, Any]:
    """Return `config`. Raise vol.Invalid if a payload means both on and off."""
    on = config.get(CONF_PAYLOAD_ON, const.DEFAULT_PAYLOAD_ON)
    off = config.get(CONF_PAYLOAD_OFF, const.DEFAULT_PAYLOAD_OFF)
    if both := set(on).intersection(off):
        raise vol.Invalid(
            f"{min(both)!r} is in payload_on and in payload_off; a payload means one of them",
            path=[CONF_PAYLOAD_OFF],
        )
    return config


CHILD_DEVICE_SCHEMA = vol.Schema(
    {
        vol.Required(const.CONF_IDENTIFIERS): vol.All(
            cv.ensure_list, [cv.string], vol.Length(min=1)
        ),
        vol.Optional(CONF_NAME): cv.string,
    }
)

DEVICE_SCHEMA = vol.Schema(
    {
        vol.Optional(const.CONF_CHILD_DEVICE): CHILD_DEVICE_SCHEMA,
        vol.Optional(const.CONF_CONFIGURATION_URL): cv.configuration_url,
        vol.Optional(const.CONF_CONNECTIONS, default=list): connections,
        vol.Optional(const.CONF_HW_VERSION): cv.string,
        vol.Optional(const.CONF_IDENTIFIERS, default=list): vol.All(cv.ensure_list, [cv.string]),
        vol.Optional(const.CONF_MANUFACTURER): cv.string,
        vol.Optional(const.CONF_MODEL): cv.string,
        vol.Optional(const.CONF_MODEL_ID): cv.string,
        vol.Optional(CONF_NAME): cv.string,
        vol.Optional(const.CONF_SERIAL_NUMBER): cv.string,
        vol.Optional(const.CONF_SUGGESTED_AREA): cv.string,
        vol.Optional(const.CONF_SW_VERSION): cv.string,
        vol.Optional(const.CONF_VIA_DEVICE): cv.string,
    }
)


_AVAILABLE: dict[vol.Marker, Any] = {
    vol.Optional(const.CONF_PAYLOAD_AVAILABLE): cv.string,
    vol.Optional(const.CONF_PAYLOAD_NOT_AVAILABLE): cv.string,
}

AVAILABILITY_SCHEMA = vol.Schema(
    {
        vol.Required(const.CONF_TOPIC): subscribe_topic,
        vol.Optional(CONF_VALUE_TEMPLATE): template,
    }
    | _AVAILABLE
)

# Defaults are in `Settings`: here, each would slow down the validation of every entry.
SENSOR_KEYS: dict[vol.Marker, Any] = {
    vol.Required(const.CONF_STATE_TOPIC): subscribe_topic,
    vol.Optional(CONF_NAME): vol.Any(cv.string, None),
    vol.Optional(CONF_PAYLOAD_ON): payloads,
    vol.Optional(CONF_PAYLOAD_OFF): payloads,
    vol.Optional(CONF_VALUE_TEMPLATE): template,
    vol.Optional(const.CONF_ENCODING): encoding,
    vol.Optional(const.CONF_QOS): qos,
    vol.Optional(const.CONF_ON_DELAY): duration,
    vol.Optional(const.CONF_OFF_DELAY): duration,
    vol.Optional(const.CONF_EXPIRE_AFTER): duration,
    vol.Optional(CONF_FORCE_UPDATE): cv.boolean,
    vol.Optional(const.CONF_IGNORE_RETAINED): cv.boolean,
    vol.Optional(const.CONF_RESTORE): cv.boolean,
    vol.Optional(const.CONF_LAST_HEARD): cv.boolean,
    vol.Exclusive(const.CONF_AVAILABILITY_TOPIC, "availability"): subscribe_topic,
    vol.Optional(const.CONF_AVAILABILITY_TEMPLATE): template,
    vol.Optional(const.CONF_AVAILABILITY_MODE): vol.All(
        cv.string, vol.In(["all", "any", "latest"])
    ),
    vol.Exclusive(const.CONF_AVAILABILITY, "availability"): vol.All(
        cv.ensure_list, [AVAILABILITY_SCHEMA]
    ),
    vol.Optional(const.CONF_JSON_ATTRIBUTES_TOPIC): subscribe_topic,
    vol.Optional(const.CONF_JSON_ATTRIBUTES_TEMPLATE): template,
    vol.Optional(CONF_DEVICE_CLASS): vol.Any(DEVICE_CLASSES_SCHEMA, None),
    vol.Optional(CONF_ICON): cv.icon,
    vol.Optional(const.CONF_ENTITY_PICTURE): cv.url,
    vol.Optional(CONF_ENTITY_CATEGORY): entity_category,
    vol.Optional(const.CONF_ENABLED_BY_DEFAULT): cv.boolean,
    vol.Optional(const.CONF_VISIBLE_BY_DEFAULT): cv.boolean,
    vol.Optional(CONF_UNIQUE_ID): cv.string,
    vol.Optional(const.CONF_DEFAULT_ENTITY_ID): cv.string,
    vol.Optional(const.CONF_GROUP): vol.All(cv.ensure_list, [cv.string]),
    vol.Optional(CONF_DEVICE): DEVICE_SCHEMA,
    # Accepted as in core, but without effect: one is for publishing, one for logs.
    vol.Optional(const.CONF_MESSAGE_EXPIRY_INTERVAL): object,
    vol.Optional(const.CONF_ORIGIN): object,
} | _AVAILABLE

SENSOR_SCHEMA = vol.All(vol.Schema(SENSOR_KEYS), different_payloads)
PLATFORM_SCHEMA = vol.All(BINARY_SENSOR_PLATFORM_SCHEMA.extend(SENSOR_KEYS), different_payloads)


def discovery_prefix(value: Raw) -> str:
    """Return a discovery prefix: a topic without wildcards."""
    prefix = cv.string(value).strip().strip("/")
    if any(character in prefix for character in "+#"):
        raise vol.Invalid("the discovery prefix is a topic without wildcards")
    subscribe_topic(prefix)
    return prefix


CONFIG_SCHEMA = vol.Schema(
    {
        vol.Optional(const.DOMAIN): vol.All(
            lambda value: {} if value is None else value,
            vol.Schema(
                {
                    vol.Optional(
                        const.CONF_DISCOVERY_PREFIX, default=const.DEFAULT_DISCOVERY_PREFIX
                    ): discovery_prefix
                }
            ),
        )
    },
    extra=vol.ALLOW_EXTRA,
)
