"""Results for people: tables in the terminal."""
