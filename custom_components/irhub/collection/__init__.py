"""Which of many code files holds a code that was heard."""
