"""IR/RF hubs: remote, button, sensor, switch, infrared and radio entities, and actions."""

from homeassistant.core import HassJob, HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.typing import ConfigType

from .actions.services import async_setup_services
from .const import DOMAIN
from .entry import (
    async_remove_config_entry_device,
    async_remove_entry,
    async_setup_entry,
    async_unload_entry,
)
from .hub.device_types import DeviceTypes
from .hub.hubs import DATA_HUBS, Hubs
from .renames import async_follow_renames
from .yaml.hubs import async_setup_uses
from .yaml.reload import async_setup_reload

__all__ = [
    "CONFIG_SCHEMA",
    "async_remove_config_entry_device",
    "async_remove_entry",
    "async_setup",
    "async_setup_entry",
    "async_unload_entry",
]

CONFIG_SCHEMA = cv.platform_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up what all hubs share: the registry of hubs, the actions, the card."""
    device_types = DeviceTypes(hass)
    hubs = hass.data[DATA_HUBS] = Hubs(hass, device_types)
    async_setup_uses(hass, config)
    await device_types.load()
    hass.async_add_shutdown_job(HassJob(hubs.stop, "irhub: close all hubs"))
    async_setup_services(hass)
    async_setup_reload(hass)
    async_follow_renames(hass)
    for component, module in (("websocket_api", "websocket"), ("frontend", "card")):
        if component in hass.config.components:  # else its requirements may be missing
            of_card = await async_import_module(hass, f"{__package__}.frontend.{module}")
            await of_card.async_setup(hass)
    return True
