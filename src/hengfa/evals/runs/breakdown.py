"""A scored run taken apart: by law, by number of hops, by scenario; and by types of error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec
import numpy as np

from hengfa.base.errors import UsageError
from hengfa.base.statistics.intervals import Estimate, estimate, sampled
from hengfa.evals.grading.error_types import ErrorType
from hengfa.evals.results.figures import Recipe, TaskFigures, TaskTable
from hengfa.evals.runs.error_asking import AskedErrors, read_asked
from hengfa.evals.runs.evidence import RunEvidence, read_evidence
from hengfa.evals.runs.folder import run_of
from hengfa.evals.suites.base import AnyTask, Rules


@dataclass(frozen=True)
class Part:
    """Some samples of a task: one figure with its interval, and all the others as they are."""

    estimate: Estimate | None
    figure: TaskFigures

    def as_json(self) -> dict[str, Any]:
        figure = self.figure
        return {
            **(msgspec.to_builtins(self.estimate) if self.estimate else {"value": None}),
            "score": figure.score,
            "lenient": figure.lenient,
            "abstention": figure.abstention,
            "n": figure.n,
            **({"ungraded": figure.band.ungraded} if figure.band else {}),
            "more": dict(figure.more),
            "statuses": dict(figure.statuses),
        }


@dataclass(frozen=True)
class TaskBreakdown:
    """A task by the kinds of a facet; `answered` leaves out what is no answer or abstains."""

    task: AnyTask
    metric: str
    whole: Part
    answered: Part
    kinds: Mapping[str, Part]

    @property
    def mean_of_kinds(self) -> float | None:
        """Every kind counting the same, however many samples it has."""
        values = [part.estimate.value for part in self.kinds.values() if part.estimate]
        return fmean(values) if values else None

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "whole": self.whole.as_json(),
            "answered": self.answered.as_json(),
            "mean_of_kinds": self.mean_of_kinds,
            "kinds": {kind: part.as_json() for kind, part in self.kinds.items()},
        }


@dataclass(frozen=True)
class Breakdown:
    """What `hengfa results SUITE --run RUN --by FACET` says."""

    run: RunEvidence
    facet: str
    tasks: Sequence[TaskBreakdown]

    def as_json(self) -> dict[str, Any]:
        tasks = {part.task.id: part.as_json() for part in self.tasks}
        return {**_run_json(self.run), "facet": self.facet, "tasks": tasks}


def _run_json(run: RunEvidence) -> dict[str, Any]:
    return {
        "run": run_of(run.folder).name,
        **({"grader": run.grader} if run.grader else {}),
        "suite": run.suite.name,
        "setting": run.manifest.setting,
        "rules": str(run.rules),
    }


def break_down(
    folder: Path,
    facet: str,
    rules: Rules = Rules.OFFICIAL,
    *,
    tasks: Sequence[str] = (),
    metric: str | None = None,
) -> Breakdown:
    """The tasks of a run whose samples have the facet, each taken apart by its kinds.

    `metric` is another figure of the tasks than the one that people quote. The facet can also be
    an aspect, such as the section: then all samples count, by what they earned there.
    """
    run = _read_tasks(folder, rules, tasks)
    tasks_of = run.suite.tasks
    kinds_of = {id_: (*of.facets, tasks_of[id_].aspects) for id_, of in run.tables.items()}
    having = {
        id_: table
        for id_, table in run.tables.items()
        if any(facet in kinds for kinds in kinds_of[id_])
    }
    if not having:
        known = dict.fromkeys(name for of in kinds_of.values() for kinds in of for name in kinds)
        raise UsageError(f"--by: no sample has a {facet!r}; there is: {', '.join(known) or 'none'}")
    if metric is not None and any(facet in tasks_of[id_].aspects for id_ in having):
        raise UsageError(f"--metric: the parts of an answer by {facet} have their rates only")
    parts = [_task(tasks_of[id_], table, facet, rules, metric) for id_, table in having.items()]
    wholes = [part.whole for part in parts]
    if metric is not None and not any(whole.estimate or whole.figure.band for whole in wholes):
        names = dict.fromkeys(name for whole in wholes for name in whole.figure.more)
        raise UsageError(f"--metric: there is no {metric!r}; there is: {', '.join(names)}")
    return Breakdown(run, facet, parts)


def _task(
    task: AnyTask, table: TaskTable, facet: str, rules: Rules, metric: str | None
) -> TaskBreakdown:
    recipe, name = task.recipe(rules), metric or task.metric
    parts = {
        kind: _part(table.having(aspect), replace(recipe, pooled=aspect.rate), task.id, task.metric)
        for kind, aspect in task.aspects.get(facet, {}).items()
    }
    if not parts:
        by = table.by(facet)
        parts = {kind: _part(of, recipe, task.id, name) for kind, of in by.items()}
    whole, answered = (_part(of, recipe, task.id, name) for of in (table, table.answering()))
    return TaskBreakdown(task, name, whole, answered, parts)


def _part(table: TaskTable, recipe: Recipe, task: str, name: str) -> Part:
    if (evidence := table.evidence(recipe, name)) is None:
        return Part(None, table.figure(recipe))
    [drawn] = sampled([evidence], task)
    return Part(estimate(drawn), table.figure(recipe))


class ErrorShare(NamedTuple):
    """The share of answers with a type of error, of those of which it can be told.

    `asked` is the model that was asked about the type; empty where it follows from the grades.
    """

    type: ErrorType
    share: Estimate | None
    asked: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.type.id,
            "by": str(self.type.by),
            "asked": self.asked,
            "title": self.type.title,
            "title_en": self.type.title_en,
            "source": self.type.source,
            **(msgspec.to_builtins(self.share) if self.share else {"value": None}),
        }


@dataclass(frozen=True)
class ErrorShares:
    """What `hengfa results SUITE --run RUN --errors` says, by task."""

    run: RunEvidence
    tasks: Mapping[str, Sequence[ErrorShare]]

    def as_json(self) -> dict[str, Any]:
        tasks = {id_: [share.as_json() for share in shares] for id_, shares in self.tasks.items()}
        return {**_run_json(self.run), "tasks": tasks}


def error_shares(
    folder: Path, rules: Rules = Rules.OFFICIAL, *, tasks: Sequence[str] = ()
) -> ErrorShares:
    """How many answers of a run have which error, by their grades and by whom was asked."""
    run = _read_tasks(folder, rules, tasks)
    asked = read_asked(run_of(folder))
    shares = {
        id_: list(_shares(run.suite.tasks[id_], table, rules, asked))
        for id_, table in run.tables.items()
        if run.suite.tasks[id_].errors
    }
    if not shares:
        raise UsageError(f"--errors: no task of {run_of(folder).name} has types of error")
    return ErrorShares(run, shares)


def _shares(
    task: AnyTask, table: TaskTable, rules: Rules, asked: Sequence[AskedErrors]
) -> Iterator[ErrorShare]:
    recipe = task.recipe(rules)
    for type_ in task.errors:
        name = type_.metric
        if type_.decide is not None:
            yield ErrorShare(type_, _part(table, recipe, task.id, name).estimate)
            continue
        for by in asked:
            repeats = table.repeats or (1,) * len(table.samples)
            answers = zip(table.samples, repeats, strict=True)
            column = np.array([by.value(task.id, *answer, type_.id) for answer in answers])
            told = replace(table, columns={**table.columns, name: column})
            yield ErrorShare(type_, _part(told, recipe, task.id, name).estimate, by.model)
        if not asked:
            yield ErrorShare(type_, None)


def _read_tasks(folder: Path, rules: Rules, tasks: Sequence[str]) -> RunEvidence:
    run = read_evidence(folder, rules, tasks, facets=True)
    if strange := [task for task in tasks if task not in run.tables]:
        there_is = ", ".join(run.tables) or "none"
        raise UsageError(f"{run_of(folder).name} has no task {strange[0]!r}; there is: {there_is}")
    return run
