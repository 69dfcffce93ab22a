"""Code files."""
