"""A hub that was added in the user interface: one config entry each."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    UnknownEntry,
)
from homeassistant.const import CONF_HOST, CONF_MAC, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.device_registry import DeviceEntry, DeviceInfo
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.util.network import is_ipv4_address

from ._common.finish import finish
from .const import CONF_EMITTERS, DOMAIN
from .device_registry import HubDevices, learned_device
from .devices.learned import Moves, codes_of
from .errors import HubError, StorageFailedError
from .hub.hub import Hub
from .hub.hubs import DATA_HUBS, Claim
from .hub.library import Device, firmware_version
from .hub_use import DATA_YAML_HUBS, HubUse, end_all
from .schema import ENTRY_SCHEMA, hub_options, hub_settings
from .settings import HubOptions, Mac

CONF_DEVICE_TYPE: Final = "device_type"
"""In an entry's data: what the device said when it was added, for when it is offline."""

type IrhubConfigEntry = ConfigEntry[EntryData]


@dataclass(frozen=True, kw_only=True)
class EntryData(HubUse):
    """A hub as a config entry uses it: what its platforms share."""

    claim: Claim
    ends: list[CALLBACK_TYPE]
    """What `async_on_end` was given."""
    devices: HubDevices
    platforms: Sequence[Platform]
    """Those that YAML does not set up for the hub."""
    becoming: set[str] = field(default_factory=set)
    """Devices that are about to be appliances: their commands get no buttons until then."""


async def async_setup_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> bool:
    """Set up a hub: its entities exist at once, it is contacted in the background."""
    config = ENTRY_SCHEMA({**entry.data, **entry.options})
    hubs, settings = hass.data[DATA_HUBS], hub_settings(config)
    hubs.device_types.remember(settings.mac, entry.data[CONF_DEVICE_TYPE])
    devices = HubDevices(hass, entry, str(settings.mac))
    settings = replace(settings, name=devices.register_hub().name_by_user or entry.title)
    claim = hubs.claim(settings)
    ends: list[CALLBACK_TYPE] = []
    entry.async_on_unload(partial(end_all, ends))
    data = entry.runtime_data = EntryData(
        hub=claim.hub,
        status=claim.status,
        codes=codes_of(hass, settings.mac),
        settings=settings,
        options=hub_options(config),
        device=DeviceInfo(identifiers={(DOMAIN, str(settings.mac))}),
        async_on_end=ends.append,
        ends=ends,
        claim=claim,
        devices=devices,
        platforms=[
            *hass.data[DATA_YAML_HUBS].platforms_beside(settings.mac),
            *sorted({Platform(one.data["kind"]) for one in entry.subentries.values()}),
        ],
    )
    _adopt(hass, settings.mac, data.platforms)

    @callback
    def connected() -> None:
        if (device := data.hub.connection.device) is not None:
            _keep_address(hass, entry, device)
            _ = entry.async_create_background_task(
                hass, _describe(data.hub, devices, device), f"irhub: describe {data.hub.label}"
            )

    emitters = _emitters(entry, data.options)

    @callback
    def renamed(moved: Moves) -> None:
        _rename_devices(hass, entry, moved, data.codes.commands, emitters)

    appliances = _appliances(entry)

    @callback
    def changed(_change: ConfigEntryChange, of: ConfigEntry) -> None:
        nonlocal appliances
        # Home Assistant calls for each change of the entry's state, too: one reload is enough.
        if of is entry and (present := _appliances(entry)) != appliances:
            appliances = present
            async_reload_soon(hass, entry)

    data.async_on_end(data.codes.async_emit_through(emitters))
    data.async_on_end(data.codes.async_add_listener(renamed))
    data.async_on_end(async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed))
    data.async_on_end(data.hub.async_add_listener(connected))
    connected()
    ir.async_delete_issue(hass, DOMAIN, kept_codes_issue(str(settings.mac)))
    await hass.config_entries.async_forward_entry_setups(entry, data.platforms)
    return True


@callback
def async_reload_soon(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Set a hub up anew; Home Assistant's own way logs a traceback if it is removed meanwhile."""

    async def reload() -> None:
        with suppress(UnknownEntry):
            await hass.config_entries.async_reload(entry.entry_id)

    _ = hass.async_create_task(reload(), f"irhub: set {entry.title} up anew")


def _emitters(entry: ConfigEntry, options: HubOptions) -> dict[str, str]:
    """Return device → emitter: of an appliance the one that it names itself, or none."""
    emitters = {**options.emitters}
    for subentry in entry.subentries.values():
        emitters.pop(device := subentry.data["device"], None)
        if (emitter := subentry.data.get("emitter")) is not None:
            emitters[device] = emitter
    return emitters


def _appliances(entry: ConfigEntry) -> dict[str, Mapping[str, Any]]:
    """Return what the subentries say: Home Assistant changes them in their place."""
    return {subentry.subentry_id: subentry.data for subentry in entry.subentries.values()}


@callback
def _rename_devices(
    hass: HomeAssistant,
    entry: ConfigEntry,
    moved: Moves,
    present: Collection[str],
    emitters: dict[str, str],
) -> None:
    """Give emitters and appliances the new names of their devices and commands."""
    renamed = {old: new for (old, _), (new, _) in moved.items() if old not in present}
    for old, new in renamed.items():
        if (emitter := emitters.pop(old, None)) is not None:
            emitters.setdefault(new, emitter)
    options = entry.options.get(CONF_EMITTERS, {})
    if renamed.keys() & options.keys():
        moved_to = {new: options[old] for old, new in renamed.items() if old in options}
        stay = {device: options[device] for device in options.keys() - renamed.keys()}
        options = moved_to | stay
        hass.config_entries.async_update_entry(
            entry, options={**entry.options, CONF_EMITTERS: options}
        )
    for subentry in entry.subentries.values():
        device = subentry.data["device"]
        of_device = {old[1]: new for old, new in moved.items() if old[0] == device}
        if not of_device or "protocol" in subentry.data:  # these are not what it is made of
            continue
        data = dict(subentry.data)
        if device not in present:
            data["device"] = next(iter(of_device.values()))[0]
        if (functions := data.get("functions")) is not None:
            data["functions"] = {
                function: of_device[command][1] if command in of_device else command
                for function, command in functions.items()
            }
        taken = any(
            other is not subentry and other.unique_id == data["device"]
            for other in entry.subentries.values()
        )  # of a device that went into another appliance's: it stays as it is, without commands
        if data != subentry.data and not taken:
            hass.config_entries.async_update_subentry(
                entry, subentry, data=data, title=data["device"], unique_id=data["device"]
            )


@callback
def _adopt(hass: HomeAssistant, mac: Mac, platforms: Collection[Platform]) -> None:
    """Take over the entities of a YAML that had the MAC address in the other byte order."""
    registry, other = er.async_get(hass), str(mac.reversed)
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
def _keep_address(hass: HomeAssistant, entry: IrhubConfigEntry, device: Device) -> None:
    """Keep the address at which a hub was found that is no longer at its own."""
    address = device.host[0]
    if is_ipv4_address(host := entry.data[CONF_HOST]) and host != address:
        hass.config_entries.async_update_entry(entry, data={**entry.data, CONF_HOST: address})
        async_reload_soon(hass, entry)


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
    # First, and not only when Home Assistant has unloaded the entry: a leaving platform gets no
    # entity any more, and a cancelled unloading leaves no listener behind.
    end_all(entry.runtime_data.ends)
    if not await hass.config_entries.async_unload_platforms(entry, entry.runtime_data.platforms):
        return False
    await hass.data[DATA_HUBS].release([entry.runtime_data.claim])
    return True


async def async_remove_entry(hass: HomeAssistant, entry: IrhubConfigEntry) -> None:
    """Let a repair ask whether the learned commands go, too. Until then they stay."""
    mac = Mac(entry.data[CONF_MAC])
    if (hubs := hass.data.get(DATA_HUBS)) is None or hubs.get(mac) is not None:
        return
    codes = codes_of(hass, mac)
    try:
        await codes.load()
    except StorageFailedError:
        return  # they stay
    if count := sum(map(len, codes.commands.values())):
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
    """Delete the commands of a device that the user deletes, and what was made of them.

    The hub's own device stays.
    """
    mac = entry.data[CONF_MAC]
    if (device := learned_device(device_entry, mac)) is None:
        return False
    codes = codes_of(hass, Mac(mac))
    await codes.load()
    if device in codes.commands:
        await codes.delete(device)
    for subentry in list(entry.subentries.values()):
        if subentry.title == device:
            hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
    return True


def kept_codes_issue(mac: str) -> str:
    """Return the id of the repair that asks what becomes of a removed hub's commands."""
    return f"kept_codes_{mac}"
