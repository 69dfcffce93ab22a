"""An entity that stands for a hub as a whole: remote, infrared emitter, radio transmitter."""

from typing import override

from homeassistant.const import CONF_MAC, CONF_NAME
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import ConfigType

from .hub import Hub


class HubEntity(Entity):
    """Named by its entry, known by the MAC address, available while there is a session."""

    _attr_should_poll = False

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        self._hub = hub
        self._attr_name = config[CONF_NAME]
        self._attr_unique_id = config[CONF_MAC]

    @property
    @override
    def available(self) -> bool:
        """Whether there is a session with the hub."""
        return self._hub.available

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub."""
        self.async_on_remove(self._hub.async_add_listener(self.async_write_ha_state))
