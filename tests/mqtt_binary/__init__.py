"""Tests of mqtt_binary."""
