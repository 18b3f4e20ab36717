"""The law itself, and the desk."""
