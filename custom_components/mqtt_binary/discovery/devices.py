"""Devices of discovered sensors in the device registry."""

from collections.abc import Mapping
from typing import Any

from homeassistant.const import CONF_NAME
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo

from .. import const

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


@callback
def register(hass: HomeAssistant, entry_id: str, device: Mapping[str, Any]) -> dr.AnyDeviceEntry:
    """Create or update the device and its via device; return it, or its child device if any.

    Raise HomeAssistantError if it collides with another device.
    """
    registry = dr.async_get(hass)
    registered = registry.async_get_or_create(config_entry_id=entry_id, **_device_info(device))
    if (via := device.get(const.CONF_VIA_DEVICE)) is not None:
        through = registry.async_get_or_create(
            config_entry_id=entry_id, identifiers={(const.DOMAIN, via)}
        )
        if through.id != registered.id:
            registry.async_update_device(registered.id, via_device_id=through.id)
    if registered.name is None and (entry := hass.config_entries.async_get_entry(entry_id)):
        registry.async_update_device(registered.id, name=entry.title)  # later releases do so
    if (child := device.get(const.CONF_CHILD_DEVICE)) is None:
        return registered
    if hasattr(registry, "async_get_or_create_child"):
        return registry.async_get_or_create_child(
            config_entry_id=entry_id, parent_device_id=registered.id, **_device_info(child)
        )
    # Before Home Assistant 2026.9 there are no child devices, so `via_device` is used.
    reached = registry.async_get_or_create(config_entry_id=entry_id, **_device_info(child))
    registry.async_update_device(reached.id, via_device_id=registered.id)
    return reached


def info_of(device: dr.AnyDeviceEntry) -> DeviceInfo | dr.ChildDeviceInfo:
    """Return the device info that links an entity to a registered device."""
    if isinstance(device, dr.DeviceEntry):
        return DeviceInfo(identifiers=device.identifiers, connections=device.connections)
    return dr.ChildDeviceInfo(
        identifiers=device.identifiers, parent_device_id=device.parent_device_id
    )


def _device_info(device: Mapping[str, Any]) -> dict[str, Any]:
    """Return a validated `device` or `child_device` as arguments of the device registry."""
    info = {key: device[key] for key in _COPIED if device.get(key)}
    info["identifiers"] = {
        (const.DOMAIN, identifier) for identifier in device[const.CONF_IDENTIFIERS]
    }
    if connections := device.get(const.CONF_CONNECTIONS):
        info["connections"] = {tuple(pair) for pair in connections}
    return info


@callback
def remove_if_unused(hass: HomeAssistant, entry_id: str, device_id: str | None) -> None:
    """Remove a device without enabled sensors from the registry, as core does.

    Its disabled sensors are removed with it. It is kept while it has child devices, or devices
    connected via it. Its parent or via device is removed, too, if that has no sensor at all.
    """
    entities = er.async_get(hass)
    devices = _devices(hass, entry_id)
    if device_id not in devices or er.async_entries_for_device(entities, device_id):
        return
    while device_id is not None and (device := devices.pop(device_id, None)) is not None:
        if any(_above(other) == device_id for other in devices.values()):
            return
        _remove(hass, entry_id, device)
        device_id = _above(device)
        if device_id is not None and er.async_entries_for_device(
            entities, device_id, include_disabled_entities=True
        ):
            return


@callback
def forget_all(hass: HomeAssistant, entry_id: str) -> None:
    """Remove all discovered entities and devices from the registries, except for subentries'."""
    entities = er.async_get(hass)
    for entity in er.async_entries_for_config_entry(entities, entry_id):
        if entity.config_subentry_id is None:
            entities.async_remove(entity.entity_id)
    for device in _devices(hass, entry_id).values():
        _remove(hass, entry_id, device)


def _devices(hass: HomeAssistant, entry_id: str) -> dict[str, dr.AnyDeviceEntry]:
    """Return device id → device, children first, since removing a parent removes its children."""
    registry = dr.async_get(hass)
    registered: list[dr.AnyDeviceEntry] = []
    if hasattr(dr, "async_child_entries_for_config_entry"):  # since Home Assistant 2026.9
        registered += dr.async_child_entries_for_config_entry(registry, entry_id)
    registered += dr.async_entries_for_config_entry(registry, entry_id)
    return {device.id: device for device in registered}


def _above(device: dr.AnyDeviceEntry) -> str | None:
    """Return the id of the parent or via device, if any."""
    if isinstance(device, dr.DeviceEntry):
        return device.via_device_id
    return device.parent_device_id


def _remove(hass: HomeAssistant, entry_id: str, device: dr.AnyDeviceEntry) -> None:
    registry = dr.async_get(hass)
    if not hasattr(device, "config_entry_id") and device.config_entries != {entry_id}:
        # Before Home Assistant 2026.9, several integrations can share a device.
        registry.async_update_device(device.id, remove_config_entry_id=entry_id)
    else:
        registry.async_remove_device(device.id)
