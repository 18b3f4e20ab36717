"""One run from end to end: plan it, ask, score, keep. What the command line calls."""
