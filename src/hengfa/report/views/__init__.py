"""The natural pictures of each suite, and of reports as a whole."""
