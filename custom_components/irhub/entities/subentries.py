"""The devices of a hub that have an entity: each is shown under the hub by its subentry."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
import logging
from types import MappingProxyType

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigSubentry,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from ..const import APPLIANCE, DOMAIN
from ..devices.device import Device
from ..devices.store import Devices
from ..devices.taken_over import appliance_data
from ..errors import IrhubError
from .device_registry import RegisteredDevices
from .use import Use, async_forget_failed

_LOGGER = logging.getLogger(__package__)


def subentry_of(entry: ConfigEntry, device: Device) -> ConfigSubentry | None:
    """Return the subentry of a device: 0.3.0's has the id of its entity, ours that of the device.

    What 0.3.0 has written stays as it is, for the way back.
    """
    return next(
        (
            subentry
            for subentry in entry.subentries.values()
            if subentry.subentry_id == device.entity or subentry.unique_id == device.id
        ),
        None,
    )


def missing_subentry(entry: ConfigEntry, device: Device) -> str | None:
    """Return the id of the subentry that a device with an entity is still to get."""
    return None if subentry_of(entry, device) is not None else device.entity


@callback
def async_add_of_device[E: Entity](
    entry: ConfigEntry[Use],
    async_add_entities: AddConfigEntryEntitiesCallback,
    device: Device,
    make: Callable[[Use], Sequence[E]],
) -> Sequence[E]:
    """Register a device of a hub, and add the entities that `make` returns, in its subentry.

    Every platform adds entities of a device by this function. Home Assistant moves a device to
    the subentry of the entity that is added last, and removes its entities of any other one.
    """
    use, subentry = entry.runtime_data, subentry_of(entry, device)
    if use.registered is not None:
        registered = use.registered.register(device, subentry)
        use = replace(use, belongs_to=DeviceInfo(identifiers=registered.identifiers))
    entities = make(use)
    async_add_entities(
        entities, config_subentry_id=None if subentry is None else subentry.subentry_id
    )
    return entities


@callback
def async_give_subentries(hass: HomeAssistant, entry: ConfigEntry, devices: Devices) -> None:
    """Give each device with an entity its subentry: those that came with their hub have none."""
    for device in devices.values():
        if (subentry_id := missing_subentry(entry, device)) is not None:
            subentry = ConfigSubentry(
                data=MappingProxyType(appliance_data(device)),
                subentry_id=subentry_id,
                subentry_type=APPLIANCE,
                title=device.name,
                unique_id=device.id,
            )
            hass.config_entries.async_add_subentry(entry, subentry)


@callback
def async_show(hass: HomeAssistant, devices: Devices) -> None:
    """Show the devices that came to a hub which is set up, and have an entity."""
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        if entry.runtime_data.devices is devices:
            async_give_subentries(hass, entry, devices)


@callback
def async_follow_devices(
    hass: HomeAssistant, entry: ConfigEntry, devices: Devices, registered: RegisteredDevices
) -> CALLBACK_TYPE:
    """Let subentries and the device registry follow the devices."""
    before = {**devices}

    @callback
    def changed() -> None:
        nonlocal before
        was, before = before, {**devices}
        for id_, old in was.items():
            new = devices.get(id_)
            subentry = subentry_of(entry, old)
            if new is None:
                async_forget_failed(hass, id_)
                if subentry is not None:
                    hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
                continue
            if new.entity is None and old.entity is not None and subentry is not None:
                hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
                subentry = None
            if new.name != old.name:
                registered.renamed(new)
                if subentry is not None:
                    hass.config_entries.async_update_subentry(entry, subentry, title=new.name)
            is_new_model = (new.manufacturer, new.model) != (old.manufacturer, old.model)
            if is_new_model and registered.find(new) is not None:
                registered.register(new, subentry)
        # Not before a command's button has moved to its new device: it would go with the old one.
        hass.loop.call_soon(registered.keep, devices)

    registered.keep(devices)
    return devices.async_add_listener(changed)


@callback
def async_follow_subentries(
    hass: HomeAssistant, entry: ConfigEntry, devices: Devices
) -> CALLBACK_TYPE:
    """Let what is shown follow the subentries; with one that goes, its device's entity goes."""
    present = {*entry.subentries}
    shown = _shown(entry, devices)

    @callback
    def changed(_change: ConfigEntryChange, of: ConfigEntry) -> None:
        nonlocal present, shown
        # Home Assistant calls for each change of the entry's state, too.
        if of is not entry or present == {*entry.subentries}:
            return
        present, before, shown = {*entry.subentries}, shown, _shown(entry, devices)
        _ = hass.async_create_task(hide(before - shown), f"irhub: hide devices of {entry.title}")

    async def hide(ids: Collection[str]) -> None:
        for device in [devices[id_] for id_ in ids if id_ in devices]:
            try:
                if device.rule is None:
                    await devices.change(device, partial(replace, entity=None))
                else:  # it is nothing without its entity
                    await devices.delete(device)
            except IrhubError as err:
                _LOGGER.error("%s", err)  # noqa: TRY400  (says it all)
        devices.async_tell()

    return async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)


def _shown(entry: ConfigEntry, devices: Devices) -> set[str]:
    """Return the ids of the devices that have a subentry."""
    return {id_ for id_, device in devices.items() if subentry_of(entry, device) is not None}
