"""Tests of the hub: its connection, its queue, what it hears."""
