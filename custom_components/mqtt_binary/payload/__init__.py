"""Parsing of payloads: text, JSON, templates, values and attributes."""
