"""What a term weighs in a text and in a query: BM25 and TF-IDF."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from hengfa.retrieval.counting import Counts, Floats, QueryCounts
from hengfa.retrieval.terms import Integers

Rarity: TypeAlias = Literal["lucene", "okapi"]
"""How the rarity of a term counts: log(1 + …), never below 0; or log(…) as in rank_bm25, where what
falls below 0 (a term in more than half of the texts) is a quarter of the mean of all terms."""

_OKAPI_FLOOR = 0.25


def bm25(counts: Counts, k1: float, b: float, rarity: Rarity) -> Floats:
    """The weight of every row of the counts; that of a query's term is how often it says it."""
    mean = counts.lengths.mean() if counts.texts else 0.0
    lengths = counts.lengths / mean if mean else np.zeros(counts.texts)
    damping = k1 * (1 - b + b * lengths)
    saturated = counts.times * (k1 + 1) / (counts.times + damping[counts.text])
    return (_rarity(counts.held_by, counts.texts, rarity)[counts.term] * saturated).astype(float)


def _rarity(held_by: Integers, texts: int, rarity: Rarity) -> Floats:
    if rarity == "lucene":
        return np.asarray(np.log1p((texts - held_by + 0.5) / (held_by + 0.5)), float)
    idf = np.log(texts - held_by + 0.5) - np.log(held_by + 0.5)
    return np.asarray(np.where(idf < 0, _OKAPI_FLOOR * idf.mean(), idf) if len(idf) else idf, float)


def inverse_frequency(counts: Counts) -> Floats:
    """The idf of TF-IDF, smoothed as if one more text held every term (scikit-learn's)."""
    return np.log((1 + counts.texts) / (1 + counts.held_by)) + 1


def tfidf(counts: Counts, idf: Floats, *, sublinear: bool) -> Floats:
    """The weight of every row; all weights of a text together have length 1."""
    return _normalised(counts.times, counts.term, counts.text, counts.texts, idf, sublinear)


def tfidf_of_queries(counted: QueryCounts, idf: Floats, *, sublinear: bool) -> Floats:
    """The same for queries; terms that the vocabulary does not know do not lengthen them."""
    queries = len(counted.starts) - 1
    query = np.repeat(np.arange(queries), np.diff(counted.starts))
    return _normalised(counted.times, counted.term, query, queries, idf, sublinear)


def _normalised(
    times: Integers, term: Integers, text: Integers, texts: int, idf: Floats, sublinear: bool
) -> Floats:
    weights = (1 + np.log(times) if sublinear else times.astype(float)) * idf[term]
    squares = np.bincount(text, weights * weights, minlength=texts)
    return np.asarray(weights / np.sqrt(squares)[text], float)
