"""A discovered sensor."""

from typing import override

from homeassistant.helpers import entity_registry as er

from ..entity.entity import MqttBinarySensor
from ..settings import Settings
from .devices import info_of, register, remove_if_unused


class DiscoveredBinarySensor(MqttBinarySensor):
    """A sensor from MQTT discovery, which can have a device."""

    entry_id: str

    @override
    def _name_of(self, settings: Settings) -> str | None:
        # A null name means the name of the device.
        return super()._name_of(settings) if settings.device is None else settings.name

    def register_device(self) -> None:
        """Register the device, before the sensor is added to it.

        Raise HomeAssistantError if it collides with another.
        """
        device = self.settings.device
        if device is not None:
            self._attr_device_info = info_of(register(self.hass, self.entry_id, device))

    @override
    async def async_apply(self, settings: Settings) -> None:
        """Apply new settings, including the device.

        Raise HomeAssistantError, and change nothing, if the device collides with another.
        """
        device_id = None
        if settings.device is not None:
            device_id = register(self.hass, self.entry_id, settings.device).id
        await super().async_apply(settings)
        if (registered := self.registry_entry) is not None:
            previous = registered.device_id
            er.async_get(self.hass).async_update_entity(
                self.entity_id,
                device_id=device_id,
                entity_category=settings.entity_category,
                original_icon=settings.icon,
            )
            if previous != device_id:
                remove_if_unused(self.hass, self.entry_id, previous)
