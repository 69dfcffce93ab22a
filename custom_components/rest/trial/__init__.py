"""A page for administrators that tries a web resource and writes the YAML that reads it."""
