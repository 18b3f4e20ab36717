"""Matters: a document is written from the file of a fictional case."""
