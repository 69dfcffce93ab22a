"""What we take from core's MQTT integration although it promises nothing about it.

Everything else comes from the names `homeassistant.components.mqtt` exports.
"""

from homeassistant.components.mqtt.abbreviations import ABBREVIATIONS, DEVICE_ABBREVIATIONS
from homeassistant.components.mqtt.entity import MQTT_ATTRIBUTES_BLOCKED

__all__ = ["ABBREVIATIONS", "BLOCKED_ATTRIBUTES", "DEVICE_ABBREVIATIONS"]

BLOCKED_ATTRIBUTES = frozenset(str(name) for name in MQTT_ATTRIBUTES_BLOCKED)
