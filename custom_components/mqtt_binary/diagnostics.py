"""What a bug report needs, without secrets."""

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.core import HomeAssistant
from homeassistant.util.json import json_loads

from . import const
from .data import DATA
from .discovery.listener import DiscoveryConfigEntry
from .entity import MqttBinarySensor
from .mqtt import ABBREVIATIONS, DEVICE_ABBREVIATIONS

_PRIVATE = {
    const.CONF_CONFIGURATION_URL,
    const.CONF_CONNECTIONS,
    const.CONF_IDENTIFIERS,
    const.CONF_SERIAL_NUMBER,
    const.CONF_ENTITY_PICTURE,
}
TO_REDACT = _PRIVATE | {
    short
    for table in (ABBREVIATIONS, DEVICE_ABBREVIATIONS)
    for short, name in table.items()
    if name in _PRIVATE
}


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: DiscoveryConfigEntry
) -> dict[str, Any]:
    """Return the connection, and each discovered sensor with its message and state."""
    connection = hass.data[DATA].connection
    return {
        "discovery_prefix": entry.options[const.CONF_DISCOVERY_PREFIX],
        "mqtt": connection.status.value,
        "sensors": len(connection.members_of(MqttBinarySensor)),
        "discovered": [
            {
                "topic": topic,
                "message": async_redact_data(json_loads(announced.payload), TO_REDACT),
                "entity_id": announced.sensor.entity_id,
                "state": None if state is None else state.state,
            }
            for topic, announced in sorted(entry.runtime_data.announced.items())
            for state in [hass.states.get(announced.sensor.entity_id or "")]
        ],
    }
