"""What a hub transmits, as bytes and as texts. Pure functions."""
