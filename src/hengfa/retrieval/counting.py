"""Which term stands how often in which text: the counts from which all weights are made."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.retrieval.terms import Codes, Integers, Terms

Floats: TypeAlias = NDArray[np.float64]


class Counts(NamedTuple):
    """One row for each term and text in which it stands, in the order of terms, then texts."""

    codes: Codes  # the vocabulary, ascending
    term: Integers  # number in the vocabulary
    text: Integers
    times: Integers
    texts: int
    lengths: Integers  # how many terms each text has

    @property
    def held_by(self) -> Integers:
        """How many texts hold each term."""
        return np.bincount(self.term, minlength=len(self.codes))


class QueryCounts(NamedTuple):
    """The known terms of some queries: those of query i are rows ``starts[i]:starts[i + 1]``."""

    starts: Integers
    term: Integers
    times: Integers


def count(terms: Terms, least: int = 1) -> Counts:
    """Count the terms of texts; terms that fewer than ``least`` texts hold are left out."""
    texts = len(terms.starts) - 1
    codes, inverse = np.unique(terms.codes, return_inverse=True)
    term, text, times = _rows(inverse.ravel(), _owners(terms), texts)
    if least > 1:
        kept = np.bincount(term, minlength=len(codes)) >= least
        rows = kept[term]
        term = (np.cumsum(kept) - 1)[term[rows]]
        codes, text, times = codes[kept], text[rows], times[rows]
    return Counts(codes, term, text, times, texts, terms.lengths)


def count_queries(terms: Terms, codes: Codes) -> QueryCounts:
    """Count the terms of queries that a vocabulary knows; the others say nothing."""
    queries = len(terms.starts) - 1
    if not len(codes):
        nothing = np.zeros(0, np.int64)
        return QueryCounts(np.zeros(queries + 1, np.int64), nothing, nothing)
    place = np.minimum(np.searchsorted(codes, terms.codes), len(codes) - 1)
    known = codes[place] == terms.codes
    query, term, times = _rows(_owners(terms)[known], place[known], len(codes))
    held = np.bincount(query, minlength=queries)
    return QueryCounts(np.concatenate(([0], np.cumsum(held))), term, times)


def _owners(terms: Terms) -> Integers:
    return np.repeat(np.arange(len(terms.starts) - 1), terms.lengths)


def _rows(first: Integers, second: Integers, below: int) -> tuple[Integers, Integers, Integers]:
    """The distinct pairs, sorted, and how often each occurs; ``second`` is below a number."""
    keys, times = np.unique(first.astype(np.int64) * max(below, 1) + second, return_counts=True)
    return keys // max(below, 1), keys % max(below, 1), times
