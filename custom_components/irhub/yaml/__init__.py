"""Set-up from YAML: hubs, appliances, and the reload."""
