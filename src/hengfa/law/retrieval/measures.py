"""How good a ranking is, as trec_eval defines it: MRR@k, P@k, R@k, nDCG@k, for each query.

A run is ordered by score from the highest, equal scores by document id from the last as text (ids
"9" before "10"); the order in which it was written does not matter. Scores are compared in single
precision, as trec_eval holds them. Every judged query counts: one that the run does not answer
scores 0 (trec_eval's ``-c``). A judgment above 0 is relevant; its size is the gain in nDCG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hengfa.base.errors import UsageError

Run: TypeAlias = Mapping[str, Sequence[tuple[str, float]]]
"""Query to the documents found for it, with their scores."""
Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""Query to the documents judged for it: above 0 relevant, else not."""

Kind: TypeAlias = Literal["MRR", "P", "R", "nDCG"]
Values: TypeAlias = NDArray[np.float64]

# "MRR@100", "nDCG@10"; not "MRR", not "P@0"
_MEASURE: Final = re.compile(r"(?P<kind>MRR|P|R|nDCG)@(?P<depth>[1-9][0-9]{0,5})")


class Measure(NamedTuple):
    kind: Kind
    depth: int

    def __str__(self) -> str:
        return f"{self.kind}@{self.depth}"


def parse_measure(text: str) -> Measure:
    match = _MEASURE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"{text!r} is no measure: write MRR@100, P@5, R@10 or nDCG@10")
    return Measure(cast("Kind", match["kind"]), int(match["depth"]))


_STANDARD: Final = ("MRR@100", "P@5", "P@10", "R@5", "R@10", "R@100", "nDCG@10")
STANDARD: Final = tuple(map(parse_measure, _STANDARD))


_Ranked: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], Values]
"""Query, rank from 1 and gain of each found document that is relevant to a judged query."""


def measure(run: Run, qrels: Qrels, measures: Sequence[Measure] = STANDARD) -> dict[str, Values]:
    """The value of each measure for every judged query, in the order of the judgments."""
    queries = list(qrels)
    ranked = _rank(run, qrels, queries)
    relevant = [
        sorted((gain for gain in qrels[query].values() if gain > 0), reverse=True)
        for query in queries
    ]
    return {str(measure): _values(measure, ranked, relevant) for measure in measures}


def _rank(run: Run, qrels: Qrels, queries: Sequence[str]) -> _Ranked:
    rows = [
        (number, document, score, qrels[query].get(document, 0))
        for number, query in enumerate(queries)
        for document, score in run.get(query, ())
    ]
    if not rows:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, np.zeros(0)
    numbers, documents, scores, gains = zip(*rows, strict=True)
    places = {document: place for place, document in enumerate(sorted(set(documents)))}
    query = np.array(numbers, np.int64)
    later = np.array([places[document] for document in documents], np.int64)
    order = np.lexsort((-later, -np.array(scores, np.float32), query))
    query, gain = query[order], np.array(gains, float)[order]
    first = np.searchsorted(query, query)  # queries are sorted: where each one's rows begin
    rank = np.arange(len(query)) - first + 1
    kept = gain > 0
    return query[kept], rank[kept], gain[kept]


def _values(measure: Measure, ranked: _Ranked, relevant: Sequence[Sequence[int]]) -> Values:
    queries = len(relevant)
    within = ranked[1] <= measure.depth
    query, rank, gain = ranked[0][within], ranked[1][within], ranked[2][within]
    if measure.kind == "MRR":
        best = np.zeros(queries)
        np.maximum.at(best, query, 1 / rank)
        return best
    if measure.kind == "nDCG":
        ideal = [
            float(sum(gain / np.log2(place + 2) for place, gain in enumerate(gains)))
            for gains in (gains[: measure.depth] for gains in relevant)
        ]
        sums = np.bincount(query, gain / np.log2(rank + 1), minlength=queries).astype(float)
        return _shares(sums, np.array(ideal))
    hits = np.bincount(query, minlength=queries).astype(float)
    if measure.kind == "P":
        return hits / measure.depth
    total = np.array([len(gains) for gains in relevant], float)
    return _shares(hits, total)


def _shares(part: Values, whole: Values) -> Values:
    shares = np.zeros(len(part))
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


class Fold(NamedTuple):
    """The places of what is learned from and of what is measured on; both ascending."""

    learned: NDArray[np.int64]
    measured: NDArray[np.int64]


def folds(size: int, number: int = 5, seed: int = 0) -> list[Fold]:
    """Cross-validation: every place is measured on once, in the fold that did not learn from it.

    The same folds as scikit-learn's ``KFold(number, shuffle=True, random_state=seed)``.
    """
    if not 2 <= number <= size:
        raise ValueError(f"{size} things cannot be put into {number} folds")
    order = np.arange(size)
    np.random.RandomState(seed).shuffle(order)  # as the published folds are drawn
    parts = np.array_split(order, number)
    everything = np.arange(size)
    return [Fold(np.setdiff1d(everything, part), np.sort(part)) for part in parts]
