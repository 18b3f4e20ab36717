"""Everything that is printed to a terminal."""
