"""Commands about the law."""
