"""Polling: request → coordinator → client → reply."""
