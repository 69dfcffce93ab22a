"""What was answered: bytes → text, JSON or XML → value and attributes."""
