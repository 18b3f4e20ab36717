"""Results for people: in the terminal, as pictures, as a site."""
