"""Retrieval that is trained."""
