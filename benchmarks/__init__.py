"""Benchmarks of our integrations and core's, side by side in one run: `scripts/bench`."""
