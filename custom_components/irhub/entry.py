"""A hub that was added in the user interface: one config entry each."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_MAC, CONF_PLATFORM, CONF_PORT, CONF_TYPE, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.device_registry import DeviceEntry, DeviceInfo
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.network import is_ipv4_address
import voluptuous as vol

from ._common.finish import finish
from .codes.codes import Codes
from .const import CONF_DEVICE_INFO, DOMAIN, PLATFORMS
from .devices import HubDevices, learned_device
from .errors import HubError, StorageFailedError
from .hub.hub import Hub
from .hub.hubs import DATA_HUBS
from .hub.library import Device, firmware_version
from .schema import hub_schema, hub_settings, reverse_mac

CONF_DEVICE_TYPE: Final = "device_type"
"""In an entry's data: what the device said when it was added, for when it is offline."""

HUB_SCHEMA: Final = vol.Schema(hub_schema())

type IrhubConfigEntry = ConfigEntry[EntryData]


@dataclass(frozen=True, kw_only=True)
class EntryData:
    """What the platforms of a config entry share."""

    hub: Hub
    codes: Codes
    devices: HubDevices
    platforms: list[Platform]
    """Those that YAML does not set up for the hub."""


async def async_setup_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Set up a hub: its entities exist at once, it is contacted in the background."""
    hubs, mac = hass.data[DATA_HUBS], entry.data[CONF_MAC]
    hubs.device_types.remember(mac, entry.data[CONF_DEVICE_TYPE])
    hub = hubs.claim(hub_settings(entity_config(entry, HUB_SCHEMA)), entry.entry_id)
    devices = HubDevices(hass, entry, mac)
    devices.register_hub()
    entry.runtime_data = EntryData(
        hub=hub,
        codes=hubs.codes(mac),
        devices=devices,
        platforms=[platform for platform in PLATFORMS if not hubs.is_in_yaml(platform, mac)],
    )

    _adopt(hass, mac, entry.runtime_data.platforms)

    @callback
    def connected() -> None:
        if (device := hub.connection.device) is not None:
            _follow(hass, entry, device)
            _ = entry.async_create_background_task(
                hass, _describe(hub, devices, device), f"irhub: describe {hub.label}"
            )

    hubs.async_on_release(entry.entry_id, hub.async_add_listener(connected))
    connected()
    ir.async_delete_issue(hass, DOMAIN, kept_codes_issue(mac))
    await hass.config_entries.async_forward_entry_setups(entry, entry.runtime_data.platforms)
    return True


@callback
def _adopt(hass: HomeAssistant, mac: str, platforms: Collection[Platform]) -> None:
    """Take over the entities of a YAML that had the MAC address in the other byte order."""
    registry, other = er.async_get(hass), reverse_mac(mac)
    for entity in list(registry.entities.values()):
        if (
            entity.platform == DOMAIN
            and entity.domain in platforms
            and entity.unique_id.partition("-")[0] == other
        ):
            unique_id = f"{mac}{entity.unique_id.removeprefix(other)}"
            if not registry.async_get_entity_id(entity.domain, DOMAIN, unique_id):
                registry.async_update_entity(entity.entity_id, new_unique_id=unique_id)


@callback
def _follow(hass: HomeAssistant, entry: IrhubConfigEntry, device: Device) -> None:
    """Keep the address at which a hub was found that is no longer at its own."""
    address = device.host[0]
    if is_ipv4_address(host := entry.data[CONF_HOST]) and host != address:
        hass.config_entries.async_update_entry(entry, data={**entry.data, CONF_HOST: address})
        hass.config_entries.async_schedule_reload(entry.entry_id)


async def _describe(hub: Hub, devices: HubDevices, device: Device) -> None:
    """Note model and firmware in the device registry; the latter is asked for."""
    maker, model = device.manufacturer, device.model
    devices.describe_hub(manufacturer=maker, model=model)
    with suppress(HubError):
        if (version := await hub.request(firmware_version)) is not None:
            devices.describe_hub(manufacturer=maker, model=model, firmware=str(version))


async def async_unload_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Remove the entities and give the hub up, to the end even if the caller is cancelled."""
    return await finish(hass, _unload(hass, entry), f"irhub: unload {entry.title}")


async def _unload(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    hubs = hass.data[DATA_HUBS]
    hubs.end_following(entry.entry_id)  # what is learned now is no entity of a leaving platform
    if not await hass.config_entries.async_unload_platforms(entry, entry.runtime_data.platforms):
        return False
    await hubs.release(entry.entry_id)
    return True


async def async_remove_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Let a repair ask whether the learned commands go, too. Until then they stay."""
    mac: str = entry.data[CONF_MAC]
    if (hubs := hass.data.get(DATA_HUBS)) is None or hubs.get(mac) is not None:
        return
    codes = hubs.codes(mac)
    try:
        await codes.load()
    except StorageFailedError:
        return  # they stay
    if count := sum(map(len, codes.commands.values())):
        ir.async_create_issue(
            hass,
            DOMAIN,
            kept_codes_issue(mac),
            data={CONF_MAC: mac},
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key="kept_codes",
            translation_placeholders={"name": entry.title, "count": str(count)},
        )


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: IrhubConfigEntry, device_entry: DeviceEntry
) -> bool:
    """Delete the commands of a device that the user deletes. The hub's own device stays."""
    mac = entry.data[CONF_MAC]
    if (device := learned_device(device_entry, mac)) is None:
        return False
    codes = hass.data[DATA_HUBS].codes(mac)
    await codes.load()
    if device in codes.commands:
        await codes.delete(device)
    return True


def entity_config(entry: IrhubConfigEntry, schema: vol.Schema, **keys: object) -> ConfigType:
    """Return what a YAML entry would say: what the user has set, `keys`, a platform's defaults.

    The entities are named after the hub's device, which stands under CONF_DEVICE_INFO.
    """
    said = {CONF_PLATFORM: DOMAIN, **_said(entry), **keys}
    config: ConfigType = schema({key: said[key] for key in said if key in schema.schema})
    return {**config, CONF_DEVICE_INFO: DeviceInfo(identifiers={(DOMAIN, entry.data[CONF_MAC])})}


def _said(entry: IrhubConfigEntry) -> ConfigType:
    """Return the keys of a YAML entry that the user has a say in."""
    keys = (CONF_HOST, CONF_MAC, CONF_PORT, CONF_TYPE)
    return {**{key: entry.data[key] for key in keys if key in entry.data}, **entry.options}


def kept_codes_issue(mac: str) -> str:
    """Return the id of the repair that asks what becomes of a removed hub's commands."""
    return f"kept_codes_{mac}"
