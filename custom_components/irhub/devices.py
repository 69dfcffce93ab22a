"""What stands in the device registry: a hub, and the devices that it learned commands for."""

from collections.abc import Collection
from urllib.parse import quote, unquote

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.typing import UNDEFINED, UndefinedType

from .const import DOMAIN

type _Identifier = tuple[str, str]


class HubDevices:
    """The devices of one config entry."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry, mac: str) -> None:
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
    def register_learned(self, device: str) -> dr.DeviceEntry:
        """Return the device of that name, reached through the hub."""
        registered = self._registry.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            identifiers={self._identifier(device)},
            name=device,
        )
        # Its own parameter of async_get_or_create has another name in each release.
        self._registry.async_update_device(registered.id, via_device_id=self.register_hub().id)
        return registered

    @callback
    def follow_learned(self, old: str, new: str, present: Collection[str]) -> dr.DeviceEntry:
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
    def keep_learned(self, present: Collection[str]) -> None:
        """Remove the devices that have no commands any more."""
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
