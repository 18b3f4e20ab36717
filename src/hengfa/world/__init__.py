"""Where agents work."""
