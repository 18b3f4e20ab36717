"""Finding the text that answers a question."""
