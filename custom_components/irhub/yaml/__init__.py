"""What only YAML needs: the keys of appliances, and reading it anew."""
