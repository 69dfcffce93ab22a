"""End to end: a real Home Assistant process, a real browser."""
