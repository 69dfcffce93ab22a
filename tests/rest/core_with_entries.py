"""Stands in for a core whose `rest` has config entries with subentries, as it is about to."""

from types import ModuleType
from typing import Any, ClassVar, override

from homeassistant.components.binary_sensor import BinarySensorEntity
from homeassistant.components.sensor import SensorEntity
from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
    SubentryFlowResult,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

PLATFORMS = [Platform.BINARY_SENSOR, Platform.SENSOR]


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
    """Set up an entry and its platforms."""
    entry.runtime_data = entry.data["value"]
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
    """Unload an entry."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_migrate_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
    """Migrate an entry of version 1."""
    hass.config_entries.async_update_entry(entry, data={"value": entry.data["old"]}, version=2)
    return True


class CoresSensor(SensorEntity):
    """A sensor of an entry."""

    def __init__(self, entry: ConfigEntry) -> None:
        self._attr_name = "of entry"
        self._attr_native_value = entry.runtime_data


class CoresBinarySensor(BinarySensorEntity):
    """A binary sensor of an entry."""

    _attr_name = "of entry"
    _attr_is_on = True


async def set_up_sensor(
    _hass: HomeAssistant, entry: ConfigEntry, add: AddConfigEntryEntitiesCallback
) -> None:
    """Add the sensors of an entry."""
    add([CoresSensor(entry)])


async def set_up_binary_sensor(
    _hass: HomeAssistant, _entry: ConfigEntry, add: AddConfigEntryEntitiesCallback
) -> None:
    """Add the binary sensors of an entry."""
    add([CoresBinarySensor()])


class SensorFlow(ConfigSubentryFlow):
    """Adds a sensor to an entry."""

    async def async_step_user(self, _data: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Add it."""
        return self.async_create_entry(title="sensor", data={})


def config_flow() -> ModuleType:
    """Return core's module of the config flow, whose making registers it."""

    class RestConfigFlow(ConfigFlow, domain="rest"):
        """Adds an entry."""

        VERSION = 2
        subentries: ClassVar[dict[str, type[ConfigSubentryFlow]]] = {"sensor": SensorFlow}

        @override
        async def async_step_user(
            self, user_input: dict[str, Any] | None = None
        ) -> ConfigFlowResult:
            if user_input is None:
                return self.async_show_form(step_id="user")
            return self.async_create_entry(title="from the flow", data={"value": "7"})

        @classmethod
        @callback
        @override
        def async_get_supported_subentry_types(
            cls, config_entry: ConfigEntry
        ) -> dict[str, type[ConfigSubentryFlow]]:
            return cls.subentries

    module = ModuleType("homeassistant.components.rest.config_flow")
    module.RestConfigFlow = RestConfigFlow  # type: ignore[attr-defined]
    return module
