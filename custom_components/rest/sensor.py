"""The REST sensor platform."""

from homeassistant.components.rest.sensor import async_setup_platform as core_setup_platform
from homeassistant.const import CONF_SCAN_INTERVAL
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .const import DEFAULT_SCAN_INTERVAL
from .entity import RestSensor
from .request import Request
from .schema import PLATFORM_SCHEMA

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0  # a coordinator orders the polls


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add a `platform: rest` sensor; one under a `rest:` block is core's."""
    if discovery_info is not None:
        await core_setup_platform(hass, config, async_add_entities, discovery_info)
        return
    interval = config.get(CONF_SCAN_INTERVAL, DEFAULT_SCAN_INTERVAL)
    async_add_entities([RestSensor(config, Request.from_config(config), interval)])
