"""The benchmarks: a folder each; what they have in common is beside them, beginning with `base`."""
