"""Learning from what can be verified."""
