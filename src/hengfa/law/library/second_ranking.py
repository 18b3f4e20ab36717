"""A second ranking of what a search found, if the user has one: a service, or whoever is like one.

The law wing knows no services: it says what it asks and believes what can be, and another wing
fills in who ranks (the part `second ranking`), which changes the order of the best hits and nothing
else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, TypeAlias

from hengfa.base.errors import HengfaError
from hengfa.law.grammar.citation_positions import format_citation
from hengfa.law.library.search import Hit

PART: Final = "second ranking"
CANDIDATES: Final = 50
"""So many hits are ranked again."""


class SecondRanking(Protocol):
    """Who ranks: gives scores to texts by their numbers, larger ones to better texts."""

    name: str
    """Who it is, and by what option it was named."""

    def scores(self, question: str, texts: Sequence[str]) -> Iterable[tuple[int, float]]: ...


OpenRanking: TypeAlias = Callable[[str, str, str], SecondRanking]
"""Opens it by the option that names it, its address, and a model, or "" if none is named."""


def rank_again(hits: Sequence[Hit], question: str, ranking: SecondRanking) -> list[Hit]:
    """The hits, of which there are some, in another order; those that were given no score come
    last, in the order that they had."""
    asked = hits[:CANDIDATES]
    texts = [f"{format_citation(hit.version.law, hit.position)}\n{hit.text}" for hit in asked]
    scores: dict[int, float] = {}
    for number, score in ranking.scores(question, texts):
        if not 0 <= number < len(texts) or number in scores or not math.isfinite(score):
            again = " again" if number in scores else ""
            raise HengfaError(f"{ranking.name}: text {number} of {len(texts)} gets {score}{again}")
        scores[number] = score
    if not scores:
        raise HengfaError(f"{ranking.name}: none of {len(texts)} texts got a score")
    best = sorted(scores, key=lambda number: -scores[number])
    return [hits[number] for number in [*best, *(n for n in range(len(hits)) if n not in scores)]]
