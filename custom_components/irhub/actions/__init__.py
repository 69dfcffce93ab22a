"""The actions of irhub, and their permissions."""
