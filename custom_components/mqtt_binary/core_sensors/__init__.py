"""Sensors that core's MQTT discovery has made: discovered, taken over, followed and given back."""
