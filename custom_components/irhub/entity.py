"""What all entities have: who they are, and the hub behind them."""

from typing import override

from homeassistant.const import CONF_MAC, CONF_NAME
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import ConfigType

from .const import CONF_DEVICE_INFO
from .hub.hub import Hub


class IrhubEntity(Entity):
    """Known by the MAC address and a key, wherever it is configured.

    YAML gives it a `name`; the entity of a config entry is named after its device and what
    its class says.
    """

    _attr_should_poll = False

    def __init__(self, config: ConfigType, name: str, key: str | None = None) -> None:
        mac = config[CONF_MAC]
        self._attr_unique_id = mac if key is None else f"{mac}-{key}"
        if (device := config.get(CONF_DEVICE_INFO)) is None:
            self._attr_name = name
        else:
            self._attr_has_entity_name = True
            self._attr_device_info = device


class HubEntity(IrhubEntity):
    """Available while there is a session with the hub."""

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        super().__init__(config, config.get(CONF_NAME, ""))
        self._hub = hub

    @property
    @override
    def available(self) -> bool:
        """Whether there is a session with the hub."""
        return self._hub.available

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub."""
        self.async_on_remove(self._hub.async_add_listener(self.async_write_ha_state))
