"""A sensor that was announced over MQTT."""

from typing import override

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from ..data import Data
from ..entity.entity import MqttBinarySensor
from ..settings import Settings
from .devices import info_of, register, remove_if_unused


class DiscoveredBinarySensor(MqttBinarySensor):
    """Can have a device, and be changed while it runs."""

    def __init__(
        self, hass: HomeAssistant, data: Data, settings: Settings, *, entry_id: str
    ) -> None:
        self._entry_id = entry_id
        super().__init__(hass, data, settings)

    @override
    def _name_of(self, settings: Settings) -> str | None:
        # A name that is null says: like the device.
        return super()._name_of(settings) if settings.device is None else settings.name

    def register_device(self) -> None:
        """Register the device, before the sensor is added to it.

        Raise HomeAssistantError if it collides with another.
        """
        device = self.settings.device
        if device is not None:
            self._attr_device_info = info_of(register(self.hass, self._entry_id, device))

    async def async_apply(self, settings: Settings) -> None:
        """Take on new settings; the value stays until the next message.

        Raise HomeAssistantError, and stay as it was, if the device collides with another.
        """
        device = (
            None
            if settings.device is None
            else register(self.hass, self._entry_id, settings.device)
        )
        self._take_settings(settings)
        self._read_as(settings)
        if self._data.connection.set_up:
            await self.async_subscribe()
        if (registered := self.registry_entry) is not None:
            previous = registered.device_id
            er.async_get(self.hass).async_update_entity(
                self.entity_id,
                device_id=None if device is None else device.id,
                entity_category=settings.entity_category,
                original_icon=settings.icon,
            )
            if previous != (None if device is None else device.id):
                remove_if_unused(self.hass, self._entry_id, previous)
        self.async_write_ha_state()
