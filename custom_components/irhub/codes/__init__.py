"""What a code says: packets, texts, frames, protocols. Nothing here knows Home Assistant."""
