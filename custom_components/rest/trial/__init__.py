"""A page for administrators: tries a web resource, and writes the YAML that reads it."""
