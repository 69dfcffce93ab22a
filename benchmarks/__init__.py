"""Ours against core's, side by side in one run: `scripts/bench`."""
