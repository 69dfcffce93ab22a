"""What a set of commands is for: an air conditioner, a television, a fan, a light, a blind."""
