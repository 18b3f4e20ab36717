"""The tests, grouped like the package."""
