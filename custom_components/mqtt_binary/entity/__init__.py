"""The sensor: what Home Assistant sees of it, its state, whether its device is there."""
