"""Generates the table of known air conditioners, `ircodes/known/`, from public code files."""
