"""Edit distance: how many characters to insert, delete or replace to make one text another.

The plain number grows with the texts: an answer of 140 characters where 50 are wanted is at least
90 away. Divided by the longer of the two lengths it lies between 0, equal, and 1, nothing alike.
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


def edit_distance(one: str, other: str) -> int:
    """The Levenshtein distance by characters."""
    return Levenshtein.distance(one, other)


def normalised_edit_distance(one: str, other: str) -> float:
    """The distance divided by the length of the longer text; two empty texts are equal."""
    return edit_distance(one, other) / max(len(one), len(other), 1)
