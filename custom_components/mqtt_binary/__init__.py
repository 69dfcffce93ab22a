"""MQTT binary sensors, configured in YAML or the user interface, or discovered."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers.device_registry import DeviceEntry
from homeassistant.helpers.typing import ConfigType

from .config_flow import async_import
from .connection import Connection
from .const import CONF_DISCOVERY_PREFIX, DOMAIN, PLATFORMS
from .core_sensors.links import async_update_links
from .core_sensors.replacing import (
    async_give_back_removed,
    async_restore_core_sensors,
    async_take_over_old,
    async_watch,
    replaced_by,
)
from .data import DATA, Data
from .discovery.devices import forget_all
from .discovery.listener import DiscoveryConfigEntry
from .reload import async_setup_reload
from .schema import CONFIG_SCHEMA

__all__ = ["CONFIG_SCHEMA", "async_setup", "async_setup_entry", "async_unload_entry"]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up the data shared by all sensors, and discovery if the YAML configures it."""
    connection = Connection(hass, config)
    connection.start()
    hass.data[DATA] = Data(connection=connection)
    async_setup_reload(hass)
    async_watch(hass)
    if DOMAIN in config:
        # Not awaited, since the set-up of the entry waits for this one.
        _ = hass.async_create_task(async_import(hass, config[DOMAIN]), "mqtt_binary import")
    return True


async def async_setup_entry(hass: HomeAssistant, entry: DiscoveryConfigEntry) -> bool:
    """Set up discovery."""
    prefix = entry.options[CONF_DISCOVERY_PREFIX]
    if entry.data.get(CONF_DISCOVERY_PREFIX) != prefix:
        if CONF_DISCOVERY_PREFIX in entry.data:
            forget_all(hass, entry.entry_id)
        # Stored to detect at the next start whether the YAML has changed it.
        hass.config_entries.async_update_entry(
            entry, data={**entry.data, CONF_DISCOVERY_PREFIX: prefix}
        )
    async_take_over_old(hass, entry)
    async_update_links(hass, entry)
    async_give_back_removed(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: DiscoveryConfigEntry) -> bool:
    """Stop discovery and unload its sensors."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_entry(hass: HomeAssistant, entry: DiscoveryConfigEntry) -> None:
    """Enable the core sensors that were replaced again."""
    async_restore_core_sensors(hass, [*replaced_by(entry).values()])


async def async_remove_config_entry_device(
    _hass: HomeAssistant, _entry: DiscoveryConfigEntry, _device: DeviceEntry
) -> bool:
    """Allow the user to delete a device; it returns when it is announced again."""
    return True
