"""Commands that ask, score and tell."""
