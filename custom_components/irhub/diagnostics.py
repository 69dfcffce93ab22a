"""What a user attaches to a report: no packets, no keys, and half of the MAC address."""

from typing import Any

from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant

from .codes.packet import kind
from .codes.protocols import meaning
from .devices.learned import read_packet
from .entry import CONF_DEVICE_TYPE, IrhubConfigEntry
from .settings import Mac

_SHOWN_OF_MAC = 8
"""Characters: the vendor's half."""


async def async_get_config_entry_diagnostics(
    _hass: HomeAssistant, entry: IrhubConfigEntry
) -> dict[str, Any]:
    """Return what is known of the hub, and what was learned, without the packets themselves."""
    data = entry.runtime_data
    hub, device = data.hub, data.hub.connection.device
    return {
        "mac": f"{Mac(entry.data[CONF_MAC]).label[:_SHOWN_OF_MAC]}:…",
        "device_type": f"0x{entry.data[CONF_DEVICE_TYPE]:04x}",
        "options": dict(entry.options),
        "platforms": data.platforms,
        "hub": {
            "label": hub.settings.host_label,
            "address": hub.connection.locator.address,
            "available": hub.available,
            "capabilities": sorted(hub.capabilities or ()),
            "transmissions": hub.transmissions,
            "learning": hub.ear.learning,
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
        "commands": {
            name: {command: [_shape(text) for text in texts] for command, texts in of.items()}
            for name, of in data.codes.commands.items()
        },
    }


def _shape(text: str) -> str:
    """Return the kind and size of a stored packet, and what it says."""
    try:
        packet = read_packet(text)
    except ValueError:
        return "not a packet"
    said = f", {meant.text}" if (meant := meaning(packet)) is not None else ""
    return f"{kind(packet)}, {len(packet)} bytes{said}"
