"""Diagnostics for reports: no packets, no keys, and only half of the MAC address."""

from dataclasses import asdict
from typing import Any

from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant

from .devices.device import Device, Protocol, Taught
from .entities.recent_presses import RecognizedPress, async_recent_presses
from .entities.use import IrhubConfigEntry
from .entry import CONF_DEVICE_TYPE
from .hub.hub import Hub
from .hub.receiver import Capture
from .ircodes import meaning
from .ircodes.packet import kind
from .settings import Mac

_SHOWN_OF_MAC = 8
"""Number of shown characters of a MAC address: the vendor's half."""


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> dict[str, Any]:
    """Return data of the hub and its devices, without packets."""
    use = entry.runtime_data
    return {
        "options": dict(entry.options),
        "platforms": use.platforms,
        "receivers": [
            {
                # Without the hub's name, which is private and of no use here.
                "entity_id": None if isinstance(receiver.id, Mac) else receiver.id,
                "available": receiver.available,
                "learning": receiver.learning,
                "captures": {capture: receiver.counts[capture] for capture in Capture},
            }
            for receiver in use.hub.reception.receivers()
        ],
        **({} if use.coordinator is None else _hub_data(entry, use.own_hub)),
        "devices": [_described(device) for device in use.devices.values()],
        "deleted": len(use.devices.deleted),
        "last_heard": [*map(_press_data, await async_recent_presses(hass, use))],
    }


def _hub_data(entry: IrhubConfigEntry, hub: Hub) -> dict[str, Any]:
    """Return data of a hub."""
    device = hub.connection.device
    return {
        "mac": f"{Mac(entry.data[CONF_MAC]).label[:_SHOWN_OF_MAC]}:…",
        "device_type": f"0x{entry.data[CONF_DEVICE_TYPE]:04x}",
        "hub": {
            "label": hub.settings.host_label,
            "address": hub.connection.locator.address,
            "available": hub.available,
            "capabilities": sorted(hub.capabilities or ()),
            "transmissions": hub.transmissions,
            "learning": hub.receiver.learning,
            "captures": {capture: hub.receiver.counts[capture] for capture in Capture},
            "timeout": hub.settings.timeout,
            "min_gap": hub.settings.min_gap,
        },
        "device": None
        if device is None
        else {
            "model": device.model,
            "manufacturer": device.manufacturer,
            "type": f"0x{device.devtype:04x}",
            "locked": device.is_locked,
        },
    }


def _described(device: Device) -> dict[str, Any]:
    """Return data of a device, with the shapes of its packets."""
    names = {id_: command.name for id_, command in device.commands.items()}
    return {
        "name": device.name,
        "kind": device.kind,
        "has_entity": device.entity is not None,
        "protocol": device.rule.name if isinstance(device.rule, Protocol) else None,
        "is_taught": isinstance(device.rule, Taught),
        "settings": {
            **asdict(device.settings),
            "buttons": device.settings.buttons
            and [names[id_] for id_ in device.settings.buttons if id_ in names],
        },
        "functions": {function: names.get(id_) for function, id_ in device.functions.items()},
        "commands": {
            command.name: [*map(_shape, command.packets)] for command in device.commands.values()
        },
    }


def _press_data(received: RecognizedPress) -> dict[str, Any]:
    """Return time, shape and commands of a received press."""
    press = received.press
    return {
        "at": press.at.isoformat(timespec="milliseconds"),
        "times": press.times,
        "packet": _shape(press.packet),
        "commands": [f"{device}: {command}" for device, command in received.commands],
        "states": [f"{device}: {state}" for device, state in received.states],
        "known": "" if received.known is None else received.known.text,
    }


def _shape(packet: bytes) -> str:
    """Return kind, size and meaning of a packet."""
    meaning_text = f", {decoded.text}" if (decoded := meaning(packet)) is not None else ""
    return f"{kind(packet)}, {len(packet)} bytes{meaning_text}"
