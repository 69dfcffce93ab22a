"""Commands as people bring them and take them away: a file per format, text ↔ names and packets."""
