"""The ways to find, with their settings: what an index is told to be, as data.

Every way gives each target (a provision, an article, a case) a score for a query; a higher one is
better and one of 0 is no hit. A plan is one way or several whose scores are added with weights.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.retrieval.terms import TermKind
from hengfa.retrieval.weighting import Rarity

Fields: TypeAlias = Literal["text", "name+text"]
Scale: TypeAlias = Literal["none", "max"]
"""Scores as they are, or divided by the query's highest, so that different ways can be added."""


Level: TypeAlias = Literal["target", "group"]
"""Whether labels speak for themselves, or for everything in their group (the whole law)."""


class BM25(msgspec.Struct, frozen=True, tag="bm25"):
    """Words shared, rare ones counting more. k1 .9 and b .4 find statutes better than 1.2 and .75.

    ``repeats``: a term that the query says twice counts twice, which long facts profit from.
    """

    terms: TermKind = "bigrams"
    fields: Fields = "name+text"
    k1: float = 0.9
    b: float = 0.4
    rarity: Rarity = "lucene"
    repeats: bool = True


class TfIdf(msgspec.Struct, frozen=True, tag="tfidf"):
    """The cosine of TF-IDF vectors. ``least``: terms of fewer texts are dropped."""

    terms: TermKind = "bigrams"
    fields: Fields = "name+text"
    sublinear: bool = False
    least: int = 1


class Neighbours(msgspec.Struct, frozen=True, tag="knn"):
    """The labels of the k most similar examples, each voting with its share of the similarity."""

    terms: TermKind = "grams"
    k: int = 10
    sublinear: bool = True
    least: int = 2
    level: Level = "target"
    source: str | None = None


class Linear(msgspec.Struct, frozen=True, tag="linear"):
    """A logistic regression for each label on TF-IDF. ``strength`` is the C of scikit-learn.

    A label that fewer than ``examples`` examples bear is never given.
    """

    terms: TermKind = "words"
    strength: float = 10.0
    sublinear: bool = True
    least: int = 2
    examples: int = 1
    source: str | None = None


class Frequency(msgspec.Struct, frozen=True, tag="frequency"):
    """How often the examples bear a label, whatever the query says: the floor of any comparison.

    Of groups the logarithm counts, from 0 for one that no example names to 1 for the commonest.
    """

    level: Level = "target"
    source: str | None = None


Method: TypeAlias = BM25 | TfIdf | Neighbours | Linear | Frequency


class Part(msgspec.Struct, frozen=True):
    """One way in a plan, and what its scores count."""

    method: Method
    weight: float = 1.0
    scale: Scale = "none"


Plan: TypeAlias = tuple[Part, ...]

LEXICAL: Final = (
    Part(BM25("bigrams", k1=1.2, b=0.75), 0.65, "max"),
    Part(BM25("words", k1=1.2, b=0.75), 0.35, "max"),
)
SUPERVISED: Final = (
    Part(Linear()),
    Part(Neighbours(), 0.5),
    Part(Frequency(), 0.0005),
    Part(BM25(), 0.1, "max"),
)

NAMED: Final[dict[str, Plan]] = {
    "bm25-bigrams": (Part(BM25("bigrams")),),
    "bm25-words": (Part(BM25("words")),),
    "tfidf": (Part(TfIdf()),),
    "frequency": (Part(Frequency()),),
    "knn": (Part(Neighbours()),),
    "linear": (Part(Linear()),),
    "fusion": LEXICAL,
}
"""What `--method` can name. With labelled examples `fusion` is :data:`SUPERVISED`."""


def needs_examples(plan: Plan) -> bool:
    """Whether some part learns from labelled texts."""
    return any(isinstance(part.method, Neighbours | Linear | Frequency) for part in plan)
