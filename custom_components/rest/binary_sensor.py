"""REST binary sensors, from `binary_sensor:` entries and from `rest:` blocks."""

from typing import Any, override

from homeassistant.components.binary_sensor import BinarySensorEntity
from homeassistant.components.rest import binary_sensor as core
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .adding import async_add
from .const import DEFAULT_BINARY_SENSOR_NAME
from .entity import RestEntity
from .reply.reply import Reply
from .schema import BINARY_SENSOR_PLATFORM_SCHEMA as PLATFORM_SCHEMA
from .settings import BinarySensorSettings
from .sources import Source

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0  # a coordinator orders the polls

_YES = ("true", "on", "open", "yes")


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the binary sensor of a `platform: rest` entry, or those of `rest:` blocks."""
    await async_add(
        hass,
        Platform.BINARY_SENSOR,
        RestBinarySensor,
        config,
        async_add_entities=async_add_entities,
        discovery_info=discovery_info,
    )


OF_ENTRIES = ("async_setup_entry",)
"""Functions for config entries, which Home Assistant looks up here; newer cores have them."""


def __getattr__(name: str) -> object:
    """Return core's function for the set-up of config entries."""
    if name in OF_ENTRIES:
        return getattr(core, name)
    raise AttributeError(name)


class RestBinarySensor(RestEntity[BinarySensorSettings], BinarySensorEntity):
    """A boolean value of a reply."""

    def __init__(self, source: Source[BinarySensorSettings]) -> None:
        super().__init__(source, DEFAULT_BINARY_SENSOR_NAME)
        self._attr_device_class = source.settings.device_class

    @override
    def _stored(self) -> dict[str, Any]:
        return {"value": self._attr_is_on}

    @override
    def _restore(self, stored: dict[str, Any]) -> bool:
        match stored:
            case {"value": bool() | None as value}:
                self._attr_is_on = value
                return True
        return False

    @override
    def _show_value(self, reply: Reply, variables: dict[str, Any]) -> None:
        text = self._text(reply, variables)
        self._attr_is_on = text is not None and is_on(text)


def is_on(text: str) -> bool:
    """Return whether a text means on: an integer except 0, or one of four words, as in core."""
    try:
        return bool(int(text))
    except ValueError:
        return text.lower() in _YES
