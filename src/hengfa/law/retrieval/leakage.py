"""Finds texts of a collection that are nearly the same as a query, so that they can be refused.

A related case that is the query's own judgment, or a retold copy, would make any retrieval look
good. Three ways in which a text is too close: it is the same but for white space, it is similar
(2·LCS/(a+b) above a threshold, .85 in the published generation, judgment.md 11), or one contains
the other. LCS is never less than what difflib matches, so whatever difflib's ratio refuses is
refused.

Only few pairs are compared in full. Two texts of a and b characters that share an LCS of m have at
least (a+b)/2 - 1 - 1.5·(a+b-2m) pairs of characters in common, for a character left out of one text
destroys at most two of its pairs, and one put in destroys one. Pairs are counted with an inverted
index; what stays below the bound cannot be similar. Nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.terms import count, count_queries, terms_of

Closeness: TypeAlias = Literal["same", "similar", "contains"]

THRESHOLD: Final = 0.85
SHORTEST: Final = 60
"""A text of fewer characters is contained in others by chance."""
_AT_ONCE: Final = 64


class Refusal(msgspec.Struct, frozen=True):
    """A text of the collection that is too close to a query; both by their places."""

    query: int
    text: int
    closeness: Closeness
    similarity: float


class LeakageReport(msgspec.Struct, frozen=True):
    """What was compared and what was refused, the closest first within a query."""

    queries: int
    texts: int
    threshold: float
    refusals: tuple[Refusal, ...]

    def refused(self) -> frozenset[int]:
        return frozenset(refusal.text for refusal in self.refusals)

    def refused_for(self, query: int) -> frozenset[int]:
        """The places of the texts that this query must not see."""
        return frozenset(refusal.text for refusal in self.refusals if refusal.query == query)

    def __str__(self) -> str:
        kinds = [refusal.closeness for refusal in self.refusals]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in get_args(Closeness))
        return (
            f"{len(self.refused())} of {self.texts} texts are too close to one of"
            f" {self.queries} queries ({counted}; threshold {self.threshold:g})"
        )


def find_leakage(
    queries: Sequence[str],
    texts: Sequence[str],
    threshold: float = THRESHOLD,
    *,
    same_places: bool = False,
) -> LeakageReport:
    """All texts that are too close to a query.

    ``same_places``: queries and texts are one list, and a text is not held against itself.
    """
    if not 0.5 <= threshold < 1:
        raise ValueError("a threshold lies from 0.5 to below 1")
    asked = ["".join(text.split()) for text in queries]
    held = ["".join(text.split()) for text in texts]
    lengths = np.array([len(text) for text in held], np.int64)
    refusals: list[Refusal] = []
    postings = _Pairs(held)
    for start in range(0, len(asked), _AT_ONCE):
        chunk = asked[start : start + _AT_ONCE]
        for offset, row in enumerate(postings.shared(chunk)):
            number = start + offset
            near = _candidates(len(chunk[offset]), lengths, row, threshold).tolist()
            places = [place for place in near if not same_places or place != number]
            refusals += _compare(number, chunk[offset], held, row, places, threshold)
    return LeakageReport(len(asked), len(held), threshold, tuple(refusals))


class _Pairs:
    """How often each pair of characters stands in each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = count(terms_of(texts, "bigrams"))
        self.size = len(texts)
        self.codes = counts.codes
        self.starts = np.concatenate(([0], np.cumsum(counts.held_by))).astype(np.int64)
        self.targets = counts.text.astype(np.int32)
        self.times = counts.times

    def shared(self, queries: Sequence[str]) -> NDArray[np.int64]:
        """For every query and text how many pairs they have in common.

        One that both have twice counts twice.
        """
        counted = count_queries(terms_of(queries, "bigrams"), self.codes)
        shared = np.zeros((len(queries), self.size), np.int64)
        for query, row, held in counted.postings(self.starts):
            times = np.minimum(counted.times[row], self.times[held])
            np.add.at(shared[query], self.targets[held], times)
        return shared


def _candidates(
    length: int, lengths: NDArray[np.int64], shared: NDArray[np.int64], threshold: float
) -> NDArray[np.int64]:
    """Texts that may be similar, the same, or one within the other."""
    both = length + lengths
    bound = both / 2 - 1 - 1.5 * (1 - threshold) * both
    long_enough = 2 * np.minimum(length, lengths) >= threshold * both
    shorter = np.minimum(length, lengths)
    contained = (shorter >= SHORTEST) & (shared >= threshold * (shorter - 1))
    same = (length == lengths) & (shared == np.maximum(lengths - 1, 0))
    return np.flatnonzero((long_enough & (shared >= bound)) | contained | same)


def _compare(
    number: int,
    query: str,
    texts: Sequence[str],
    shared: NDArray[np.int64],
    places: Sequence[int],
    threshold: float,
) -> list[Refusal]:
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - only for those who compare

    refusals = []
    for place in places:
        text = texts[place]
        if text == query:
            refusals.append(Refusal(number, place, "same", 1.0))
            continue
        ratio = Indel.normalized_similarity(query, text)
        shorter = min(len(query), len(text))
        if ratio > threshold:
            refusals.append(Refusal(number, place, "similar", ratio))
        elif shorter >= SHORTEST and shared[place] >= threshold * (shorter - 1):
            share = float(shared[place] / (shorter - 1))
            refusals.append(Refusal(number, place, "contains", share))
    return sorted(refusals, key=lambda refusal: (-refusal.similarity, refusal.text))
