"""Responses to scores to a task's figure: the part of the way that is the same for every suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hengfa.engine.messages import Response, Status
from hengfa.results.statistics.means import Mean, mean, of_sums
from hengfa.suites.base import ABSTAINED, AnswerStatus, AnyRuleSet, Metrics, Pooled, Sample

ANSWERS = frozenset({Status.ANSWERED})
ANSWERS_AND_CUT = frozenset({Status.ANSWERED, Status.TRUNCATED})
"""For comparison with papers whose runs scored texts cut at the length limit."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One response, read and scored under one set of rules.

    `metrics` holds what counts for the strict figure; `answer` is None if there is none.
    """

    sample: Sample
    response: Response
    metrics: Metrics
    answer: AnswerStatus | None
    value: Any = None
    """What extraction read, for people who want to know why."""


@dataclass(frozen=True, slots=True)
class TaskFigure:
    """A task's score with what stands behind it (decision 4 of the design).

    `score` is strict: what is no answer earns nothing. `lenient` leaves it out. The two differ only
    if there were refused, filtered, truncated, empty or failed responses, counted in `statuses`.
    Where the rule counted no sample at all there is no score. `more` holds the task's other
    metrics: means, or sums where the figure is made of them.
    """

    score: float | None
    lenient: float | None
    standard_error: float | None
    n: int
    abstention: float
    statuses: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    more: Mapping[str, float] = field(default_factory=dict)


def score_response(
    rule_set: AnyRuleSet,
    sample: Sample,
    response: Response,
    accept: frozenset[Status] = ANSWERS,
) -> Scored:
    """Extract and score one response; what is not an answer is never extracted from."""
    if response.status not in accept:
        return Scored(sample, response, rule_set.silence(sample), None)
    answer = rule_set.extract(response.text)
    return Scored(sample, response, rule_set.score(sample, answer), answer.status, answer.value)


def summarise(
    metric: str,
    pooled: Pooled | None,
    scored: Sequence[Scored],
    more: Mapping[str, Pooled] | None = None,
) -> TaskFigure:
    """The figure of a task's main metric, and what else is known about it."""
    strict = _figure(metric, pooled, [one.metrics for one in scored])
    lenient = _figure(metric, pooled, [one.metrics for one in scored if one.answer is not None])
    abstained = mean(_values(map(_abstention, scored)))
    return TaskFigure(
        score=strict.value if strict else None,
        lenient=lenient.value if lenient else None,
        standard_error=strict.standard_error if strict else None,
        n=strict.n if strict else 0,
        abstention=abstained.value if abstained else 0.0,
        statuses=Counter(str(one.response.status) for one in scored),
        answers=Counter(str(one.answer) for one in scored if one.answer is not None),
        more=_more(metric, pooled, more or {}, scored),
    )


def _figure(metric: str, pooled: Pooled | None, metrics: Sequence[Metrics]) -> Mean | None:
    counted = [one for one in metrics if one[metric] is not None]
    if pooled is None:
        return mean(_values(one[metric] for one in counted))
    rows = [[one[part] or 0.0 for part in pooled.parts] for one in counted]
    found = of_sums(rows, pooled.figure)
    if found is None or pooled.digits is None:
        return found
    return found._replace(value=round(found.value, pooled.digits))


def _abstention(one: Scored) -> float | None:
    return one.metrics.get(ABSTAINED, float(one.answer is AnswerStatus.ABSTAINED))


def _more(
    metric: str, pooled: Pooled | None, more: Mapping[str, Pooled], scored: Sequence[Scored]
) -> dict[str, float]:
    found: dict[str, float] = {}
    summed = set(pooled.parts if pooled is not None else ())
    for name, figure in more.items():
        summed.update(figure.parts)
        if made := _figure(metric, figure, [one.metrics for one in scored]):
            found[name] = made.value
    for name in dict.fromkeys(name for one in scored for name in one.metrics):
        if name in (metric, ABSTAINED):
            continue
        values = _values(one.metrics.get(name) for one in scored)
        if name in summed:
            found[name] = sum(values)
        elif average := mean(values):
            found[name] = average.value
    return found


def _values(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
