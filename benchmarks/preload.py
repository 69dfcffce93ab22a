"""Imports of every measured process before its measurement."""

import homeassistant.bootstrap
import homeassistant.components.binary_sensor
import homeassistant.components.mqtt.config_flow
import homeassistant.components.sensor  # noqa: F401  (all imported for their effect)
