"""Commands about the legal world."""
