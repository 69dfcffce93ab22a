"""Sensors that devices announce over MQTT, and their devices."""
