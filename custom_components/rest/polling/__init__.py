"""What is asked, and how: request → coordinator → client → reply."""
