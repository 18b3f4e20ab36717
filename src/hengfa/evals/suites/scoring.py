"""Responses to scores: the part of the way that is the same for every suite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import fsum
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Status
from hengfa.evals.results.figures import ABSTAINED, TaskTable
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Answer, AnswerStatus, AnyRuleSet, Attempt, Metrics, Score

ANSWERS: Final = frozenset({Status.ANSWERED})
ANSWERS_AND_CUT: Final = frozenset({Status.ANSWERED, Status.TRUNCATED})
"""For comparison with papers whose runs scored texts cut at the length limit."""
_SLACK: Final = 1e-9
_AHEAD: Final = 500
_NOTHING: Answer[object] = Answer(None, AnswerStatus.ABSTAINED)


class Scored(NamedTuple):
    """One response, read and scored under one set of rules. `score` holds what counts for the
    strict figure; `answer` is None if the response is none. Of a response that a grader was asked
    about several times, `gradings` has the metrics of each time and the score their means."""

    attempt: Attempt
    answer: Answer[object] | None
    score: Score
    gradings: tuple[Metrics, ...] = ()

    @property
    def sample(self) -> base.Sample:
        return self.attempt.sample

    @property
    def metrics(self) -> Metrics:
        return self.score.metrics

    @property
    def answer_status(self) -> str | None:
        return None if self.answer is None else str(self.answer.status)


@dataclass(frozen=True, slots=True)
class Scale:
    """The scores of `floor` and `ceiling`, the built-in models, under the same rules."""

    floor: float
    ceiling: float

    def skill(self, score: float) -> float | None:
        """0 is as good as the trivial answer, 1 as good as the reference; below 0 is worse."""
        width = self.ceiling - self.floor
        return (score - self.floor) / width if width > 0 else None


def score_attempt(
    rule_set: AnyRuleSet, attempt: Attempt, accept: frozenset[Status] = ANSWERS
) -> Scored:
    """Read and score one response; what is not an answer is never read."""
    sample, response, graded, _ = attempt
    if response.status not in accept:
        unknown = graded is None and isinstance(rule_set, base.GradedRuleSet)
        silence = rule_set.score(sample, _NOTHING).metrics if unknown else rule_set.silence(sample)
        return Scored(attempt, None, Score(silence))
    answer = rule_set.read(response.text)
    if graded is None or not isinstance(rule_set, base.GradedRuleSet):
        return Scored(attempt, answer, rule_set.score(sample, answer))
    scores = [rule_set.grade(sample, answer, asked) for asked in graded.rounds]
    if len(scores) == 1:
        return Scored(attempt, answer, scores[0])
    return Scored(attempt, answer, _mean_score(scores), tuple(score.metrics for score in scores))


def _mean_score(scores: Sequence[Score]) -> Score:
    """Several gradings as one: the mean of each metric where it is known, and all findings."""

    def explain() -> Trace:
        traces = [score.explain() for score in scores]
        return Trace(
            traces[0].kind,
            tuple(
                replace(finding, note=f"grading {number}; {finding.note}".rstrip("; "))
                for number, trace in enumerate(traces, 1)
                for finding in trace.findings
            ),
        )

    means: dict[str, float | None] = {}
    for name in dict.fromkeys(name for score in scores for name in score.metrics):
        known = [value for score in scores if (value := score.metrics.get(name)) is not None]
        means[name] = fsum(known) / len(known) if known else None
    return Score(means, explain)


def score_attempts(
    rule_set: AnyRuleSet, attempts: Iterable[Attempt], accept: frozenset[Status] = ANSWERS
) -> list[Scored]:
    """All responses to a task, in their order, with what follows from several of them."""
    waiting, scored = iter(attempts), list[Scored]()
    while some := list(islice(waiting, _AHEAD)):
        rule_set.look_ahead([(attempt.sample, attempt.response.text) for attempt in some])
        scored += (score_attempt(rule_set, attempt, accept) for attempt in some)
    if type(rule_set).across is base.RuleSet.across:
        return scored
    repeats: defaultdict[int, dict[str, tuple[base.Sample, Metrics]]] = defaultdict(dict)
    for response in scored:
        of_repeat = repeats[response.attempt.repeat]
        of_repeat[response.sample.id] = response.sample, response.metrics
    more = {repeat: rule_set.across(metrics) for repeat, metrics in repeats.items()}
    for place, response in enumerate(scored):
        if found := more[response.attempt.repeat].get(response.sample.id):
            score = response.score._replace(metrics={**response.metrics, **found})
            scored[place] = response._replace(score=score)
    return scored


def table_of(scored: Sequence[Scored]) -> TaskTable:
    """What was scored as the table that figures are made of; kinds of samples are for the tables of
    a run (`runs/folder.py`)."""
    metrics = [response.score.metrics for response in scored]
    names = dict.fromkeys(name for of_sample in metrics for name in of_sample)
    columns = {  # None, where the rules leave the sample out, becomes NaN
        name: np.array([of_sample.get(name) for of_sample in metrics], dtype=np.float64)
        for name in names
    }
    if ABSTAINED in columns:
        for row, response in enumerate(scored):  # else the answer's status says it
            if ABSTAINED not in response.metrics:
                columns[ABSTAINED][row] = response.answer_status == AnswerStatus.ABSTAINED
    return TaskTable(
        samples=tuple(response.attempt.sample.id for response in scored),
        clusters=(None,) * len(scored),
        statuses=tuple(str(response.attempt.response.status) for response in scored),
        answers=tuple(response.answer_status for response in scored),
        columns=columns,
        repeats=tuple(response.attempt.repeat for response in scored),
    )


def check_scores(task: base.AnyTask, table: TaskTable) -> None:
    """What a suite from outside may get wrong: rules that do not give the task's metric, or give a
    score that is none."""
    if not table.samples:
        return
    if task.metric not in table.columns:
        given = ", ".join(table.columns) or "nothing"
        problem = f"its rules give no {task.metric!r}, which is its metric; they give: {given}"
        raise DataError(problem, file=f"task {task.id}")
    column = table.columns[task.metric]
    wrong = np.flatnonzero((column < task.least - _SLACK) | (column > 1 + _SLACK))
    if wrong.size:
        place = int(wrong[0])
        problem = f"{task.metric} is {column[place]:g}, and a score is between {task.least:g} and 1"
        raise DataError(problem, file=f"task {task.id}", row=table.samples[place])
