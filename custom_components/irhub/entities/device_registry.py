"""What stands in the device registry: a hub, and the devices that it controls."""

from itertools import chain
from typing import Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.typing import UNDEFINED, UndefinedType

from ..const import DOMAIN
from ..devices.device import Device
from ..devices.store import DATA_DEVICES, Devices
from ..errors import UserError, list_names

_PAGE: Final = f"homeassistant://config/integrations/integration/{DOMAIN}"
"""Where hubs are configured, which is where one learns, and devices are added and changed."""


class RegisteredDevices:
    """The devices of one config entry: each is known there by its id."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry, mac: str) -> None:
        self._hass = hass
        self._registry = dr.async_get(hass)
        self._entry = entry
        self._mac = mac

    @callback
    def register_hub(self) -> dr.DeviceEntry:
        """Return the hub's device; what is known of it besides is added by `describe_hub`."""
        return self._registry.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            identifiers={(DOMAIN, self._mac)},
            connections={(dr.CONNECTION_NETWORK_MAC, dr.format_mac(self._mac))},
            name=self._entry.title,
        )

    @callback
    def describe_hub(
        self, *, manufacturer: str, model: str, firmware: str | UndefinedType = UNDEFINED
    ) -> None:
        """Note what the hub said of itself; its firmware stays what it was unless it is given."""
        self._registry.async_update_device(
            self.register_hub().id, manufacturer=manufacturer, model=model, sw_version=firmware
        )

    @callback
    def register(self, device: Device, subentry: ConfigSubentry | None) -> dr.DeviceEntry:
        """Register a device, reached through the hub, with all that is known of it.

        One that was there before moves to its subentry, and its entities with it. One that is
        new is put in the area that its subentry names, or in the hub's.
        """
        subentry_id = None if subentry is None else subentry.subentry_id
        if (there := self.find(device)) is not None and subentry_id is not None:
            self._move(there, subentry_id)
        registered = self._registry.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            config_subentry_id=subentry_id,
            identifiers={(DOMAIN, device.id)},
            name=device.name,
            configuration_url=f"{_PAGE}#config_entry={self._entry.entry_id}",
        )
        hub = self.register_hub()
        area_id = (None if subentry is None else subentry.data.get("area_id")) or hub.area_id
        # Its own parameter of async_get_or_create has another name in each release.
        self._registry.async_update_device(
            registered.id,
            via_device_id=hub.id,
            area_id=area_id if there is None and area_id else UNDEFINED,
            manufacturer=device.manufacturer or registered.manufacturer,
            model=device.model or registered.model,
        )
        return registered

    def _move(self, device: dr.DeviceEntry, subentry_id: str) -> None:
        """Move a device to a subentry, and its entities with it."""
        entry_id, update = self._entry.entry_id, self._registry.async_update_device
        if has_one_subentry := hasattr(device, "config_subentry_id"):  # since 2026.9
            subentries = {device.config_subentry_id}
        else:
            subentries = device.config_entries_subentries[entry_id]
        if subentries == {subentry_id}:
            return
        if not has_one_subentry:
            update(device.id, add_config_entry_id=entry_id, add_config_subentry_id=subentry_id)
        entities = er.async_get(self._hass)
        for entity in er.async_entries_for_device(
            entities, device.id, include_disabled_entities=True
        ):
            if entity.config_entry_id == entry_id:
                entities.async_update_entity(entity.entity_id, config_subentry_id=subentry_id)
        if has_one_subentry:
            update(device.id, new_config_subentry_id=subentry_id)
        else:
            update(device.id, remove_config_entry_id=entry_id, remove_config_subentry_id=None)

    @callback
    def label(self, device: Device) -> str | None:
        """Return what the user calls a device in the interface."""
        registered = self.find(device)
        return None if registered is None else registered.name_by_user

    @callback
    def renamed(self, device: Device) -> None:
        """Let a new name count, whatever the user has called the device in the interface."""
        if (registered := self.find(device)) is not None:
            self._registry.async_update_device(registered.id, name=device.name, name_by_user=None)

    @callback
    def keep(self, devices: Devices) -> None:
        """Remove what is neither the hub nor one of these devices, if it is known which."""
        if not devices.loaded:
            return
        for registered in self._all():
            id_ = device_id(registered)
            if id_ != self._mac and id_ not in devices:
                self._registry.async_remove_device(registered.id)

    def find(self, device: Device) -> dr.DeviceEntry | None:
        """Return what the registry has of a device."""
        return next((each for each in self._all() if device_id(each) == device.id), None)

    def _all(self) -> list[dr.DeviceEntry]:
        return dr.async_entries_for_config_entry(self._registry, self._entry.entry_id)


def device_id(registered: dr.DeviceEntry) -> str | None:
    """Return the id of the device that this is, or the MAC address of the hub."""
    ours = (identifier for domain, identifier in registered.identifiers if domain == DOMAIN)
    return next(ours, None)


@callback
def find_registered(hass: HomeAssistant, device: Device) -> dr.DeviceEntry | None:
    """Return what the registry has of a device, whichever hub it is reached through."""
    registry = dr.async_get(hass)
    of_hubs = (
        dr.async_entries_for_config_entry(registry, entry.entry_id)
        for entry in hass.config_entries.async_entries(DOMAIN)
    )
    return next((each for each in chain(*of_hubs) if device_id(each) == device.id), None)


@callback
def find_device(hass: HomeAssistant, wanted: str) -> tuple[Devices, Device]:
    """Return a device by its id, by that of Home Assistant's registry, or by its name.

    Raise UserError if there is none, or if several hubs have one of that name.
    """
    registered = dr.async_get(hass).async_get(wanted)
    id_ = (device_id(registered) if isinstance(registered, dr.DeviceEntry) else None) or wanted
    stores = [*hass.data.get(DATA_DEVICES, {}).values()]
    found = [(devices, devices[id_]) for devices in stores if id_ in devices]
    if not found:
        named = ((devices, devices.known(wanted)) for devices in stores)
        found = [(devices, device) for devices, device in named if device is not None]
    if len(found) != 1:
        known = list_names(label for devices in stores for label in devices.by_label)
        raise UserError(
            "several_devices" if found else "unknown_device", device=wanted, known=known
        )
    return found[0]
