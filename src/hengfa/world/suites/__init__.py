"""The suites in which agents work."""
