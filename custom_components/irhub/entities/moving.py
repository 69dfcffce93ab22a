"""Moving a device to another hub; its codes, settings and entities are kept."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.event import async_track_state_change_event

from .._common.finish import finish
from ..devices.device import Command, Device, free_name
from ..devices.store import Devices
from ..errors import IrhubError
from ..hub.library import Capability
from ..ircodes.packet import kind
from .registries import EntryRegistries, async_show_devices, find_registered
from .use import IrhubConfigEntry

MAX_LEAVING_S: Final = 10
"""Maximum time, in seconds, for the removal of the entities from the old hub."""


def not_sent_by(target: IrhubConfigEntry, device: Device) -> list[Command]:
    """Return the commands of a device that a hub cannot send: radio ones, without RADIO."""
    if target.runtime_data.hub.can(Capability.RADIO):
        return []
    return [
        command
        for command in device.commands.values()
        if any(kind(packet) != "ir" for packet in command.packets)
    ]


async def async_move(
    hass: HomeAssistant, device: Device, source: IrhubConfigEntry, target: IrhubConfigEntry
) -> Device:
    """Move a device to another hub, and return it, with a new name if its name is taken there.

    Home Assistant's registries restore the ids, names and areas of its entities. If it cannot be
    written, raise IrhubError and leave the device at its old hub.
    """
    return await finish(hass, _move(hass, device, source, target), f"irhub: move {device.name}")


async def _move(
    hass: HomeAssistant, device: Device, source: IrhubConfigEntry, target: IrhubConfigEntry
) -> Device:
    devices, others = source.runtime_data.devices, target.runtime_data.devices
    await others.load()
    moved = devices.latest(device)
    moved = replace(moved, name=free_name(moved.name, _names(others)))
    registered = find_registered(hass, device)
    entities = [] if registered is None else _entities(hass, registered.id)
    # In this order an entity never belongs to two hubs, and the device can be restored if Home
    # Assistant is killed in between.
    deleted = await devices.delete(device)
    await _wait_for_removal(hass, entities)
    area_id = None if registered is None else registered.area_id
    answers = {} if area_id is None else {"area_id": area_id}
    try:
        await others.put(moved)
    except IrhubError:
        await devices.restore(deleted.id)
        async_show_devices(hass, devices)
        raise
    if moved.entity is not None:
        EntryRegistries(hass, target, others.mac).add_subentry(moved, answers)
    await devices.forget(deleted)
    return moved


def _names(devices: Devices) -> set[str]:
    return {*devices.by_label, *(device.name for device in devices.values())}


def _entities(hass: HomeAssistant, device_id: str) -> list[str]:
    of_device = er.async_entries_for_device(er.async_get(hass), device_id)
    return [entity.entity_id for entity in of_device]


async def _wait_for_removal(hass: HomeAssistant, entity_ids: Collection[str]) -> None:
    """Wait until entities are removed: entities added earlier would get different ids."""
    is_removed = asyncio.Event()

    @callback
    def changed(_event: Event[EventStateChangedData] | None = None) -> None:
        if not any(map(hass.states.get, entity_ids)):
            is_removed.set()

    end = async_track_state_change_event(hass, entity_ids, changed)
    try:
        changed()
        async with asyncio.timeout(MAX_LEAVING_S):
            await is_removed.wait()
    finally:
        end()
