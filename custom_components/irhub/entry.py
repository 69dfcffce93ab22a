"""Set-up, unloading and removal of config entries: one for each hub."""

from contextlib import suppress
from dataclasses import replace
import logging
from typing import Final

from homeassistant.config_entries import (
    ConfigEntry,
    UnknownEntry,
)
from homeassistant.const import CONF_HOST, CONF_MAC
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.device_registry import DeviceEntry, DeviceInfo
from homeassistant.util.network import is_ipv4_address

from ._common.finish import finish
from .actions.deletion import async_notify_of_deletion
from .const import APPLIANCES, DOMAIN, OF_APPLIANCES, WITHOUT_HUB
from .devices.legacy_format import Appliance
from .devices.store import Devices, devices_of
from .entities.registries import EntryRegistries, device_id, subentry_of
from .entities.use import IrhubConfigEntry, Use
from .errors import HubError, StorageFailedError
from .hub.hub import Hub
from .hub.hubs import DATA_HUBS
from .hub.library import HubDevice, firmware_version
from .schema import (
    ENTRY_SCHEMA,
    WITHOUT_HUB_SCHEMA,
    hub_options,
    hub_settings,
    without_hub_settings,
)
from .settings import NO_HUB, Mac
from .yaml.hubs import DATA_YAML_HUBS

_LOGGER = logging.getLogger(__package__)

CONF_DEVICE_TYPE: Final = "device_type"
"""Key in an entry's data: the device type at the time of adding, used while it is offline."""


async def async_setup_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Set up a hub, or a home without one, without waiting for a connection."""
    is_hub = Mac(entry.data[CONF_MAC]) != NO_HUB
    await (_set_up_hub if is_hub else _set_up_without_hub)(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, entry.runtime_data.platforms)
    return True


async def _set_up_without_hub(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Set up a home without a hub; emitters and receivers may be added later."""
    config = WITHOUT_HUB_SCHEMA({**entry.data, **entry.options})
    registries = EntryRegistries(hass, entry, NO_HUB)
    settings = without_hub_settings(config, registries.register_hub().name_by_user or entry.title)
    devices = devices_of(hass, NO_HUB)
    await devices.try_load()
    use = entry.runtime_data = Use(
        hub=hass.data[DATA_HUBS].use_without_hub(settings),
        coordinator=None,
        devices=devices,
        settings=settings,
        options=hub_options(config),
        belongs_to=DeviceInfo(identifiers={(DOMAIN, str(NO_HUB))}),
        registries=registries,
        platforms=[*WITHOUT_HUB, *APPLIANCES, *OF_APPLIANCES],
    )
    entry.async_on_unload(use.async_end)
    _show_devices(hass, use)


def _show_devices(hass: HomeAssistant, use: Use) -> None:
    """Keep Home Assistant's registries in agreement with the devices."""
    registries = use.registries
    assert isinstance(registries, EntryRegistries)  # noqa: S101 - for mypy
    use.async_on_end(use.devices.async_label(registries.label))
    use.async_on_end(registries.follow(use.devices))
    ir.async_delete_issue(hass, DOMAIN, kept_codes_issue(str(use.settings.mac)))


async def _set_up_hub(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Set up a hub; the connection is made in the background."""
    config = ENTRY_SCHEMA({**entry.data, **entry.options})
    hubs, settings = hass.data[DATA_HUBS], hub_settings(config)
    hubs.device_types.remember(settings.mac, entry.data[CONF_DEVICE_TYPE])
    registries = EntryRegistries(hass, entry, settings.mac)
    settings = replace(settings, name=registries.register_hub().name_by_user or entry.title)
    devices = devices_of(hass, settings.mac)
    if await devices.try_load():
        await _import_legacy(entry, devices, registries)
    hub, status = hubs.use(settings)
    use = entry.runtime_data = Use(
        hub=hub,
        coordinator=status,
        devices=devices,
        settings=settings,
        options=hub_options(config),
        belongs_to=DeviceInfo(identifiers={(DOMAIN, str(settings.mac))}),
        registries=registries,
        platforms=[
            *hass.data[DATA_YAML_HUBS].platforms_beside(settings.mac),
            *APPLIANCES,  # they add entities as devices are added
            *OF_APPLIANCES,
        ],
    )
    entry.async_on_unload(use.async_end)
    _adopt(hass, use)
    _show_devices(hass, use)

    @callback
    def connected() -> None:
        if (device := hub.connection.device) is not None:
            _keep_address(hass, entry, device)
            _ = entry.async_create_background_task(
                hass, _describe(hub, registries, device), f"irhub: describe {hub.label}"
            )

    use.async_on_end(hub.async_add_listener(connected))
    connected()


async def _import_legacy(entry: ConfigEntry, devices: Devices, registries: EntryRegistries) -> None:
    """Import options and subentries of 0.3.0, and create missing subentries."""
    appliances = [
        Appliance(id=subentry.subentry_id, data=subentry.data)
        for subentry in entry.subentries.values()
        if subentry.unique_id not in devices
    ]
    try:
        await devices.take_over_entry(entry.options, appliances)
    except StorageFailedError as err:
        _LOGGER.error("%s", err)  # noqa: TRY400  (says it all)
        return
    registries.assign_subentries(devices)


@callback
def async_reload_soon(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Reload an entry; `async_schedule_reload` logs a traceback if it is removed meanwhile."""

    async def reload() -> None:
        with suppress(UnknownEntry):
            await hass.config_entries.async_reload(entry.entry_id)

    _ = hass.async_create_task(reload(), f"irhub: set {entry.title} up anew")


@callback
def _adopt(hass: HomeAssistant, use: Use) -> None:
    """Adopt the hub's entities from YAML with the MAC address in the other byte order.

    Entities of its devices are excluded; their ids keep the byte order of the first write.
    """
    registry, mac = er.async_get(hass), use.settings.mac
    other = str(mac.reversed)
    for entity in list(registry.entities.values()):
        if (
            entity.platform == DOMAIN
            and entity.domain in use.platforms
            and entity.unique_id.partition("-")[0] == other
            and not use.devices.owns(entity.unique_id)
        ):
            unique_id = f"{mac}{entity.unique_id.removeprefix(other)}"
            if not registry.async_get_entity_id(entity.domain, DOMAIN, unique_id):
                registry.async_update_entity(entity.entity_id, new_unique_id=unique_id)


@callback
def _keep_address(hass: HomeAssistant, entry: IrhubConfigEntry, device: HubDevice) -> None:
    """Store the address of a hub that was found at another one."""
    address = device.host[0]
    if is_ipv4_address(host := entry.data[CONF_HOST]) and host != address:
        hass.config_entries.async_update_entry(entry, data={**entry.data, CONF_HOST: address})
        async_reload_soon(hass, entry)


async def _describe(hub: Hub, registries: EntryRegistries, device: HubDevice) -> None:
    """Register model and firmware of a hub; the firmware version is requested from it."""
    maker, model = device.manufacturer, device.model
    registries.describe_hub(manufacturer=maker, model=model)
    with suppress(HubError):
        if (version := await hub.request(firmware_version)) is not None:
            registries.describe_hub(manufacturer=maker, model=model, firmware=str(version))


async def async_unload_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Remove the entities and release the hub, even if the caller is cancelled meanwhile."""
    return await finish(hass, _unload(hass, entry), f"irhub: unload {entry.title}")


async def _unload(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    # Before the platforms are unloaded, so that no entity is added to them meanwhile, and no
    # listener is left if unloading is cancelled.
    use = entry.runtime_data
    use.async_end()
    if not await hass.config_entries.async_unload_platforms(entry, use.platforms):
        return False
    hubs = hass.data[DATA_HUBS]
    if use.coordinator is None:
        await hubs.release_without_hub()
    else:
        await hubs.release([use.hub_settings])
    return True


async def async_remove_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Create a repair issue that asks whether to delete the learned commands; keep them so far."""
    mac = Mac(entry.data[CONF_MAC])
    if (hubs := hass.data.get(DATA_HUBS)) is None or hubs.get(mac) is not None:
        return
    devices = devices_of(hass, mac)
    try:
        await devices.load()
    except StorageFailedError:
        return  # the commands are kept
    if count := sum(len(device.commands) for device in devices.values()):
        ir.async_create_issue(
            hass,
            DOMAIN,
            kept_codes_issue(str(mac)),
            data={CONF_MAC: str(mac)},
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key="kept_codes",
            translation_placeholders={"name": entry.title, "count": str(count)},
        )


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: IrhubConfigEntry, device_entry: DeviceEntry
) -> bool:
    """Delete a device on request of the user; a repair issue offers to restore it.

    The hub's own device cannot be deleted.
    """
    mac = Mac(entry.data[CONF_MAC])
    if (id_ := device_id(device_entry)) == str(mac):
        return False
    devices = devices_of(hass, mac)
    await devices.load()
    if id_ is None or (device := devices.get(id_)) is None:
        return True
    subentry = subentry_of(entry, device)
    label = device_entry.name_by_user or device.name
    deleted = await devices.delete(device)
    if subentry is not None and subentry.subentry_id in entry.subentries:  # the entry is not loaded
        hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
    async_notify_of_deletion(hass, devices, deleted, label)
    return True


def kept_codes_issue(mac: str) -> str:
    """Return the id of the repair issue about the commands of a removed hub."""
    return f"kept_codes_{mac}"
