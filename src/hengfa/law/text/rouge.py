"""ROUGE and BLEU: how much of a reference an answer repeats, in order or in short sequences.

ROUGE-L goes by the longest common subsequence, and has two rules, as everywhere (lawbench.md 1.4).
``rouge_l_official`` gives the f-score that the published evaluator gives, to the last bit, its
quirks included:

* *blank answer*: an answer without visible characters is scored as if it read 无内容;
* *sentence cuts*: the text, its tokens joined by spaces, is first cut into lines at marks that end
  a sentence. The lines are joined again at once, so this would not matter, but
* *empty tokens*: a line of nothing but white space becomes one empty token, which adds to the
  length and may match an empty token of the other side. A blank line leaves one, and so does 。
  right before a line break;
* *broken dots*: more than six dots in a row become two tokens;
* *epsilon*: 1e-8 in the denominator, so that a perfect answer scores 0.999999995.

``rouge_l`` is the corrected rule: the words, or the characters, without white space, and nothing
else. Characters make a score independent of any segmenter. ROUGE-N and BLEU count sequences of the
same units; tokenizers that split at blanks see a Chinese text as one word and are not offered.

BLEU of single texts is a family: what a text scores that shares no sequence of four units with the
reference depends on the smoothing, which papers seldom state. Two of the family are here:

* *none*: such a text scores 0;
* *epsilon*: an order without a match counts as a tenth of one (method 1 of Chen and Cherry, 2014).

In both, a text of fewer than four units is judged by the orders it has: without this the exact
repetition of a provision of three words would score 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import LCSseq

from hengfa.law.text.segmentation import cut

Unit = Literal["word", "char"]
_Rule = Literal["word", "char", "official"]

_BLANK_ANSWER = "无内容"
OFFICIAL_EPSILON = 1e-8

# Where the published evaluator cuts sentences: in this order, between the two groups. With jieba's
# tokens apart by spaces the last two find nothing: they are here because the rule has them.
_SENTENCE_CUTS = (
    re.compile("([。！？?])([^”’])"),  # 完。 次 -> 完。/ 次; not 完。”
    re.compile(r"(\.\.\.\.\.\.)([^”’])"),  # ....... -> ....../. ; not ...... at the end
    re.compile("(……)([^”’])"),  # ……次 -> ……/次; not … …
    re.compile("([。！？?][”’])([^，。！？?])"),  # 。”次 -> 。”/次; not 。”，
)

# Answers differ, references come again with every model. Long texts are not kept.
_CACHED_REFERENCES, _CACHED_LENGTH = 2048, 2048


class RougeScore(NamedTuple):
    """Precision: share of the answer that the reference has; recall: the reverse; f: both."""

    precision: float
    recall: float
    f: float


def rouge_l_official(
    hypothesis: str, reference: str, *, epsilon: float = OFFICIAL_EPSILON
) -> float:
    """The f-score of the published evaluator for raw texts (lawbench.md 1.4).

    A reference without visible characters, on which the published evaluator stops, gives 0.
    """
    spaced = " ".join(cut(hypothesis))
    if not spaced.strip():
        spaced = _BLANK_ANSWER
    tokens = _tokens_by_line(spaced)
    other = _numbered_reference(reference, "official")
    return _score(tokens, other, epsilon).f


def rouge_l(
    hypothesis: str, reference: str, *, unit: Unit = "word", epsilon: float = 0.0
) -> RougeScore:
    """The corrected rule; a side without visible characters gives 0 throughout."""
    return _score(units(hypothesis, unit), _numbered_reference(reference, unit), epsilon)


def units(text: str, unit: Unit) -> list[str]:
    """The words, or the characters, of a text without white space: what is counted."""
    if unit == "char":
        return [character for character in text if not character.isspace()]
    return [token for token in cut(text) if not token.isspace()]


def lcs(hypothesis: list[str], reference: list[str]) -> RougeScore:
    """The corrected rule for units that are cut already; a side without any gives 0 throughout."""
    return _score(hypothesis, _number_tokens(reference), 0.0)


def _tokens_by_line(spaced: str) -> list[str]:
    """Tokens of a text joined by spaces, as the published evaluator finds them again."""
    for sentence_cut in _SENTENCE_CUTS:
        spaced = sentence_cut.sub(r"\1\n\2", spaced)
    tokens: list[str] = []
    for line in spaced.rstrip().split("\n"):
        if line:
            tokens += line.split() or [""]
    return tokens


class _Reference(NamedTuple):
    """A reference's tokens as numbers: equal numbers for equal tokens, whatever they hash to."""

    number: dict[str, int]
    sequence: list[int]


def _score(tokens: list[str], other: _Reference, epsilon: float) -> RougeScore:
    """By the longest common subsequence; tokens that the reference lacks cannot be part of it."""
    number = other.number
    common = LCSseq.similarity([number[t] for t in tokens if t in number], other.sequence)
    if not common:
        return RougeScore(0.0, 0.0, 0.0)
    precision, recall = common / len(tokens), common / len(other.sequence)
    f = 2.0 * (precision * recall) / (precision + recall + epsilon)
    return RougeScore(precision, recall, f)


def _number_tokens(tokens: list[str]) -> _Reference:
    number: dict[str, int] = {}
    sequence = [number.setdefault(token, len(number)) for token in tokens]
    return _Reference(number, sequence)


def _number(text: str, unit: _Rule) -> _Reference:
    if unit == "official":
        return _number_tokens(_tokens_by_line(" ".join(cut(text))))
    return _number_tokens(units(text, unit))


_number_cached = lru_cache(maxsize=_CACHED_REFERENCES)(_number)


def _numbered_reference(text: str, unit: _Rule) -> _Reference:
    return _number_cached(text, unit) if len(text) <= _CACHED_LENGTH else _number(text, unit)


# ROUGE-N and BLEU

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
    orders: list[Overlap] = []
    common = 1
    for n in range(1, highest + 1):
        mine, other = (max(0, len(units) - n + 1) for units in (hypothesis, reference))
        if common:  # what shares no sequence shares no longer one
            wanted = Counter(_grams(reference, n))
            # Of a long answer only what the reference has is counted.
            found = Counter(filter(wanted.__contains__, _grams(hypothesis, n)))
            common = sum(min(count, wanted[gram]) for gram, count in found.items())
        orders.append(Overlap(common, mine, other))
    return orders


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


def _grams(units: Sequence[str], n: int) -> Iterable[object]:
    return units if n == 1 else zip(*(units[start:] for start in range(n)), strict=False)
