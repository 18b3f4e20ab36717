"""Measures indexes and runs on the same judged queries, and compares them with the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hengfa.errors import UsageError
from hengfa.retrieval.comparing import Difference, Evaluation, difference, evaluation
from hengfa.retrieval.corpus import Query
from hengfa.retrieval.index import Watch
from hengfa.retrieval.measures import STANDARD, Measure, Qrels, Run, measure
from hengfa.retrieval.opening import Searcher

DEPTH = 100


class Comparison(msgspec.Struct, frozen=True):
    """How another run differs from the first, measure by measure."""

    name: str
    against: str
    differences: dict[str, Difference]


class Measured(msgspec.Struct, frozen=True):
    """What `hengfa retrieve evaluate` says."""

    queries: int
    judged_pairs: int
    unanswered: dict[str, int]  # judged queries for which a run has nothing
    evaluations: list[Evaluation]
    comparisons: list[Comparison]


def run_of(
    index: Searcher, queries: Sequence[Query], depth: int = DEPTH, watch: Watch | None = None
) -> dict[str, list[tuple[str, float]]]:
    """What an index finds for each query, down to a depth."""
    found = index.search([query.text for query in queries], depth, watch=watch)
    return {
        query.id: [(hit.id, hit.score) for hit in hits]
        for query, hits in zip(queries, found, strict=True)
    }


def evaluate(
    runs: Mapping[str, Run], qrels: Qrels, measures: Sequence[Measure] = STANDARD
) -> Measured:
    """All measures of all runs with intervals; every judged query counts."""
    if not runs:
        raise UsageError("name at least one index or run")
    values = {name: measure(run, qrels, measures) for name, run in runs.items()}
    first, *others = values
    return Measured(
        queries=len(qrels),
        judged_pairs=sum(gain > 0 for judged in qrels.values() for gain in judged.values()),
        unanswered={name: sum(not run.get(query) for query in qrels) for name, run in runs.items()},
        evaluations=[evaluation(name, measured) for name, measured in values.items()],
        comparisons=[
            Comparison(
                name,
                first,
                {key: difference(values[name][key], values[first][key]) for key in values[name]},
            )
            for name in others
        ],
    )
