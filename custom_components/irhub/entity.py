"""What all entities have: who they are, the hub behind them, and how one hub's are set up."""

from collections.abc import Callable, Coroutine
from typing import Any, override

from homeassistant.const import CONF_MAC, CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .const import CONF_DEVICE_INFO
from .entry import IrhubConfigEntry, entity_config
from .hub.hub import Hub
from .hub.hubs import DATA_HUBS, async_get_hub
from .hub.library import Capability

type SetUpPlatform = Callable[
    [HomeAssistant, ConfigType, AddEntitiesCallback, DiscoveryInfoType | None],
    Coroutine[Any, Any, None],
]
type SetUpEntry = Callable[
    [HomeAssistant, IrhubConfigEntry, AddConfigEntryEntitiesCallback], Coroutine[Any, Any, None]
]


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

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub."""
        self._attr_available = self._hub.available
        self.async_on_remove(self._hub.async_add_listener(self._hub_changed))

    @callback
    def _hub_changed(self) -> None:
        self._attr_available = self._hub.available
        self.async_write_ha_state()


def one_per_hub(
    schema: vol.Schema, capability: Capability, make: Callable[[Hub, ConfigType], Entity]
) -> tuple[SetUpPlatform, SetUpEntry]:
    """Return the set-up functions of a platform that has one entity for each hub.

    In YAML the user says which hubs; of a config entry, it must be able to do it.
    """

    async def async_setup_platform(
        hass: HomeAssistant,
        config: ConfigType,
        async_add_entities: AddEntitiesCallback,
        _discovery_info: DiscoveryInfoType | None = None,
    ) -> None:
        if (hub := async_get_hub(hass, config)) is not None:
            async_add_entities([make(hub, config)])

    async def async_setup_entry(
        hass: HomeAssistant,
        entry: IrhubConfigEntry,
        async_add_entities: AddConfigEntryEntitiesCallback,
    ) -> None:
        hub, config = entry.runtime_data.hub, entity_config(entry, schema)

        @callback
        def known() -> None:
            if hub.can(capability):
                async_add_entities([make(hub, config)])

        hass.data[DATA_HUBS].async_on_release(entry.entry_id, hub.async_when_known(known))

    return async_setup_platform, async_setup_entry
