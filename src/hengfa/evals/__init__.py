"""Asking, scoring, telling."""
