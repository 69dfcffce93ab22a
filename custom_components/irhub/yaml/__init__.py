"""What only YAML needs: the hubs and appliances that it names, and reading it anew."""
