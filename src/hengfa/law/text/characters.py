"""Two texts compared by their characters: how many they share, how many must change.

Character-bag F1, "rc-F1", is known from reading comprehension (lawbench.md 1.3): the order does
not count. Letters and digits do, Han characters being letters; case, white space and punctuation do
not, nor do ％, ¥ and the decimal point.

The edit distance grows with the texts: an answer of 140 characters where 50 are wanted is at least
90 away. Divided by the longer of the two lengths it lies between 0, equal, and 1, nothing alike.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from rapidfuzz.distance import Levenshtein


def character_f1(prediction: str, gold: str) -> float:
    """1 if both are empty, 0 if one is, else the harmonic mean of precision and recall."""
    characters, (expected, length) = _characters(prediction), _bag(gold)
    if not characters or not expected:
        return float(not characters and not expected)
    common = sum(
        min(count, expected[character])
        for character, count in Counter(characters).items()
        if character in expected
    )
    if not common:
        return 0.0
    precision, recall = common / len(characters), common / length
    return 2 * precision * recall / (precision + recall)


def _characters(text: str) -> list[str]:
    return [c for c in text.lower() if c.isalpha() or c.isdigit()]


@lru_cache(maxsize=4096)
def _bag(text: str) -> tuple[Counter[str], int]:
    characters = _characters(text)  # the same references come with every model
    return Counter(characters), len(characters)


def edit_distance(one: str, other: str) -> int:
    return Levenshtein.distance(one, other)


def normalised_edit_distance(one: str, other: str) -> float:
    """The distance divided by the length of the longer text; two empty texts are equal."""
    return edit_distance(one, other) / max(len(one), len(other), 1)
