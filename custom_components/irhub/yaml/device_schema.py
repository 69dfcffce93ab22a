"""Schema of a device's YAML entry; it accepts SmartIR's entries."""

from collections.abc import Callable
from typing import Any, Final

from homeassistant.const import (
    CONF_DELAY,
    CONF_DEVICE,
    CONF_DEVICE_CLASS,
    CONF_HOST,
    CONF_MAC,
    CONF_NAME,
    CONF_UNIQUE_ID,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.network import is_ipv4_address
import voluptuous as vol

from ..const import CONF_FREQUENCY
from ..devices.device import DELAY_S, POWER_DELAY_S
from ..schema import MAX_S, frequency_mhz, hub_schema, several_emitters

CONF_CONTROLLER_DATA: Final = "controller_data"
CONF_CONTROLLER_TYPE: Final = "controller_type"
CONF_DELAY_SECS: Final = "delay_secs"
CONF_DEVICE_CODE: Final = "device_code"
CONF_EMITTER: Final = "emitter"
CONF_FILE: Final = "file"
CONF_FOLLOW: Final = "follow"
CONF_HUMIDITY_SENSOR: Final = "humidity_sensor"
CONF_NUM_REPEATS: Final = "num_repeats"
CONF_POWER_SENSOR: Final = "power_sensor"
CONF_POWER_SENSOR_DELAY: Final = "power_sensor_delay"
CONF_POWER_SENSOR_RESTORE_STATE: Final = "power_sensor_restore_state"
CONF_POWER_SENSOR_THRESHOLD: Final = "power_sensor_threshold"
CONF_REMOTE_ENTITY: Final = "remote_entity"
CONF_RESEND: Final = "resend"
CONF_SOURCE_NAMES: Final = "source_names"
CONF_TEMPERATURE_SENSOR: Final = "temperature_sensor"

MAX_REPEATS: Final = 50
SOURCES: Final = (CONF_FILE, CONF_DEVICE, CONF_DEVICE_CODE)
"""Keys for the source of the commands, exactly one of which is required."""

_seconds = vol.All(vol.Coerce(float), vol.Range(min=0, max=MAX_S))
_CONTROLLER: Final = vol.Schema(
    {
        vol.Required(CONF_REMOTE_ENTITY): cv.entity_domain("remote"),
        vol.Optional(CONF_CONTROLLER_TYPE): vol.In(["Broadlink"]),
        vol.Optional(CONF_DELAY_SECS, default=DELAY_S): _seconds,
        vol.Optional(CONF_NUM_REPEATS, default=1): vol.All(
            vol.Coerce(int), vol.Range(min=1, max=MAX_REPEATS)
        ),
    }
)


def _controller(value: object) -> ConfigType:
    """Validate the entity id of a remote, a mapping with it, or the address of a hub."""
    if isinstance(value, str) and is_ipv4_address(value):
        return {CONF_HOST: value}
    controller: ConfigType = _CONTROLLER(
        {CONF_REMOTE_ENTITY: value} if isinstance(value, str) else value
    )
    return controller


def device_schema(
    platform: vol.Schema, device_classes: Callable[[object], object] | None = None
) -> Callable[[object], ConfigType]:
    """Return the schema of a platform's entries."""
    keys: dict[vol.Marker, Any] = {
        **{_optional(key): value for key, value in hub_schema().items()},
        vol.Optional(CONF_NAME): cv.string,
        vol.Optional(CONF_UNIQUE_ID): cv.string,
        vol.Optional(CONF_FILE): cv.string,
        vol.Optional(CONF_DEVICE): cv.string,
        vol.Optional(CONF_DEVICE_CODE): cv.positive_int,
        vol.Optional(CONF_CONTROLLER_DATA): _controller,
        vol.Optional(CONF_DELAY, default=DELAY_S): _seconds,
        vol.Optional(CONF_EMITTER): several_emitters,
        vol.Optional(CONF_FOLLOW, default=False): cv.boolean,
        vol.Optional(CONF_RESEND, default=False): cv.boolean,
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
        vol.Optional(CONF_TEMPERATURE_SENSOR): cv.entity_id,
        vol.Optional(CONF_HUMIDITY_SENSOR): cv.entity_id,
        vol.Optional(CONF_POWER_SENSOR): cv.entity_id,
        vol.Optional(CONF_POWER_SENSOR_THRESHOLD, default=0): vol.Coerce(float),
        vol.Optional(CONF_POWER_SENSOR_DELAY, default=POWER_DELAY_S): _seconds,
        vol.Optional(CONF_POWER_SENSOR_RESTORE_STATE, default=True): cv.boolean,
    }
    if device_classes is not None:
        keys[vol.Optional(CONF_DEVICE_CLASS)] = device_classes
        keys[vol.Optional(CONF_SOURCE_NAMES)] = {cv.string: vol.Any(None, cv.string)}
    schema: Callable[[object], ConfigType] = vol.All(platform.extend(keys), _check_hub_and_source)
    return schema


def _optional(key: vol.Marker) -> vol.Marker:
    return vol.Optional(key.schema) if key.schema in (CONF_HOST, CONF_MAC) else key


def _check_hub_and_source(config: ConfigType) -> ConfigType:
    """Validate that the hub and the source of commands are each given once."""
    named = [key for key in SOURCES if key in config]
    if len(named) != 1:
        raise vol.Invalid(
            f"one of {', '.join(SOURCES)} says where the commands are; here are"
            f" {', '.join(named) or 'none of them'}"
        )
    hub = {CONF_HOST, CONF_MAC} & config.keys()
    if len(hub) == 1 or (not hub and CONF_CONTROLLER_DATA not in config):
        raise vol.Invalid(
            f"{CONF_HOST} and {CONF_MAC} say which hub it is, or {CONF_CONTROLLER_DATA} which"
            " remote is the hub's, or its address"
        )
    return config
