"""Results for people: in the terminal, as pictures, as a site, as tables for a paper."""
