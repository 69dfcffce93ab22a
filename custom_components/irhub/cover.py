"""The cover platform: screens and blinds with commands to open, close and stop."""

from typing import Any, Final, override

from homeassistant.components.cover import (
    DEVICE_CLASSES_SCHEMA,
    PLATFORM_SCHEMA as COVER_PLATFORM_SCHEMA,
    CoverDeviceClass,
    CoverEntity,
    CoverEntityFeature,
    CoverState,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .devices.kinds import Kind
from .entities.device_entity import DeviceEntity
from .entities.device_setup import async_add_from_entry
from .entities.use import IrhubConfigEntry
from .yaml.appliances import async_add_from_yaml
from .yaml.device_schema import device_schema

_KNOWN_CLASSES: Final = {known.value: known for known in CoverDeviceClass}

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = device_schema(COVER_PLATFORM_SCHEMA, DEVICE_CLASSES_SCHEMA)

_FEATURES: Final = {
    "open": CoverEntityFeature.OPEN,
    "close": CoverEntityFeature.CLOSE,
    "stop": CoverEntityFeature.STOP,
}


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the cover of a YAML entry."""
    await async_add_from_yaml(hass, config, async_add_entities, Kind.COVER, Cover)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the covers among the devices of a hub."""
    await async_add_from_entry(entry, async_add_entities, Platform.COVER, Cover)


class Cover(DeviceEntity, CoverEntity):
    """A cover; on means open."""

    _states = CoverState.OPEN.value, CoverState.CLOSED.value

    @override
    def _commands_changed(self) -> None:
        features = CoverEntityFeature(0)
        for function, feature in _FEATURES.items():
            if function in self._profile.functions:
                features |= feature
        self._attr_supported_features = features
        if (device_class := self.settings.device_class) is not None:
            self._attr_device_class = _KNOWN_CLASSES.get(device_class)

    @override
    def _show(self) -> None:
        is_open = self._is_turned_on
        self._attr_is_closed = None if is_open is None else not is_open

    @override
    def _effect_of(self, function: str) -> tuple[bool | None, dict[str, object]]:
        return function != "close", {}

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        """Open it."""
        await self._do("open", on=True)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        """Close it."""
        await self._do("close", on=False)

    @override
    async def async_stop_cover(self, **kwargs: Any) -> None:
        """Stop it; its position is then unknown."""
        await self._do("stop", on=True)
