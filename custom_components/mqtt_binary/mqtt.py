"""What we use of Home Assistant's MQTT integration: its one door to us.

The manifest names `mqtt` neither as a dependency nor as one to come after: where core refuses
to set it up, as it does for a classic `mqtt: broker:` block, Home Assistant would not set us up
either. So `Connection` waits for it, and our requirements name what its code imports
(`paho-mqtt`, unpinned: Home Assistant's constraints hold core's pin). Home Assistant's checker
(hassfest) lets an integration use `mqtt` without a dependency if it has a module of that name.
"""

from homeassistant.components.mqtt import (
    CONF_DISCOVERY_PREFIX,
    CONFIG_SCHEMA,
    DEFAULT_DISCOVERY,
    DEFAULT_PREFIX,
    DOMAIN,
    ReceiveMessage,
    async_subscribe,
    async_subscribe_connection_status,
    is_connected,
    valid_qos_schema,
    valid_subscribe_topic,
)

# Core promises nothing about these; tests/mqtt_binary/test_schema.py fails when they change.
from homeassistant.components.mqtt.abbreviations import (
    ABBREVIATIONS as _ABBREVIATIONS,
    DEVICE_ABBREVIATIONS as _DEVICE_ABBREVIATIONS,
)
from homeassistant.components.mqtt.entity import MQTT_ATTRIBUTES_BLOCKED
from homeassistant.components.mqtt.schemas import SHARED_OPTIONS

__all__ = [
    "ABBREVIATIONS",
    "BLOCKED_ATTRIBUTES",
    "CONFIG_SCHEMA",
    "CONF_DISCOVERY_PREFIX",
    "DEFAULT_DISCOVERY",
    "DEFAULT_PREFIX",
    "DEVICE_ABBREVIATIONS",
    "DOMAIN",
    "SHARED_OPTIONS",
    "ReceiveMessage",
    "async_subscribe",
    "async_subscribe_connection_status",
    "is_connected",
    "valid_qos_schema",
    "valid_subscribe_topic",
]

BLOCKED_ATTRIBUTES = frozenset(str(name) for name in MQTT_ATTRIBUTES_BLOCKED)

# Child devices came with Home Assistant 2026.11; their announcements can be read by any.
ABBREVIATIONS = {**_ABBREVIATIONS, "cdevs": "child_devices"}
DEVICE_ABBREVIATIONS = {**_DEVICE_ABBREVIATIONS, "cdev": "child_device"}
