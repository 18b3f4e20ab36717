"""The law in the terminal."""
