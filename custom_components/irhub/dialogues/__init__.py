"""The dialogues: add and reconfigure a hub, its settings, its learned commands."""
