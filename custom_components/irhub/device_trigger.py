"""Device triggers: the buttons of a remote control that is followed, each "pressed"."""

from typing import Final

from homeassistant.components.device_automation import DEVICE_TRIGGER_BASE_SCHEMA
from homeassistant.components.device_automation.exceptions import (
    InvalidDeviceAutomationConfig,
)
from homeassistant.const import CONF_DEVICE_ID, CONF_DOMAIN, CONF_PLATFORM, CONF_TYPE
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, device_registry as dr
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.trigger import TriggerActionType, TriggerInfo
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from .const import DOMAIN
from .entities.registries import device_id
from .event import signal_pressed

CONF_SUBTYPE: Final = "subtype"
PRESSED: Final = "pressed"

TRIGGER_SCHEMA = DEVICE_TRIGGER_BASE_SCHEMA.extend(
    {vol.Required(CONF_TYPE): vol.In({PRESSED}), vol.Required(CONF_SUBTYPE): cv.string}
)


async def async_get_triggers(hass: HomeAssistant, device_id: str) -> list[dict[str, str]]:
    """Return a trigger for each command of a device whose remote control is followed."""
    id_ = _device_of(hass, device_id)
    followed = [
        device
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if (device := entry.runtime_data.devices.get(id_)) is not None and device.settings.events
    ]
    return [
        {
            CONF_PLATFORM: "device",
            CONF_DOMAIN: DOMAIN,
            CONF_DEVICE_ID: device_id,
            CONF_TYPE: PRESSED,
            CONF_SUBTYPE: name,
        }
        for device in followed
        for name in device.by_name
    ]


async def async_attach_trigger(
    hass: HomeAssistant,
    config: ConfigType,
    action: TriggerActionType,
    trigger_info: TriggerInfo,
) -> CALLBACK_TYPE:
    """Call the action when the button is pressed. Raise InvalidDeviceAutomationConfig."""
    if (id_ := _device_of(hass, config[CONF_DEVICE_ID])) is None:
        raise InvalidDeviceAutomationConfig(f"{config[CONF_DEVICE_ID]} is no device of {DOMAIN}")
    job = HassJob(action)
    data = {
        **trigger_info["trigger_data"],
        **config,
        "description": f"{config[CONF_SUBTYPE]} {PRESSED}",
    }

    @callback
    def pressed(command: str) -> None:
        if command == config[CONF_SUBTYPE]:
            hass.async_run_hass_job(job, {"trigger": data})

    return async_dispatcher_connect(hass, signal_pressed(id_), pressed)


def _device_of(hass: HomeAssistant, registered: str) -> str | None:
    """Return the id of the device that stands in the device registry, if it is ours."""
    entry = dr.async_get(hass).async_get(registered)
    return device_id(entry) if isinstance(entry, dr.DeviceEntry) else None
