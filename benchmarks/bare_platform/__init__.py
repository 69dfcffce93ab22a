"""A minimal MQTT sensor from platform YAML: the lower bound for ours."""
