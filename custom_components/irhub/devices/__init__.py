"""The devices that hubs control, with their commands, and their storage."""
