"""The sensor entity, its state and its availability."""
