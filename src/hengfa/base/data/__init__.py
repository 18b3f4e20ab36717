"""Where upstream data comes from, what it must hash to, and where it lies on this machine."""
