"""Faults, floods and crashes."""
