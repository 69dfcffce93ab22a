"""Tests of what the platforms share."""
