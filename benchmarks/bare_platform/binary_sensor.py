"""A platform that only subscribes each of its sensors to a topic."""

import asyncio
from typing import override

from homeassistant.components import mqtt
from homeassistant.components.binary_sensor import (
    PLATFORM_SCHEMA as BINARY_SENSOR_PLATFORM_SCHEMA,
    BinarySensorEntity,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

PLATFORM_SCHEMA = BINARY_SENSOR_PLATFORM_SCHEMA.extend(
    {vol.Required("name"): cv.string, vol.Required("state_topic"): cv.string}
)

_waiting: list[BareSensor] = []


async def async_setup_platform(
    _hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add one sensor, together with those set up at the same time, as our platform does."""
    _waiting.append(BareSensor(config["name"], config["state_topic"]))
    if len(_waiting) == 1:
        await asyncio.sleep(0)
        sensors = _waiting.copy()
        _waiting.clear()
        async_add_entities(sensors)


class BareSensor(BinarySensorEntity):
    """A sensor that stays unknown."""

    _attr_should_poll = False

    def __init__(self, name: str, topic: str) -> None:
        self._attr_name = name
        self._topic = topic

    @override
    async def async_added_to_hass(self) -> None:
        """Subscribe to the topic."""
        self.async_on_remove(await mqtt.async_subscribe(self.hass, self._topic, self._ignore))

    @callback
    def _ignore(self, _: mqtt.ReceiveMessage) -> None:
        pass
