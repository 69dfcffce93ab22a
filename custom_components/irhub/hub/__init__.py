"""Hubs: the device, its session, what it measures and learns."""
