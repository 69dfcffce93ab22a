"""Entries of a hub in Home Assistant's registries: devices, subentries and entities."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
import logging
from types import MappingProxyType
from typing import Final, override

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigSubentry,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.typing import UNDEFINED, UndefinedType

from ..const import APPLIANCE, DOMAIN
from ..devices.device import Device
from ..devices.legacy_format import appliance_data
from ..devices.store import DATA_DEVICES, Devices
from ..errors import IrhubError, UserError, list_names
from ..settings import NO_HUB, Mac
from .device_issues import async_delete_failed_issues

_LOGGER = logging.getLogger(__package__)

_PAGE: Final = f"homeassistant://config/integrations/integration/{DOMAIN}"
"""Link to the page of the integration, where hubs and devices are configured."""


class Registries:
    """Registry entries of a hub that is configured in YAML: entities, but no devices."""

    def __init__(self, hass: HomeAssistant, mac: Mac) -> None:
        self._hass = hass
        self._mac = mac
        self._entities = er.async_get(hass)

    @property
    def hub_area(self) -> str | None:
        """Return the id of the hub's area, if any."""
        return None

    def subentry_of(self, device: Device) -> ConfigSubentry | None:  # noqa: ARG002  (none in YAML)
        """Return the subentry of a device, if any."""
        return None

    def register(self, device: Device, *, area_id: str | None = None) -> dr.DeviceEntry | None:  # noqa: ARG002  (none in YAML)
        """Register a device, and return its registry entry; None in YAML."""
        return None

    def lacks_subentry(self, device: Device) -> bool:  # noqa: ARG002  (none in YAML)
        """Return whether a device with an entity has no subentry yet."""
        return False

    def entity_id(self, domain: str, unique_id: str) -> str | None:
        """Return the id of an entity of this integration; None if it is not registered."""
        return self._entities.async_get_entity_id(domain, DOMAIN, unique_id)

    def is_called(self, name: str) -> bool:
        """Return whether any entity has this name or alias, ignoring case."""
        spoken = name.casefold()
        return any(
            spoken in {str(alias).casefold() for alias in entity.aliases}
            or spoken == str(entity.name or entity.original_name).casefold()
            for entity in self._entities.entities.values()
        )

    def is_shown(self, domain: str, unique_id: str) -> bool:
        """Return whether an entity of this integration is registered and not hidden."""
        entity = self._entities.async_get(self.entity_id(domain, unique_id) or "")
        return entity is not None and entity.hidden_by is None

    @callback
    def remove_entity(self, domain: str, unique_id: str) -> None:
        """Remove an entity from the registry, if it is registered."""
        if (entity_id := self.entity_id(domain, unique_id)) is not None:
            self._entities.async_remove(entity_id)

    @callback
    def remove_other_entities(self, domain: str, unique_ids: Collection[str]) -> None:
        """Remove the hub's entities of a domain from the registry, except these unique ids."""
        for entity in self.entities(domain):
            if entity.unique_id not in unique_ids:
                self._entities.async_remove(entity.entity_id)

    @callback
    def move_entity(
        self, domain: str, unique_id: str, name: str | UndefinedType | None, device: Device
    ) -> None:
        """Update the name and the device of a registered entity."""
        if (entity_id := self.entity_id(domain, unique_id)) is not None:
            self._entities.async_update_entity(entity_id, original_name=name)
            self._assign_to_device(entity_id, device)

    def _assign_to_device(self, entity_id: str, device: Device) -> None:
        """Assign a registered entity to its device."""

    def entities(self, domain: str) -> list[er.RegistryEntry]:
        """Return the hub's entities of a domain.

        A unique id begins with the MAC address of the device's first hub, so entities of devices
        that have moved to another hub are excluded.
        """
        others = [
            devices for mac, devices in self._hass.data[DATA_DEVICES].items() if mac != self._mac
        ]
        return [
            entity
            for entity in self._own_entities()
            if entity.domain == domain
            and entity.unique_id.startswith(f"{self._mac}-")
            and not any(devices.owns(entity.unique_id) for devices in others)
        ]

    def _own_entities(self) -> Iterable[er.RegistryEntry]:
        return [entity for entity in self._entities.entities.values() if entity.platform == DOMAIN]


class EntryRegistries(Registries):
    """Registry entries of the hub of a config entry; a device's identifier is its id.

    A device with an entity has a subentry, which shows it under the hub.
    """

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry, mac: Mac) -> None:
        super().__init__(hass, mac)
        self._devices = dr.async_get(hass)
        self._entry = entry

    @callback
    def register_hub(self) -> dr.DeviceEntry:
        """Register and return the hub's device; `describe_hub` adds further details."""
        return self._devices.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            identifiers={(DOMAIN, str(self._mac))},
            connections=set()
            if self._mac == NO_HUB
            else {(dr.CONNECTION_NETWORK_MAC, dr.format_mac(str(self._mac)))},
            name=self._entry.title,
        )

    @callback
    def describe_hub(
        self, *, manufacturer: str, model: str, firmware: str | UndefinedType = UNDEFINED
    ) -> None:
        """Update the hub's device; without `firmware` the registered version is kept."""
        self._devices.async_update_device(
            self.register_hub().id, manufacturer=manufacturer, model=model, sw_version=firmware
        )

    @property
    @override
    def hub_area(self) -> str | None:
        return self.register_hub().area_id

    @callback
    @override
    def register(self, device: Device, *, area_id: str | None = None) -> dr.DeviceEntry:
        """Register or update a device that is reached through the hub.

        A registered device moves to its subentry, together with its entities. A new one gets the
        area of its subentry, or that of the hub, unless there is an `area_id`.
        """
        subentry = self.subentry_of(device)
        subentry_id = None if subentry is None else subentry.subentry_id
        if (existing := self.find(device)) is not None and subentry_id is not None:
            self._move_device(existing, subentry_id)
        registered = self._devices.async_get_or_create(
            config_entry_id=self._entry.entry_id,
            config_subentry_id=subentry_id,
            identifiers={(DOMAIN, device.id)},
            name=device.name,
            configuration_url=f"{_PAGE}#config_entry={self._entry.entry_id}",
        )
        hub = self.register_hub()
        if area_id is None and existing is None:
            area_id = (None if subentry is None else subentry.data.get("area_id")) or hub.area_id
        # The parameter of async_get_or_create is named differently in each release.
        self._devices.async_update_device(
            registered.id,
            via_device_id=hub.id,
            area_id=area_id or UNDEFINED,
            manufacturer=device.manufacturer or registered.manufacturer,
            model=device.model or registered.model,
        )
        return registered

    def _move_device(self, device: dr.DeviceEntry, subentry_id: str) -> None:
        """Move a device and its entities to a subentry."""
        entry_id, update = self._entry.entry_id, self._devices.async_update_device
        if has_one_subentry := hasattr(device, "config_subentry_id"):  # since 2026.9
            subentries = {device.config_subentry_id}
        else:
            subentries = device.config_entries_subentries[entry_id]
        if subentries == {subentry_id}:
            return
        if not has_one_subentry:
            update(device.id, add_config_entry_id=entry_id, add_config_subentry_id=subentry_id)
        for entity in er.async_entries_for_device(
            self._entities, device.id, include_disabled_entities=True
        ):
            if entity.config_entry_id == entry_id:
                self._entities.async_update_entity(entity.entity_id, config_subentry_id=subentry_id)
        if has_one_subentry:
            update(device.id, new_config_subentry_id=subentry_id)
        else:
            update(device.id, remove_config_entry_id=entry_id, remove_config_subentry_id=None)

    def find(self, device: Device) -> dr.DeviceEntry | None:
        """Return the device registry entry of a device, if any."""
        return next(
            (entry for entry in self._registered_devices() if device_id(entry) == device.id), None
        )

    @callback
    def label(self, device: Device) -> str | None:
        """Return the name that the user has given a device in the interface, if any."""
        registered = self.find(device)
        return None if registered is None else registered.name_by_user

    def _registered_devices(self) -> list[dr.DeviceEntry]:
        return dr.async_entries_for_config_entry(self._devices, self._entry.entry_id)

    @override
    def subentry_of(self, device: Device) -> ConfigSubentry | None:
        return subentry_of(self._entry, device)

    @override
    def lacks_subentry(self, device: Device) -> bool:
        return device.entity is not None and self.subentry_of(device) is None

    @callback
    def assign_subentries(self, devices: Devices) -> None:
        """Create the missing subentries, e.g. of devices that were stored before the entry."""
        for device in devices.values():
            if self.lacks_subentry(device):
                self.add_subentry(device, {})

    @callback
    def add_subentry(self, device: Device, answers: Mapping[str, str]) -> None:
        """Create the subentry of a device; `answers` has the user's further answers (its area)."""
        subentry = ConfigSubentry(
            data=MappingProxyType({**appliance_data(device), **answers}),
            subentry_id=str(device.entity),
            subentry_type=APPLIANCE,
            title=device.name,
            unique_id=device.id,
        )
        self._hass.config_entries.async_add_subentry(self._entry, subentry)

    @callback
    @override
    def _assign_to_device(self, entity_id: str, device: Device) -> None:
        subentry = self.subentry_of(device)
        self._entities.async_update_entity(
            entity_id,
            device_id=self.register(device).id,
            config_subentry_id=None if subentry is None else subentry.subentry_id,
        )

    @override
    def entities(self, domain: str) -> list[er.RegistryEntry]:
        of_entry = er.async_entries_for_config_entry(self._entities, self._entry.entry_id)
        return [entity for entity in of_entry if entity.domain == domain]

    @callback
    def follow(self, devices: Devices) -> CALLBACK_TYPE:
        """Keep registries and stored devices in agreement. Return a function that ends it.

        Changes of devices update the registries; removed subentries update the devices.
        """
        ends = self._follow_devices(devices), self._follow_subentries(devices)

        @callback
        def end() -> None:
            for stop in ends:
                stop()

        return end

    def _follow_devices(self, devices: Devices) -> CALLBACK_TYPE:
        before = {**devices}

        @callback
        def changed() -> None:
            nonlocal before
            previous, before = before, {**devices}
            for id_, old in previous.items():
                self._follow_device(old, devices.get(id_))
            # Later, since a button that moves to another device would be removed with the old one.
            self._hass.loop.call_soon(self._remove_unknown, devices)

        self._remove_unknown(devices)
        return devices.async_add_listener(changed)

    def _follow_device(self, old: Device, new: Device | None) -> None:
        if new is None:
            async_delete_failed_issues(self._hass, old.id)
        subentry = self.subentry_of(old)
        if subentry is not None and (
            new is None or (new.entity is None and old.entity is not None)
        ):
            self._hass.config_entries.async_remove_subentry(self._entry, subentry.subentry_id)
            subentry = None
        if new is None:
            return
        if new.name != old.name:
            self._rename(new)
            if subentry is not None:
                self._hass.config_entries.async_update_subentry(
                    self._entry, subentry, title=new.name
                )
        is_new_model = (new.manufacturer, new.model) != (old.manufacturer, old.model)
        if is_new_model and self.find(new) is not None:
            self.register(new)

    def _rename(self, device: Device) -> None:
        """Register a new name, and remove the one that the user has given in the interface."""
        if (registered := self.find(device)) is not None:
            self._devices.async_update_device(registered.id, name=device.name, name_by_user=None)

    @callback
    def _remove_unknown(self, devices: Devices) -> None:
        """Remove registered devices that are not stored, once the stored ones are loaded."""
        if not devices.loaded:
            return
        for registered in self._registered_devices():
            id_ = device_id(registered)
            if id_ != str(self._mac) and id_ not in devices:
                self._devices.async_remove_device(registered.id)

    def _follow_subentries(self, devices: Devices) -> CALLBACK_TYPE:
        """Remove the entity of a device when its subentry is removed."""
        present, shown = {*self._entry.subentries}, self._ids_with_subentry(devices)
        waiting = False

        async def follow() -> None:
            nonlocal shown, waiting
            waiting, before, shown = False, shown, self._ids_with_subentry(devices)
            await self._remove_entities(devices, before - shown)

        @callback
        def changed(_change: ConfigEntryChange, changed_entry: ConfigEntry) -> None:
            nonlocal present, waiting
            # Home Assistant also calls this for each change of the entry's state.
            if changed_entry is not self._entry or present == {*self._entry.subentries}:
                return
            present = {*self._entry.subentries}
            # Subentries of many devices may be added at once: handle them together.
            if not waiting:
                waiting = True
                name = f"irhub: hide devices of {changed_entry.title}"
                _ = self._hass.async_create_task(follow(), name, eager_start=False)

        return async_dispatcher_connect(self._hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)

    def _ids_with_subentry(self, devices: Devices) -> set[str]:
        """Return the ids of the devices that have a subentry."""
        return {id_ for id_, device in devices.items() if self.subentry_of(device) is not None}

    async def _remove_entities(self, devices: Devices, ids: Collection[str]) -> None:
        """Remove the entities of devices whose subentries were removed."""
        for device in [devices[id_] for id_ in ids if id_ in devices]:
            try:
                if device.rule is None:
                    await devices.change(device, partial(replace, entity=None))
                else:  # a device with a rule is useless without its entity
                    await devices.delete(device)
            except IrhubError as err:
                _LOGGER.error("%s", err)  # noqa: TRY400  (says it all)
        devices.async_notify_listeners()


def subentry_of(entry: ConfigEntry, device: Device) -> ConfigSubentry | None:
    """Return the subentry of a device, if any.

    A subentry of 0.3.0 has the id of the device's entity as its own id; it is kept unchanged for a
    downgrade. Later ones have the device's id as unique id.
    """
    by_unique_id = (
        subentry for subentry in entry.subentries.values() if subentry.unique_id == device.id
    )
    return entry.subentries.get(device.entity or "") or next(by_unique_id, None)


def device_id(registered: dr.DeviceEntry) -> str | None:
    """Return the device's id or the hub's MAC address; None if it is not of this integration."""
    ours = (identifier for domain, identifier in registered.identifiers if domain == DOMAIN)
    return next(ours, None)


@callback
def find_registered(hass: HomeAssistant, device: Device) -> dr.DeviceEntry | None:
    """Return the device registry entry of a device of any hub."""
    registry = dr.async_get(hass)
    of_hubs = (
        dr.async_entries_for_config_entry(registry, entry.entry_id)
        for entry in hass.config_entries.async_entries(DOMAIN)
    )
    return next((entry for entry in chain(*of_hubs) if device_id(entry) == device.id), None)


@callback
def find_device(hass: HomeAssistant, name_or_id: str) -> tuple[Devices, Device]:
    """Return a device by its id, its id in Home Assistant's device registry, or its name.

    Raise UserError if there is none, or if several hubs have a device of that name.
    """
    registered = dr.async_get(hass).async_get(name_or_id)
    id_ = (device_id(registered) if isinstance(registered, dr.DeviceEntry) else None) or name_or_id
    stores = [*hass.data.get(DATA_DEVICES, {}).values()]
    matching = [(devices, devices[id_]) for devices in stores if id_ in devices]
    if not matching:
        named = ((devices, devices.known(name_or_id)) for devices in stores)
        matching = [(devices, device) for devices, device in named if device is not None]
    if len(matching) != 1:
        known = list_names(label for devices in stores for label in devices.by_label)
        raise UserError(
            "several_devices" if matching else "unknown_device", device=name_or_id, known=known
        )
    return matching[0]


@callback
def async_show_devices(hass: HomeAssistant, devices: Devices) -> None:
    """Create the subentries of devices that were added to a loaded hub."""
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        if entry.runtime_data.devices is devices:
            entry.runtime_data.registries.assign_subentries(devices)
