"""The scale of a score: what knowing nothing and what knowing everything earns on these samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hengfa.engine.messages import Response, Status
from hengfa.errors import DataError
from hengfa.suites.base import AnyTask, Attempt, Rules, Sample
from hengfa.suites.registry import get_suite
from hengfa.suites.scoring import score_attempts, table_of


@dataclass(frozen=True, slots=True)
class Scale:
    """The scores of `floor` and `ceiling`, the built-in models, under the same rules."""

    floor: float
    ceiling: float

    def skill(self, score: float) -> float | None:
        """0 is as good as the trivial answer, 1 as good as the reference; below 0 is worse."""
        width = self.ceiling - self.floor
        return (score - self.floor) / width if width > 0 else None


@lru_cache(maxsize=256)
def scale_of(
    suite: str,
    task_id: str,
    setting: str,
    options: tuple[tuple[str, str], ...],
    rules: Rules,
    data: Path,
    ids: tuple[str, ...],
) -> Scale | None:
    """The scale of a task on some of its samples; None if the data does not have them.

    Nor has a graded task one: its floor and ceiling are runs that have to be graded themselves.
    """
    task = get_suite(suite).tasks[task_id]
    if task.grading is not None:
        return None
    samples = _samples(suite, task_id, setting, options, data)
    chosen = [samples[id_] for id_ in ids if id_ in samples]
    if len(chosen) < len(ids):
        return None
    trivial = task.baselines.floor(list(samples.values()))
    floor = _score(task, rules, data, [(sample, trivial(sample)) for sample in chosen])
    ceiling = _score(
        task, rules, data, [(sample, task.baselines.reference(sample)) for sample in chosen]
    )
    return None if floor is None or ceiling is None else Scale(floor, ceiling)


@lru_cache(maxsize=64)
def _samples(
    suite: str, task_id: str, setting: str, options: tuple[tuple[str, str], ...], data: Path
) -> dict[str, Sample]:
    task = get_suite(suite).tasks[task_id]
    try:
        return {sample.id: sample for sample in task.load(data, setting, dict(options))}
    except DataError:  # a folder without this task: there is a score, but no scale
        return {}


def _score(
    task: AnyTask, rules: Rules, data: Path, texts: list[tuple[Sample, str]]
) -> float | None:
    rule_set = task.rule_set(rules, data)
    attempts = (
        Attempt(sample, Response(Status.ANSWERED if text else Status.EMPTY, text=text))
        for sample, text in texts
    )
    score = table_of(score_attempts(rule_set, attempts)).score(task.recipe(rules))
    return score and score.value
