"""Code files of other programs: a text becomes names and packets, and back."""
