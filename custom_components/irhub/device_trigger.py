"""Device triggers of followed remote controls: a press, or a state of an air conditioner."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.components.climate import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_FAN_MODE,
    ATTR_HVAC_MODE,
    ATTR_PRESET_MODE,
    ATTR_SWING_MODE,
    HVACMode,
)
from homeassistant.components.device_automation import DEVICE_TRIGGER_BASE_SCHEMA
from homeassistant.components.device_automation.exceptions import (
    InvalidDeviceAutomationConfig,
)
from homeassistant.const import (
    ATTR_TEMPERATURE,
    CONF_ABOVE,
    CONF_BELOW,
    CONF_DEVICE_ID,
    CONF_DOMAIN,
    CONF_PLATFORM,
    CONF_TYPE,
)
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, device_registry as dr
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.trigger import TriggerActionType, TriggerInfo
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from .const import DOMAIN
from .devices.device import Device
from .devices.kinds import Kind
from .devices.profile import profile_of
from .entities.device_setup import async_rule_of
from .entities.received_state import Received, signal_pressed, signal_received
from .entities.registries import device_id
from .errors import UserError
from .ircodes import Capabilities, Levels

CONF_SUBTYPE: Final = "subtype"
PRESSED: Final = "pressed"
SET_TO: Final = "set_to"
ANY: Final = "any"
"""Any state that the remote control sets, including off."""

_LEVELS: Final = {ATTR_FAN_MODE: "fan", ATTR_SWING_MODE: "swing", ATTR_PRESET_MODE: "preset"}
"""Filter of a trigger → attribute of a state."""
_FILTERS: Final[Mapping[vol.Marker, Any]] = {
    **{
        vol.Optional(bound): vol.Coerce(float)
        for bound in (ATTR_TEMPERATURE, CONF_ABOVE, CONF_BELOW)
    },
    **{vol.Optional(level): cv.string for level in _LEVELS},
}

TRIGGER_SCHEMA = cv.key_value_schemas(
    CONF_TYPE,
    {
        PRESSED: DEVICE_TRIGGER_BASE_SCHEMA.extend(
            {vol.Required(CONF_TYPE): PRESSED, vol.Required(CONF_SUBTYPE): cv.string}
        ),
        SET_TO: DEVICE_TRIGGER_BASE_SCHEMA.extend(
            {
                vol.Required(CONF_TYPE): SET_TO,
                vol.Required(CONF_SUBTYPE): vol.In([ANY, *map(str, HVACMode)]),
                **_FILTERS,
            }
        ),
    },
)


async def async_get_triggers(hass: HomeAssistant, device_id: str) -> list[dict[str, str]]:
    """Return a trigger for each command and each mode of a followed device."""
    if (device := _followed(hass, device_id)) is None:
        return []
    triggers = [(PRESSED, name) for name in device.by_name] if device.settings.events else []
    if device.kind is Kind.AIR_CONDITIONER:
        modes = [mode for mode in await _capabilities(hass, device) if mode in set(HVACMode)]
        triggers += [(SET_TO, mode) for mode in (ANY, *modes, HVACMode.OFF.value) if modes]
    return [
        {
            CONF_PLATFORM: "device",
            CONF_DOMAIN: DOMAIN,
            CONF_DEVICE_ID: device_id,
            CONF_TYPE: kind,
            CONF_SUBTYPE: subtype,
        }
        for kind, subtype in triggers
    ]


async def async_get_trigger_capabilities(
    hass: HomeAssistant, config: ConfigType
) -> dict[str, vol.Schema]:
    """Return the filters for a trigger of an air conditioner."""
    device = _followed(hass, config[CONF_DEVICE_ID])
    if config[CONF_TYPE] != SET_TO or device is None:
        return {}
    capabilities, subtype = await _capabilities(hass, device), config[CONF_SUBTYPE]
    levels = capabilities.levels if subtype == ANY else capabilities.get(subtype, Levels())
    bounds = (ATTR_TEMPERATURE, CONF_ABOVE, CONF_BELOW) if levels.temperatures else ()
    return {
        "extra_fields": vol.Schema(
            {
                **{vol.Optional(bound): vol.Coerce(float) for bound in bounds},
                **{
                    vol.Optional(level): vol.In([*levels.values(attribute)])
                    for level, attribute in _LEVELS.items()
                    if levels.values(attribute)
                },
            }
        )
    }


async def async_attach_trigger(
    hass: HomeAssistant,
    config: ConfigType,
    action: TriggerActionType,
    trigger_info: TriggerInfo,
) -> CALLBACK_TYPE:
    """Run the action when the press is received. Raise InvalidDeviceAutomationConfig."""
    if (id_ := _device_of(hass, config[CONF_DEVICE_ID])) is None:
        raise InvalidDeviceAutomationConfig(f"{config[CONF_DEVICE_ID]} is no device of {DOMAIN}")
    job = HassJob(action)
    data = {**trigger_info["trigger_data"], **config}
    subtype = config[CONF_SUBTYPE]

    @callback
    def pressed(command: str) -> None:
        if command == subtype:
            trigger = {**data, "description": f"{command} {PRESSED}"}
            hass.async_run_hass_job(job, {"trigger": trigger})

    @callback
    def received(state: Received) -> None:
        if _matches(state, config):
            words = ", ".join(map(str, state.values()))
            trigger = {**data, "description": f"set to {words}", "received": {**state}}
            hass.async_run_hass_job(job, {"trigger": trigger})

    if config[CONF_TYPE] == PRESSED:
        return async_dispatcher_connect(hass, signal_pressed(id_), pressed)
    return async_dispatcher_connect(hass, signal_received(id_), received)


def _matches(received: Received, config: ConfigType) -> bool:
    """Return whether a received state meets all filters of a trigger."""
    if config[CONF_SUBTYPE] not in (ANY, received.get(ATTR_HVAC_MODE)):
        return False
    filters = {name: config[name] for name in (ATTR_TEMPERATURE, *_LEVELS) if name in config}
    if any(received.get(name) != value for name, value in filters.items()):
        return False
    if not {CONF_ABOVE, CONF_BELOW} & config.keys():
        return True
    degrees = received.get(ATTR_TEMPERATURE)
    return isinstance(degrees, int | float) and config.get(
        CONF_ABOVE, degrees - 1
    ) < degrees < config.get(CONF_BELOW, degrees + 1)


async def _capabilities(hass: HomeAssistant, device: Device) -> Capabilities:
    """Return the capabilities of an air conditioner; empty if its rule is unusable."""
    try:
        rule = await async_rule_of(hass, device)
    except UserError:  # reported by a repair issue
        return Capabilities()
    return profile_of(device, rule).rule.capabilities


def _followed(hass: HomeAssistant, registered: str) -> Device | None:
    """Return the device for an id of the device registry, if it is followed; else None."""
    id_ = _device_of(hass, registered)
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        device: Device | None = entry.runtime_data.devices.get(id_)
        if device is not None and (device.settings.events or device.settings.follow):
            return device
    return None


def _device_of(hass: HomeAssistant, registered: str) -> str | None:
    """Return the id of the device for an id of the device registry; None if it is not irhub's."""
    entry = dr.async_get(hass).async_get(registered)
    return device_id(entry) if isinstance(entry, dr.DeviceEntry) else None
