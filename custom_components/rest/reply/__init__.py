"""Replies: bytes → text, JSON or XML → values of templates and attributes."""
