"""Whether a suite works on its data: every task loads, asks, reads anything, and has a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnyTask, Attempt, Rules, Sample, Suite
from hengfa.evals.suites.builtin import floor_of
from hengfa.evals.suites.scoring import check_scores, score_attempts, table_of

ODD_RESPONSES: Final = (
    "", " \n", "A", "ABCD", "\x00\ud800", "第" * 2000, "1" * 5000, "答案：" * 500, "[" * 2000,
    "<eoa>" * 500, "无法回答", "I cannot answer that.", '{"answer": null}',
)  # fmt: skip
"""Whatever a model may say: reading must not fail on it."""


class Scale(NamedTuple):
    """A task in a setting under some rules: how many samples, and what the trivial answer and the
    reference earn; None where there is no trivial answer, or a score needs a grader."""

    task: str
    setting: str
    rules: Rules
    samples: int
    floor: float | None
    ceiling: float | None


def check(suite: Suite, data: Path) -> list[Scale]:
    """Load, ask and score every task in every setting; what fails names the task."""
    options = suite.choose({})
    return [
        _scale(task, setting, rules, task.samples(data, setting, options), data)
        for task in suite.tasks.values()
        for setting in suite.settings
        for rules in Rules
    ]


def _scale(
    task: AnyTask, setting: str, rules: Rules, samples: Sequence[Sample], data: Path
) -> Scale:
    if not samples:
        raise DataError(f"there are no samples in {setting}", file=f"task {task.id}")
    for sample in samples:
        if not any(message.content.strip() for message in task.prompt(sample, setting)):
            raise DataError("nothing is asked", file=f"task {task.id}", row=sample.id)
    rule_set = task.rule_set(rules, data)
    for text in ODD_RESPONSES:
        try:
            rule_set.score(samples[0], rule_set.read(text))
        except Exception as error:
            problem = f"its {rules} rules fail on {text[:20]!r}: {type(error).__name__}: {error}"
            raise DataError(problem, file=f"task {task.id}") from error

    def earned(answer: Callable[[Any], str]) -> float | None:
        attempts = [Attempt(s, Response(Status.ANSWERED, answer(s))) for s in samples]
        table = table_of(score_attempts(rule_set, attempts))
        check_scores(task, table)
        mean = table.score(task.recipe(rules))
        return mean and mean.value

    floor = None if task.baselines.floor is None else earned(floor_of(task)(samples))
    ceiling = earned(task.baselines.reference)
    return Scale(task.id, setting, rules, len(samples), floor, ceiling)
