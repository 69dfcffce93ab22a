"""Codes of remote controls: packets, protocols, states, code files, teaching."""
