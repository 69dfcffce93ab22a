"""Diagnostics for bug reports, without secrets."""

from operator import itemgetter
from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant

from . import const
from .core_sensors.links import links_of
from .data import DATA
from .discovery.listener import DiscoveryConfigEntry
from .entity.entity import MqttBinarySensor
from .mqtt import ABBREVIATIONS, DEVICE_ABBREVIATIONS

_PRIVATE = {
    const.CONF_CONFIGURATION_URL,
    const.CONF_CONNECTIONS,
    const.CONF_IDENTIFIERS,
    const.CONF_SERIAL_NUMBER,
    const.CONF_ENTITY_PICTURE,
    const.CONF_VIA_DEVICE,
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
    """Return the connection, the added sensors with their links, and the discovered sensors."""
    connection = hass.data[DATA].connection
    loaded = entry.state is ConfigEntryState.LOADED
    announced = entry.runtime_data.sensors.by_place if loaded else {}
    return {
        "discovery_prefix": entry.options[const.CONF_DISCOVERY_PREFIX],
        "mqtt": connection.status.value,
        "added": [dict(subentry.data) for subentry in entry.subentries.values()],
        "followed": async_redact_data(dict(links_of(entry)), TO_REDACT),
        "sensors": len(connection.members_of(MqttBinarySensor)),
        "discovered": [
            {
                "topic": place.topic,
                "component": place.component,
                "message": async_redact_data(announcement.config, TO_REDACT),
                "entity_id": announcement.sensor.entity_id,
                "state": None if state is None else state.state,
            }
            for place, announcement in sorted(announced.items(), key=itemgetter(0))
            for state in [hass.states.get(announcement.sensor.entity_id or "")]
        ],
    }
