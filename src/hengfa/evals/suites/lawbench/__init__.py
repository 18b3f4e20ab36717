"""LawBench: what a model remembers, understands and applies of Chinese law, in 20 tasks."""
