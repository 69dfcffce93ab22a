"""What the integrations share."""
