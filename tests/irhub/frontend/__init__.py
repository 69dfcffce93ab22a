"""Tests of the card."""
