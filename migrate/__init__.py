"""From classic YAML to these integrations: what to change, and changing it."""
