"""The discovery prefix: from the user interface, or from `mqtt_binary:` in YAML."""

import logging
from typing import Any

from homeassistant.components import mqtt
from homeassistant.config_entries import SOURCE_IMPORT, ConfigEntryState
from homeassistant.const import CONF_DISCOVERY
from homeassistant.core import HomeAssistant

from .const import CONF_DISCOVERY_PREFIX, DOMAIN

_LOGGER = logging.getLogger(__package__)


def is_cores(hass: HomeAssistant, prefix: str) -> bool:
    """Return whether core's discovery listens there too, so sensors would be made twice.

    While MQTT is not set up, its prefix is the one that it will have if nobody changes it.
    """
    entries = hass.config_entries.async_entries(mqtt.DOMAIN)
    return any(
        options.get(CONF_DISCOVERY, mqtt.DEFAULT_DISCOVERY)
        and options.get(mqtt.CONF_DISCOVERY_PREFIX, mqtt.DEFAULT_PREFIX) == prefix
        for options in [{**entry.data, **entry.options} for entry in entries] or [{}]
    )


async def async_import(hass: HomeAssistant, config: dict[str, Any]) -> None:
    """Make the config entry of `mqtt_binary:` in YAML, or change the one that is there."""
    if is_cores(hass, prefix := config[CONF_DISCOVERY_PREFIX]):
        _LOGGER.error(
            "%s: in YAML: core's MQTT discovery listens under %r too; choose another %s",
            DOMAIN,
            prefix,
            CONF_DISCOVERY_PREFIX,
        )
        return
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.options.get(CONF_DISCOVERY_PREFIX) != prefix:
            hass.config_entries.async_update_entry(entry, options=config)
            if entry.state is ConfigEntryState.LOADED:
                hass.config_entries.async_schedule_reload(entry.entry_id)
        return
    await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_IMPORT}, data=config
    )
