"""Sensors that core's MQTT discovery has made: found, taken over, followed, given back."""
