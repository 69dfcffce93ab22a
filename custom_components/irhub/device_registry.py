"""What stands in the device registry: a hub, and the devices that it learned commands for."""

from collections.abc import Collection
from typing import Final
from urllib.parse import quote, unquote

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.typing import UNDEFINED, UndefinedType

from .const import DOMAIN
from .formats.imported import Imported

type _Identifier = tuple[str, str]

_PAGE: Final = f"homeassistant://config/integrations/integration/{DOMAIN}"
"""Where hubs are configured, which is where one learns, and appliances are added and changed."""


class HubDevices:
    """The devices of one config entry."""

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
    def register_learned(self, device: str, subentry_id: str | None = None) -> dr.DeviceEntry:
        """Return the device of that name, reached through the hub; of an appliance, if it is one.

        A device that was there before moves to its subentry, and its entities with it.
        """
        identifier = self._identifier(device)
        if (there := self._find(identifier)) is not None and subentry_id is not None:
            self._move(there, subentry_id)
        registered = self._registry.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            config_subentry_id=subentry_id,
            identifiers={identifier},
            name=device,
            configuration_url=f"{_PAGE}#config_entry={self._entry.entry_id}",
        )
        hub = self.register_hub()
        # Its own parameter of async_get_or_create has another name in each release.
        self._registry.async_update_device(
            registered.id,
            via_device_id=hub.id,
            area_id=hub.area_id if there is None and hub.area_id else UNDEFINED,
        )
        return registered

    @callback
    def describe_learned(self, imported: Imported) -> None:
        """Note maker and model of the one device that was imported, if they were said."""
        if len(imported.commands) != 1:
            return
        [device] = imported.commands
        if (registered := self._find(self._identifier(device))) is not None:
            self._registry.async_update_device(
                registered.id,
                manufacturer=imported.manufacturer or registered.manufacturer,
                model=", ".join(imported.models) or registered.model,
            )

    @callback
    def register_appliance(
        self,
        device: str,
        subentry_id: str,
        *,
        manufacturer: str | None,
        model: str | None,
        area_id: str | None,
    ) -> dr.DeviceInfo:
        """Register the device of an appliance, which is that of its commands; return who it is.

        The area is for one that was not there before.
        """
        is_new = self._find(self._identifier(device)) is None
        registered = self.register_learned(device, subentry_id)
        self._registry.async_update_device(
            registered.id,
            manufacturer=manufacturer or registered.manufacturer,
            model=model or registered.model,
            area_id=area_id if is_new and area_id is not None else UNDEFINED,
        )
        return dr.DeviceInfo(identifiers=registered.identifiers)

    def _move(self, device: dr.DeviceEntry, subentry_id: str) -> None:
        """Move a device to a subentry, and its entities with it."""
        entry_id, update = self._entry.entry_id, self._registry.async_update_device
        if has_one_subentry := hasattr(device, "config_subentry_id"):  # since 2026.9
            there = device.config_subentry_id == subentry_id
        else:
            there = subentry_id in device.config_entries_subentries.get(entry_id, ())
        if there:
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
    def move_learned(self, old: str, new: str, present: Collection[str]) -> dr.DeviceEntry:
        """Return the device that a command moved to.

        A device that all commands have left for a new one is that new one, and keeps what the
        user has made of it. `present` are the devices that have commands now.
        """
        before = self._find(self._identifier(old))
        if before is not None and old not in present and not self._find(self._identifier(new)):
            self._registry.async_update_device(
                before.id, new_identifiers={self._identifier(new)}, name=new
            )
        return self.register_learned(new)

    @callback
    def shown_name(self, device: str) -> str:
        """Return what the user calls the device of that name."""
        registered = self._find(self._identifier(device))
        return (registered and registered.name_by_user) or device

    @callback
    def keep_learned(self, present: Collection[str]) -> None:
        """Remove the devices but the hub and those of that name: they have no commands any more."""
        for registered in self._all():
            device = learned_device(registered, self._mac)
            if device is not None and device not in present:
                self._registry.async_remove_device(registered.id)

    def _identifier(self, device: str) -> _Identifier:
        return DOMAIN, f"{self._mac}-{quote(device, safe='')}"

    def _find(self, identifier: _Identifier) -> dr.DeviceEntry | None:
        return next((device for device in self._all() if identifier in device.identifiers), None)

    def _all(self) -> list[dr.DeviceEntry]:
        return dr.async_entries_for_config_entry(self._registry, self._entry.entry_id)


def learned_device(registered: dr.DeviceEntry, mac: str) -> str | None:
    """Return which learned device of a hub this is; None if it is the hub itself."""
    for domain, identifier in registered.identifiers:
        if domain == DOMAIN and identifier.startswith(f"{mac}-"):
            return unquote(identifier.removeprefix(f"{mac}-"))
    return None
