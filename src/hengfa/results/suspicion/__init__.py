"""Hints for a review of contamination: what is unusual and may have a harmless reason."""
