"""IR/RF hubs: remote, sensor, switch and infrared platforms, learn and send services."""

from homeassistant.core import HassJob, HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN
from .registry import DATA_REGISTRY, Registry
from .reload import async_setup_reload
from .services import async_setup_services

CONFIG_SCHEMA = cv.platform_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, _config: ConfigType) -> bool:
    """Make room for the hubs that the platforms name."""
    registry = hass.data[DATA_REGISTRY] = Registry(hass)
    await registry.device_types.load()
    hass.async_add_shutdown_job(HassJob(registry.stop, "irhub: close all hubs"))
    async_setup_services(hass)
    async_setup_reload(hass)
    return True
