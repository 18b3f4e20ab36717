"""Responses to scores to a task's figure: the part of the way that is the same for every suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hengfa.engine.messages import Response, Status
from hengfa.results.statistics import mean
from hengfa.suites.base import AnswerStatus, AnyTask, Metrics, Rules, Sample

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
    Where the rule counted no sample at all there is no score.
    """

    score: float | None
    lenient: float | None
    standard_error: float | None
    n: int
    abstention: float
    statuses: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)


def score_response(
    task: AnyTask,
    rules: Rules,
    sample: Sample,
    response: Response,
    accept: frozenset[Status] = ANSWERS,
) -> Scored:
    """Extract and score one response; what is not an answer is never extracted from."""
    rule_set = task.rules[rules]
    if response.status not in accept:
        return Scored(sample, response, rule_set.silence(sample), None)
    answer = rule_set.extract(response.text)
    return Scored(sample, response, rule_set.score(sample, answer), answer.status, answer.value)


def summarise(task: AnyTask, scored: Iterable[Scored]) -> TaskFigure:
    """The figure of a task's main metric."""
    strict: list[float] = []
    lenient: list[float] = []
    statuses: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for one in scored:
        statuses[str(one.response.status)] += 1
        if one.answer is not None:
            answers[str(one.answer)] += 1
        value = one.metrics[task.metric]
        if value is not None:
            strict.append(value)
            if one.answer is not None:
                lenient.append(value)
    total = statuses.total()
    figure = mean(strict)
    only_answers = mean(lenient)
    return TaskFigure(
        score=figure.value if figure else None,
        lenient=only_answers.value if only_answers else None,
        standard_error=figure.standard_error if figure else None,
        n=figure.n if figure else 0,
        abstention=answers[AnswerStatus.ABSTAINED] / total if total else 0.0,
        statuses=statuses,
        answers=answers,
    )
