"""Intervals for what a task has besides its score, and for figures that need more than scores.

`Suite.further` may make anything of the tasks' figures (an F of two means, a mean over groups of
unequal size), so it is asked once for each draw, with all metrics of a task from the same draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hengfa.results.statistics.evidence import SHARE, Array, numbered, sums_by_cluster
from hengfa.results.statistics.intervals import Estimate, Sampled, estimate
from hengfa.results.statistics.means import left_to_right
from hengfa.results.statistics.resampling import DRAWS, SEED, drawn_sums
from hengfa.runs.evidence import MetricTable, RunEvidence
from hengfa.suites.base import ABSTAINED, AnyRuleSet, AnyTask, Pooled
from hengfa.suites.scoring import TaskFigure

Further = Callable[[Mapping[str, TaskFigure]], dict[str, float]]


@dataclass(frozen=True)
class DrawnTask:
    """All figures of a task as they are, and in each draw."""

    figure: TaskFigure
    draws: Sequence[TaskFigure]
    clusters: int

    def more(self) -> dict[str, Estimate]:
        """What the task has besides its score, with intervals."""
        return {
            name: _estimate(value, [one.more.get(name) for one in self.draws], [self])
            for name, value in self.figure.more.items()
        }


def drawn_tasks(run: RunEvidence, *, seed: int = SEED, draws: int = DRAWS) -> dict[str, DrawnTask]:
    """The tasks of a run that have a score."""
    return {
        task: _drawn(run.tables[task], run.suite.tasks[task], run, seed, draws)
        for task in run.tasks
    }


def further_estimates(run: RunEvidence, tasks: Mapping[str, DrawnTask]) -> dict[str, Estimate]:
    """The figures of `Suite.further` with intervals; none where a suite has no such figures."""
    if run.suite.further is None or not tasks:
        return {}
    found = run.suite.further({name: task.figure for name, task in tasks.items()})
    draws = [
        run.suite.further(dict(zip(tasks, figures, strict=True)))
        for figures in zip(*(task.draws for task in tasks.values()), strict=True)
    ]
    behind = _behind(run.suite.further, tasks)
    return {
        name: _estimate(value, [one.get(name) for one in draws], behind[name])
        for name, value in found.items()
    }


def _behind(further: Further, tasks: Mapping[str, DrawnTask]) -> dict[str, list[DrawnTask]]:
    """Which tasks each figure depends on: those whose change changes it; all if none does."""
    figures = {name: task.figure for name, task in tasks.items()}
    found = further(figures)
    moved = {name: further(figures | {name: _moved(figure)}) for name, figure in figures.items()}
    return {
        figure: [task for name, task in tasks.items() if moved[name].get(figure) != value]
        or list(tasks.values())
        for figure, value in found.items()
    }


def _moved(figure: TaskFigure) -> TaskFigure:
    """The same task with other values."""
    more = {name: value / 2 + 0.1 for name, value in figure.more.items()}
    score = None if figure.score is None else figure.score / 2 + 0.1
    return replace(figure, score=score, more=more)


def _estimate(value: float, draws: Sequence[float | None], behind: Sequence[DrawnTask]) -> Estimate:
    """From the draws in which the figure is defined; it is a score if none of them is beyond 1."""
    known: Array = np.array([one for one in draws if one is not None] or [value], dtype=np.float64)
    is_share = min(value, known.min()) >= 0 and max(value, known.max()) <= 1
    return estimate(
        Sampled(
            value,
            known,
            known,
            freedom=max(1.0, sum(task.clusters - 1.0 for task in behind)),
            samples=sum(task.figure.n for task in behind),
            clusters=sum(task.clusters for task in behind),
            bounds=SHARE if is_share else None,
        )
    )


def _drawn(table: MetricTable, task: AnyTask, run: RunEvidence, seed: int, draws: int) -> DrawnTask:
    rule_set: AnyRuleSet = task.rule_set(run.rules)
    counts = np.flatnonzero(~np.isnan(table.columns[task.metric]))
    sums = _Sums(table, task.metric, rule_set)
    clusters = numbered(table.samples, table.clusters)
    by_cluster = sums_by_cluster(clusters, sums.columns)
    rows = drawn_sums(by_cluster, task.id, seed=seed, draws=draws).tolist()
    whole = [left_to_right(column.tolist()) for column in sums.columns]
    return DrawnTask(
        sums.figure(whole, len(counts)),
        [sums.figure(row, len(counts)) for row in rows],
        by_cluster.shape[0],
    )


class _Sums:
    """Which sums the figures of a task are made of, and how."""

    def __init__(self, table: MetricTable, metric: str, rule_set: AnyRuleSet) -> None:
        self._metric, self._pooled, self._more = metric, rule_set.pooled, rule_set.more
        pools = [*([rule_set.pooled] if rule_set.pooled else []), *rule_set.more.values()]
        self._summed = {part for pool in pools for part in pool.parts}
        counted = ~np.isnan(table.columns[metric])
        nothing = np.full(len(table.samples), np.nan)
        self.columns: list[Array] = []
        self._place: dict[tuple[str, str], int] = {}
        for name, column in table.columns.items():
            self._add("sum", name, np.nan_to_num(column, nan=0.0))
            self._add("number", name, (~np.isnan(column)).astype(np.float64))
        for part in sorted(self._summed):
            column = table.columns.get(part, nothing)
            self._add("part", part, np.where(counted, np.nan_to_num(column, nan=0.0), 0.0))
        self._names = [name for name in table.columns if name not in (metric, ABSTAINED)]

    def _add(self, kind: str, name: str, column: Array) -> None:
        self._place[kind, name] = len(self.columns)
        self.columns.append(column)

    def figure(self, sums: Sequence[float], n: int) -> TaskFigure:
        """The task's figures from the sums of the columns; as `suites.scoring` makes them."""
        more: dict[str, float] = {
            name: self._of_pool(pool, sums) for name, pool in self._more.items()
        }
        for name in self._names:
            total, number = (sums[self._place[kind, name]] for kind in ("sum", "number"))
            if name in self._summed:
                more[name] = total
            elif number:
                more[name] = total / number
        return TaskFigure(self._score(sums), None, None, n, 0.0, more=more)

    def _score(self, sums: Sequence[float]) -> float | None:
        if self._pooled is not None:
            return self._of_pool(self._pooled, sums)
        total, number = (sums[self._place[kind, self._metric]] for kind in ("sum", "number"))
        return total / number if number else None

    def _of_pool(self, pool: Pooled, sums: Sequence[float]) -> float:
        found = pool.figure(*(sums[self._place["part", part]] for part in pool.parts))
        return found if pool.digits is None else round(found, pool.digits)
