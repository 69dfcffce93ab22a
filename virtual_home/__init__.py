"""What a home has and a test machine lacks: IR hubs, a JSON endpoint, an MQTT broker."""
