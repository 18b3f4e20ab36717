"""Runs on judged queries: read and written as trec_eval does, measured, and compared.

The query is what was drawn at random, so all that belongs to one query (its articles, its measures,
both retrievers) stays together. Intervals and tests are those of all scores (docs/statistics.md),
every query being a sample of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import msgspec
import numpy as np

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Progress
from hengfa.base.statistics.contest import Contest
from hengfa.base.statistics.evidence import evidence_of
from hengfa.base.statistics.intervals import Estimate
from hengfa.law.retrieval.corpus import Query
from hengfa.law.retrieval.measures import STANDARD, Measure, Qrels, Run, Values, measure
from hengfa.law.retrieval.opening import Searcher

DEPTH: Final = 100
_MARK: Final = "\ufeff"
_HIGHEST_GAIN: Final = 1_000_000


class MeanMeasure(msgspec.Struct, frozen=True):
    """The mean of a measure over all judged queries, with its 95 % interval."""

    value: float
    low: float
    high: float
    queries: int


class Gain(msgspec.Struct, frozen=True):
    """How much more of a measure one run has than another, on the same queries.

    ``p`` is how often a mean difference so large comes about when each query's two values are
    swapped at random: small where chance does not explain it.
    """

    value: float
    low: float
    high: float
    p: float
    better: int
    worse: int


class RunFigures(msgspec.Struct, frozen=True):
    name: str
    figures: dict[str, MeanMeasure]


class RunGains(msgspec.Struct, frozen=True):
    """How another run differs from the first, measure by measure."""

    name: str
    against: str
    differences: dict[str, Gain]


class Evaluation(msgspec.Struct, frozen=True):
    """What `hengfa retrieve evaluate` says."""

    queries: int
    judged_pairs: int
    unanswered: dict[str, int]  # judged queries for which a run has nothing
    evaluations: list[RunFigures]
    comparisons: list[RunGains]


def run_of(
    index: Searcher, queries: Sequence[Query], depth: int = DEPTH, watch: Progress | None = None
) -> dict[str, list[tuple[str, float]]]:
    """What an index finds for each query, down to a depth."""
    answers = index.search([query.text for query in queries], depth, watch=watch)
    return {
        query.id: [(hit.id, hit.score) for hit in hits]
        for query, hits in zip(queries, answers, strict=True)
    }


def evaluate(
    runs: Mapping[str, Run], qrels: Qrels, measures: Sequence[Measure] = STANDARD
) -> Evaluation:
    """All measures of all runs with intervals; every judged query counts."""
    if not runs:
        raise UsageError("name at least one index or run")
    values = {name: measure(run, qrels, measures) for name, run in runs.items()}
    first, *others = values
    return Evaluation(
        queries=len(qrels),
        judged_pairs=sum(gain > 0 for judged in qrels.values() for gain in judged.values()),
        unanswered={name: sum(not run.get(query) for query in qrels) for name, run in runs.items()},
        evaluations=[RunFigures(name, figures_of(measured)) for name, measured in values.items()],
        comparisons=[
            RunGains(name, first, gains_of(values[name], values[first])) for name in others
        ],
    )


def figures_of(measured: Mapping[str, Values]) -> dict[str, MeanMeasure]:
    """The mean of every measure with its interval, given its value for each query."""
    contest = _contest(measured)
    return {
        name: MeanMeasure(float(values.mean()), *_ends(contest.estimate(name, 0)), len(values))
        for name, values in measured.items()
    }


def gains_of(measured: Mapping[str, Values], first: Mapping[str, Values]) -> dict[str, Gain]:
    """How much more of every measure there is than in the first; both on the same queries."""
    pair = _contest(measured, first).pair(0, 1)
    gains = {}
    for name, values in measured.items():
        apart = pair.difference(name)
        value = float((values - first[name]).mean())
        gains[name] = Gain(value, *_ends(apart.estimate), apart.p, apart.wins, apart.losses)
    return gains


def _contest(*runs: Mapping[str, Values]) -> Contest:
    """The measures as tasks, the queries as their samples."""
    sizes = {len(values) for measured in runs for values in measured.values()}
    if len(sizes) != 1:
        raise UsageError("retrievers are compared on the same queries")
    if sizes == {0}:
        raise UsageError("there are no queries to take a mean of")
    (size,) = sizes
    queries = [str(number) for number in range(size)]
    return Contest(
        {name: [evidence_of(queries, measured[name]) for measured in runs] for name in runs[0]},
        lambda _: {},
    )


def _ends(estimate: Estimate) -> tuple[float, float]:
    """Of its interval, which every figure between 0 and 1 has."""
    return cast("tuple[float, float]", (estimate.low, estimate.high))


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Lines `query 0 document relevance`; a pair judged twice, or differently, is an error."""
    qrels: dict[str, dict[str, int]] = {}
    for number, (query, _, document, relevance) in _columns(file, 4, "query 0 document relevance"):
        try:
            gain = int(relevance)
        except ValueError:
            gain = _HIGHEST_GAIN + 1
        if abs(gain) > _HIGHEST_GAIN:
            problem = f"{relevance[:40]!r} is no whole number of at most {_HIGHEST_GAIN}"
            raise DataError(problem, file=file, row=number, field="relevance") from None
        judged = qrels.setdefault(query, {})
        if document in judged:
            raise DataError(f"{query} {document} was judged before", file=file, row=number)
        judged[document] = gain
    if not qrels:
        raise DataError("no judgments in it", file=file)
    return qrels


def read_run(file: Path) -> dict[str, list[tuple[str, float]]]:
    """Lines `query Q0 document rank score name`; the score decides, not the rank."""
    run: dict[str, dict[str, float]] = {}
    for number, columns in _columns(file, 6, "query Q0 document rank score name"):
        query, _, document, _, points, _ = columns
        try:
            score = float(points)
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise DataError(f"{points!r} is no number", file=file, row=number, field="score")
        listed = run.setdefault(query, {})
        if document in listed:
            raise DataError(f"{query} {document} was found before", file=file, row=number)
        listed[document] = score
    if not run:
        raise DataError("nothing was found in it", file=file)
    return {query: list(listed.items()) for query, listed in run.items()}


def write_run(file: Path, run: Run, name: str) -> None:
    """The run in trec_eval's order; scores come back as the same single-precision numbers."""
    name = "".join(name.split()) or "run"
    lines = []
    for query, listed in run.items():
        scored = ((np.float32(score), document) for document, score in listed)
        for rank, (score, document) in enumerate(sorted(scored, reverse=True), 1):
            for word in (query, document):
                if not word or word.split() != [word]:
                    raise DataError(f"an id with a blank in it: {word!r}", file="run")
            lines.append(f"{query} Q0 {document} {rank} {score!s} {name}\n")
    write_atomically(file, "".join(lines).encode())


def write_qrels(file: Path, qrels: Qrels) -> None:
    """The judgments, one a line."""
    lines = (
        f"{query} 0 {document} {gain}\n"
        for query, judged in qrels.items()
        for document, gain in judged.items()
    )
    write_atomically(file, "".join(lines).encode())


def _columns(file: Path, wanted: int, layout: str) -> Iterator[tuple[int, list[str]]]:
    with disk_errors(file), file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode().removeprefix(_MARK if number == 1 else "")
            except UnicodeDecodeError as error:
                raise DataError(f"not UTF-8: {error}", file=file, row=number) from error
            columns = text.split()
            if not columns:
                continue
            if len(columns) != wanted:
                problem = f"{len(columns)} columns where there must be {wanted}: {layout}"
                raise DataError(problem, file=file, row=number)
            yield number, columns
