"""States of appliances, and which of them an appliance has."""
