"""ROUGE-N and BLEU over words or characters: how many short sequences two texts share.

The units come from `rouge.units`. Tokenizers that split at blanks see a Chinese text as one word;
they are not offered.

BLEU of single texts is a family: what a text scores that shares no sequence of four units with the
reference depends on the smoothing, which papers seldom state. Two of the family are here:

* *none*: such a text scores 0;
* *epsilon*: an order without a match counts as a tenth of one (method 1 of Chen and Cherry, 2014).

In both, a text of fewer than four units is judged by the orders it has: without this the exact
repetition of a provision of three words would score 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from hengfa.text.rouge import RougeScore

BLEU_ORDER = 4
EPSILON = 0.1

Smoothing: TypeAlias = Literal["none", "epsilon"]


class Overlap(NamedTuple):
    """The n-grams of one order: shared ones, each as often as both sides have it, and all."""

    common: int
    mine: int
    other: int


def overlaps(
    hypothesis: Sequence[str], reference: Sequence[str], highest: int = BLEU_ORDER
) -> list[Overlap]:
    """The overlap of each order from 1 to `highest`, counted once for all that is made of it."""
    found: list[Overlap] = []
    common = 1
    for n in range(1, highest + 1):
        mine, other = (max(0, len(units) - n + 1) for units in (hypothesis, reference))
        # What shares no sequence shares no longer one.
        common = common and _common(hypothesis, reference, n)
        found.append(Overlap(common, mine, other))
    return found


def rouge_n(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> RougeScore:
    """Precision, recall and F1 of the n-grams of one order."""
    return rouge_of(overlaps(hypothesis, reference, n)[-1])


def rouge_of(overlap: Overlap) -> RougeScore:
    """Precision, recall and F1 of what `overlaps` has counted."""
    common, mine, other = overlap
    if not common:
        return RougeScore(0.0, 0.0, 0.0)
    return RougeScore(common / mine, common / other, 2 * common / (mine + other))


def bleu(
    hypothesis: Sequence[str], reference: Sequence[str], smoothing: Smoothing = "none"
) -> float:
    """BLEU-4 of one text: the geometric mean of four precisions, times the brevity penalty."""
    return bleu_of(overlaps(hypothesis, reference), smoothing)


def bleu_of(orders: Sequence[Overlap], smoothing: Smoothing = "none") -> float:
    """BLEU of what `overlaps` has counted; a text that shares no unit at all scores 0."""
    _, length, wanted = orders[0]
    if not orders[0].common:
        return 0.0
    logarithms = []
    for common, mine, _ in orders[:length]:
        if not common and smoothing == "none":
            return 0.0
        logarithms.append(math.log((common or EPSILON) / mine))
    brevity = min(0.0, 1 - wanted / length)
    return math.exp(math.fsum(logarithms) / len(logarithms) + brevity)


def _common(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> int:
    other = Counter(_grams(reference, n))
    # Of a long answer only what the reference has is counted.
    mine = Counter(filter(other.__contains__, _grams(hypothesis, n)))
    return sum(min(count, other[gram]) for gram, count in mine.items())


def _grams(units: Sequence[str], n: int) -> Iterable[object]:
    return units if n == 1 else zip(*(units[start:] for start in range(n)), strict=False)
