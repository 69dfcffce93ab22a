"""Tests of the dialogues."""
