"""Packets: bytes, texts, durations, and the bits in them."""
