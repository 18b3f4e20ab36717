"""What a scored run says about its figures: the tables of its tasks, and intervals.

Nothing but the run's folder is read: neither the data nor a model is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from hengfa.base.errors import UsageError
from hengfa.base.statistics.contest import Contest
from hengfa.base.statistics.evidence import Evidence, with_names
from hengfa.base.statistics.intervals import DRAWS, SEED, Estimate
from hengfa.evals.results.figures import Band, DrawnTask, TaskFigures, TaskTable, drawn_estimate
from hengfa.evals.runs.folder import (
    Manifest,
    read_figures,
    read_manifest,
    read_table,
    records_file,
    run_of,
    said_in_manifest,
)
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.registry import get_suite

OVERALL = "overall"
"""The figure that orders a leaderboard; a run that lacks a task has none."""
Further = Callable[[Mapping[str, TaskFigures]], dict[str, float]]


@dataclass(frozen=True)
class RunEvidence:
    """A scored run: what it is, and the evidence for each of its tasks under one set of rules."""

    folder: Path
    manifest: Manifest
    suite: Suite
    rules: Rules
    tables: Mapping[str, TaskTable]
    tasks: Mapping[str, Evidence]
    """Tasks that have a score, in the order of the suite."""
    grader: str = ""
    """Whose score it is; empty where there are no graders."""
    bands: Mapping[str, Band] = field(default_factory=dict)
    """Tasks that have no score because a grader left some of it open."""

    def light(self, beside: Sequence[RunEvidence]) -> RunEvidence:
        """To be kept beside others: without tables, and with the first one's names of samples where
        they are the same."""
        names = beside[0].tasks if beside else {}
        return replace(self, tables={}, tasks=with_names(self.tasks, names))

    @property
    def asked_by(self) -> dict[str, str]:
        """The options of the suite that change what is asked; others change scores only."""
        return self.suite.asked_by(self.manifest.suite_options)

    def estimates(self, *, seed: int = SEED, draws: int = DRAWS) -> dict[str, Estimate]:
        """Every task's score and every figure of the suite, with intervals."""
        if not self.tasks:
            return {}
        alone = {task: [evidence] for task, evidence in self.tasks.items()}
        contest = Contest(alone, self.suite.figures, seed=seed, draws=draws)
        return {row: contest.estimate(row, 0) for row in contest.rows}

    def drawn(self, *, seed: int = SEED, draws: int = DRAWS) -> dict[str, DrawnTask]:
        """All figures of the tasks that have a score, as they are and in each draw."""
        return {
            task: self.tables[task].drawn(
                self.suite.tasks[task].recipe(self.rules), task, seed=seed, draws=draws
            )
            for task in self.tasks
        }


def check_tasks(suite: Suite, tasks: Iterable[str]) -> None:
    """Refuse names of tasks that a suite does not have."""
    if strange := [task for task in tasks if task not in suite.tasks]:
        there_is = ", ".join(suite.tasks)
        raise UsageError(f"{suite.name} has no task {strange[0]!r}; there is: {there_is}")


def read_evidence(
    folder: Path, rules: Rules, tasks: Sequence[str] = (), *, facets: bool = False
) -> RunEvidence:
    """The evidence of a scored run for all its tasks, or for those of the named that it has."""
    manifest = read_manifest(folder)
    with said_in_manifest(folder):
        suite = get_suite(manifest.suite)
    figures = read_figures(folder)
    if rules not in figures:
        raise UsageError(
            f"{folder} is not scored by the {rules} rules: "
            f"hengfa score {suite.name} {run_of(folder)} --rules {rules}"
        )
    tables: dict[str, TaskTable] = {}
    evidence: dict[str, Evidence] = {}
    bands: dict[str, Band] = {}
    for task in suite.tasks.values():
        if not records_file(folder, task.id, rules).is_file() or (tasks and task.id not in tasks):
            continue
        tables[task.id] = table = read_table(folder, task.id, rules, facets=facets)
        behind, band = table.evidence(task.recipe(rules)), table.band(task.recipe(rules))
        if behind is not None:
            evidence[task.id] = behind
        if band is not None:
            bands[task.id] = band
    grader = figures[rules].grader
    return RunEvidence(folder, manifest, suite, rules, tables, evidence, grader, bands)


def further_draws(run: RunEvidence, tasks: Mapping[str, DrawnTask]) -> list[dict[str, float]]:
    """The figures of `Suite.further` in each draw; none where a suite has no such figures.

    They may be anything (an F of two means, a mean over groups of unequal size), so the suite is
    asked once for each draw, with all metrics of a task from the same draw.
    """
    further = run.suite.further
    if further is None or not tasks:
        return []
    return [
        further(dict(zip(tasks, figures, strict=True)))
        for figures in zip(*(task.draws for task in tasks.values()), strict=True)
    ]


def further_estimates(
    run: RunEvidence,
    tasks: Mapping[str, DrawnTask],
    draws: Sequence[Mapping[str, float]] | None = None,
) -> dict[str, Estimate]:
    """The figures of `Suite.further` with intervals, of their draws if these are known already."""
    further = run.suite.further
    if further is None or not tasks:
        return {}
    draws = further_draws(run, tasks) if draws is None else draws
    behind = _behind(further, tasks)
    return {
        name: drawn_estimate(
            value, np.array([draw[name] for draw in draws if name in draw]), behind[name]
        )
        for name, value in further({name: task.figure for name, task in tasks.items()}).items()
    }


def _behind(further: Further, tasks: Mapping[str, DrawnTask]) -> dict[str, list[DrawnTask]]:
    """Which tasks each figure depends on: those whose change changes it; all if none does."""
    figures = {name: task.figure for name, task in tasks.items()}
    moved = {name: further(figures | {name: _moved(figure)}) for name, figure in figures.items()}
    return {
        figure: [task for name, task in tasks.items() if moved[name].get(figure) != value]
        or list(tasks.values())
        for figure, value in further(figures).items()
    }


def _moved(figure: TaskFigures) -> TaskFigures:
    """The same task with other values."""
    more = {name: value / 2 + 0.1 for name, value in figure.more.items()}
    score = None if figure.score is None else figure.score / 2 + 0.1
    return msgspec.structs.replace(figure, score=score, more=more)
