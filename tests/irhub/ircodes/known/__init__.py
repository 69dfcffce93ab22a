"""Tests of known air conditioners."""
