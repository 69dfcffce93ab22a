"""Makes the table of known air conditioners, `ircodes/known/`, of public code files."""
