"""What the hubs control: devices and their commands, kept on the disk."""
