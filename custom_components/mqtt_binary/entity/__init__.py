"""The binary sensor, and what makes up its state."""
