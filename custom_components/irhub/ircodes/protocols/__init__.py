"""Protocols: what bits mean, and how a message is written."""
