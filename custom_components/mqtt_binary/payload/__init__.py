"""What messages say: text, the output of templates, on, off or unknown, attributes."""
