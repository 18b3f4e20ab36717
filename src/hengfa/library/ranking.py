"""How well a text fits a query: BM25 over pairs of characters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

_SATURATION: Final = 1.2  # k1: how soon more of the same adds little
_LENGTH: Final = 0.5  # b: how much a long text is held to be long-winded; provisions mean it
_MEAN: Final = 60.0  # characters of a provision, about
_ABOVE: Final = 0.5  # what stands in a heading or in the law's name counts half


def units_of(words: Iterable[str]) -> list[str]:
    """The pairs of characters of some words, and words of one character.

    >>> units_of(["抚养费", "罪"])
    ['抚养', '养费', '罪']
    """
    units = (
        unit
        for word in words
        for unit in ([word] if len(word) < 2 else map("".join, pairwise(word)))
    )
    return list(dict.fromkeys(units))


class Ranking:
    """Scores texts for one query, whose units and how many texts hold each it is given."""

    def __init__(self, held_by: Mapping[str, int], texts: int) -> None:
        self.weights = {
            unit: math.log1p((texts - min(n, texts) + 0.5) / (n + 0.5))
            for unit, n in held_by.items()
        }

    def score(self, text: str, above: str = "") -> float:
        """Larger is better; 0 where nothing is shared."""
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * len(text) / _MEAN)
        total = 0.0
        for unit, weight in self.weights.items():
            times = text.count(unit) + (_ABOVE if unit in above else 0.0)
            if times:
                total += weight * times * (_SATURATION + 1) / (times + damping)
        return total
