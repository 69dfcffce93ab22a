"""A virtual home for tests: IR hubs, a JSON endpoint, an MQTT broker and MQTT devices."""
