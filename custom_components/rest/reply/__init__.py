"""What was answered: bytes → text, JSON or XML → what templates and attributes read of it."""
