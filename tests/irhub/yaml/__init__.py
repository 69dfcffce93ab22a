"""Tests of what only YAML needs."""
