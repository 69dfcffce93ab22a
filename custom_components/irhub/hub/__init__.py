"""Transmission and reception: hubs, and Home Assistant's infrared emitters and receivers."""
