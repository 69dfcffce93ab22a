"""REST buttons: send a request when pressed."""

from typing import override

from homeassistant.components.button import ButtonEntity
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .adding import async_add
from .schema import BUTTON_PLATFORM_SCHEMA as PLATFORM_SCHEMA
from .settings import ButtonSettings
from .sources import Source

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0  # a coordinator orders the polls


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the button of a `platform: rest` entry, or those of `rest:` blocks."""
    await async_add(
        hass,
        Platform.BUTTON,
        RestButton,
        config,
        async_add_entities=async_add_entities,
        discovery_info=discovery_info,
    )


class RestButton(ButtonEntity):
    """Sends a request; the other entities of that request show the reply."""

    def __init__(self, source: Source[ButtonSettings]) -> None:
        self.source = source
        self._attr_name = source.settings.name
        self._attr_unique_id = source.settings.unique_id
        self._attr_icon = source.settings.icon

    @override
    async def async_press(self) -> None:
        """Send the request. Raise HomeAssistantError with the reason if it fails."""
        await self.source.coordinator.async_request()
