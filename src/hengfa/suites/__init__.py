"""The benchmarks. Each folder has the same files; `base` is what they have in common."""
