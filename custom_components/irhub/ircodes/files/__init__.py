"""Code files of other programs, and an index of them."""
