"""What every measured process has imported before it begins."""

import homeassistant.bootstrap
import homeassistant.components.binary_sensor
import homeassistant.components.mqtt.config_flow
import homeassistant.components.sensor  # noqa: F401  (all imported for their effect)
