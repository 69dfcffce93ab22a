"""MQTT discovery of sensors and their devices."""
