"""Learned commands, in memory and on the disk."""
