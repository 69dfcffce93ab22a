"""The three integrations in a real Home Assistant on the virtual home."""
