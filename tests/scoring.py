"""Scoring in tests: one response to one sample, and a figure of some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import Graded, Pooled, Recipe, TaskFigures, TaskTable
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites.base import AnyRuleSet, Attempt, Sample
from hengfa.evals.suites.scoring import ANSWERS, Scored, score_attempt, table_of


def score_response(
    rule_set: AnyRuleSet,
    sample: Sample,
    response: Response,
    accept: frozenset[Status] = ANSWERS,
) -> Scored:
    return score_attempt(rule_set, Attempt(sample, response), accept)


def trace_of(rule_set: AnyRuleSet, sample: Sample, text: str) -> Trace:
    """How an answer with this text came to its score."""
    return score_response(rule_set, sample, Response(Status.ANSWERED, text)).score.explain()


def faceted_table(
    scored: Sequence[Scored], facets: Sequence[Mapping[str, str]], cluster: str | None = None
) -> TaskTable:
    """What was scored with the kinds of its samples, as the tables of a run give it."""
    clusters = tuple(kinds.get(cluster) if cluster else None for kinds in facets)
    return replace(_numbered(scored), facets=tuple(facets), clusters=clusters)


def summarise(
    metric: str,
    pooled: Pooled | None,
    scored: Sequence[Scored],
    more: Mapping[str, Pooled] | None = None,
    graded: Graded | None = None,
) -> TaskFigures:
    return _numbered(scored).figure(Recipe(metric, pooled, more or {}, graded))


def _numbered(scored: Sequence[Scored]) -> TaskTable:
    """Each response as one to a sample of its own, whatever it was made of."""
    return replace(table_of(scored), samples=tuple(map(str, range(len(scored)))))
