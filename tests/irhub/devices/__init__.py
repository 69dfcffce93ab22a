"""Tests of devices: what is stored of them, and how it is changed."""
