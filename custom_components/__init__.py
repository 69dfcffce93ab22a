"""The custom components of this project."""
