"""CLaw: statutes by heart, from the words to the place and from the place to the words."""
