"""Sensors of core's MQTT discovery: find, take over, follow and restore them."""
