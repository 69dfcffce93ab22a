"""Tests of virtual_home."""
