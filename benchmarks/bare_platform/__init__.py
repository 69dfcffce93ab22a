"""As little as an MQTT sensor from platform YAML can be: the floor under ours."""
