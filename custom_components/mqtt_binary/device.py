"""Devices of discovered sensors in the device registry."""

from collections.abc import Mapping
from typing import Any

from homeassistant.const import CONF_NAME
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er

from . import const

_COPIED = (
    const.CONF_CONFIGURATION_URL,
    const.CONF_HW_VERSION,
    const.CONF_MANUFACTURER,
    const.CONF_MODEL,
    const.CONF_MODEL_ID,
    CONF_NAME,
    const.CONF_SERIAL_NUMBER,
    const.CONF_SUGGESTED_AREA,
    const.CONF_SW_VERSION,
)


def device_info(device: Mapping[str, Any]) -> dict[str, Any]:
    """Return a validated `device` in the registry's words, all but `via_device`."""
    return {
        "identifiers": {
            (const.DOMAIN, identifier) for identifier in device[const.CONF_IDENTIFIERS]
        },
        "connections": {tuple(pair) for pair in device[const.CONF_CONNECTIONS]},
    } | {key: device[key] for key in _COPIED if key in device}


def register(hass: HomeAssistant, entry_id: str, device: Mapping[str, Any]) -> dr.DeviceEntry:
    """Create or update the device, and the one it is reached through.

    Raises HomeAssistantError if it collides with another device.
    """
    registry = dr.async_get(hass)
    registered = registry.async_get_or_create(config_entry_id=entry_id, **device_info(device))
    if (via := device.get(const.CONF_VIA_DEVICE)) is not None:
        through = registry.async_get_or_create(
            config_entry_id=entry_id, identifiers={(const.DOMAIN, via)}
        )
        if through.id != registered.id:
            registry.async_update_device(registered.id, via_device_id=through.id)
    return registered


def remove_if_empty(hass: HomeAssistant, entry_id: str, device_id: str | None) -> None:
    """Take a device out of the registry when its last sensor has gone.

    It stays while others are reached through it; the one it is reached through may go with it.
    """
    if device_id is None or er.async_entries_for_device(
        er.async_get(hass), device_id, include_disabled_entities=True
    ):
        return
    registry = dr.async_get(hass)
    ours = dr.async_entries_for_config_entry(registry, entry_id)
    device = next((device for device in ours if device.id == device_id), None)
    if device is None or any(other.via_device_id == device_id for other in ours):
        return
    if hasattr(device, "config_entry_id"):
        shared = device.config_entry_id != entry_id
    else:  # Home Assistant before 2026.9: several integrations can share a device
        shared = device.config_entries != {entry_id}
    if shared:
        registry.async_update_device(device_id, remove_config_entry_id=entry_id)
    else:
        registry.async_remove_device(device_id)
    remove_if_empty(hass, entry_id, device.via_device_id)
