"""What devices announce under a prefix of ours."""

import json
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.helpers import device_registry as dr

from tests.home import until

from .home import MqttHome

TOPIC = "mqtt_binary/binary_sensor/door/config"

DEVICE = {"identifiers": "serial-1", "name": "Door contact"}

CONFIG = {"state_topic": "home/door", "unique_id": "door", "name": None, "device": DEVICE}


async def announce(home: MqttHome, config: Any, topic: str = TOPIC, *, retain: bool = True) -> None:  # noqa: ANN401  (any JSON)
    """Publish a discovery message and wait until it has been processed."""
    payload = config if isinstance(config, str | bytes) else json.dumps(config)
    home.publish(topic, payload, retain=retain)
    await processed(home)


async def processed(home: MqttHome) -> None:
    (entry,) = home.hass.config_entries.async_entries("mqtt_binary")
    await home.settled()
    if entry.state is ConfigEntryState.LOADED:
        await until(lambda: entry.runtime_data.idle)
    await home.hass.async_block_till_done()
    await home.settled()


def devices(home: MqttHome) -> list[str]:
    (entry,) = home.hass.config_entries.async_entries("mqtt_binary")
    registered = dr.async_entries_for_config_entry(dr.async_get(home.hass), entry.entry_id)
    return sorted(str(device.name) for device in registered)
