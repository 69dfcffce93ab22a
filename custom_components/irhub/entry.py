"""A hub that was added in the user interface: one config entry each."""

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
"""In an entry's data: what the device said when it was added, for when it is offline."""


async def async_setup_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Set up a hub, or what is in its place: its entities exist at once."""
    is_hub = Mac(entry.data[CONF_MAC]) != NO_HUB
    await (_set_up_hub if is_hub else _set_up_without_hub)(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, entry.runtime_data.platforms)
    return True


async def _set_up_without_hub(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Use Home Assistant's infrared emitters and receivers, which may still be to come."""
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
    """Let Home Assistant's registries follow the devices."""
    registries = use.registries
    assert isinstance(registries, EntryRegistries)  # noqa: S101 - for mypy
    use.async_on_end(use.devices.async_label(registries.label))
    use.async_on_end(registries.follow(use.devices))
    ir.async_delete_issue(hass, DOMAIN, kept_codes_issue(str(use.settings.mac)))


async def _set_up_hub(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Set up a hub, which is contacted in the background."""
    config = ENTRY_SCHEMA({**entry.data, **entry.options})
    hubs, settings = hass.data[DATA_HUBS], hub_settings(config)
    hubs.device_types.remember(settings.mac, entry.data[CONF_DEVICE_TYPE])
    registries = EntryRegistries(hass, entry, settings.mac)
    settings = replace(settings, name=registries.register_hub().name_by_user or entry.title)
    devices = devices_of(hass, settings.mac)
    if await devices.try_load():
        await _take_over(entry, devices, registries)
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
            *APPLIANCES,  # which follow the devices that come
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


async def _take_over(entry: ConfigEntry, devices: Devices, registries: EntryRegistries) -> None:
    """Take over what 0.3.0 kept with the entry; give each device with an entity its subentry."""
    older = [
        Appliance(id=subentry.subentry_id, data=subentry.data)
        for subentry in entry.subentries.values()
        if subentry.unique_id not in devices
    ]
    try:
        await devices.take_over_entry(entry.options, older)
    except StorageFailedError as err:
        _LOGGER.error("%s", err)  # noqa: TRY400  (says it all)
        return
    registries.assign_subentries(devices)


@callback
def async_reload_soon(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Set a hub up anew; Home Assistant's own way logs a traceback if it is removed meanwhile."""

    async def reload() -> None:
        with suppress(UnknownEntry):
            await hass.config_entries.async_reload(entry.entry_id)

    _ = hass.async_create_task(reload(), f"irhub: set {entry.title} up anew")


@callback
def _adopt(hass: HomeAssistant, use: Use) -> None:
    """Take over the hub's entities of a YAML that had the MAC address in the other byte order.

    Those of its devices have their ids in whatever order they were first written.
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
    """Keep the address at which a hub was found that is no longer at its own."""
    address = device.host[0]
    if is_ipv4_address(host := entry.data[CONF_HOST]) and host != address:
        hass.config_entries.async_update_entry(entry, data={**entry.data, CONF_HOST: address})
        async_reload_soon(hass, entry)


async def _describe(hub: Hub, registries: EntryRegistries, device: HubDevice) -> None:
    """Note model and firmware in the device registry; the latter is asked for."""
    maker, model = device.manufacturer, device.model
    registries.describe_hub(manufacturer=maker, model=model)
    with suppress(HubError):
        if (version := await hub.request(firmware_version)) is not None:
            registries.describe_hub(manufacturer=maker, model=model, firmware=str(version))


async def async_unload_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Remove the entities and give the hub up, to the end even if the caller is cancelled."""
    return await finish(hass, _unload(hass, entry), f"irhub: unload {entry.title}")


async def _unload(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    # First, and not only when Home Assistant has unloaded the entry: a leaving platform gets no
    # entity any more, and a cancelled unloading leaves no listener behind.
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
    """Create a repair that asks whether the learned commands go, too. Until then they stay."""
    mac = Mac(entry.data[CONF_MAC])
    if (hubs := hass.data.get(DATA_HUBS)) is None or hubs.get(mac) is not None:
        return
    devices = devices_of(hass, mac)
    try:
        await devices.load()
    except StorageFailedError:
        return  # they stay
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
    """Delete a device that the user deletes; a repair can bring it back.

    The hub's own device stays.
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
    if subentry is not None and subentry.subentry_id in entry.subentries:  # it is not loaded
        hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
    async_notify_of_deletion(hass, devices, deleted, label)
    return True


def kept_codes_issue(mac: str) -> str:
    """Return the id of the repair that asks what becomes of a removed hub's commands."""
    return f"kept_codes_{mac}"
