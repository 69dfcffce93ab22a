"""All imports from core's MQTT integration.

The manifest has `mqtt` neither in `dependencies` nor in `after_dependencies`: if core refuses to
set it up, as for a legacy `mqtt: broker:` block, Home Assistant would not set up this integration
either. Instead, `Connection` waits for it, and the requirements list what its code imports
(`paho-mqtt`, unpinned, since Home Assistant's constraints contain core's pin). hassfest accepts
the use of `mqtt` without a dependency in an integration with a module of this name.
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

# Not public in core; tests/mqtt_binary/test_schema.py fails if they change.
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

# Child devices exist since Home Assistant 2026.11; older versions can read the messages, too.
ABBREVIATIONS = {**_ABBREVIATIONS, "cdevs": "child_devices"}
DEVICE_ABBREVIATIONS = {**_DEVICE_ABBREVIATIONS, "cdev": "child_device"}
