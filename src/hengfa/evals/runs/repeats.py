"""How much of a score is luck: of runs whose questions, or whose graders, were asked several times.

Of several tries at each question: how often one of k is right, how often all are. Of graded
answers: which part of the variance is that of questions, of answers, of graders and of asking the
same grader again, and what would narrow the interval most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from hengfa.base.errors import UsageError
from hengfa.base.statistics.evidence import Array
from hengfa.base.statistics.intervals import Estimate, estimate, sampled
from hengfa.base.statistics.repeats import Repeated, Tries, repeated, tries_of
from hengfa.base.statistics.variance import Apart, Crossed, crossed, flips, graders_apart
from hengfa.evals.results.figures import COMPARED, FLIPPED, GRADING, TaskTable
from hengfa.evals.runs.evidence import RunEvidence, check_tasks, read_evidence
from hengfa.evals.runs.folder import PANEL, graders_of, read_figures
from hengfa.evals.suites.base import AnyTask, Rules, Suite

PASS_AT: Final = 0.6
"""From which rate on an answer is right, where neither its task nor the user says it."""


@dataclass(frozen=True)
class Graders:
    """What several gradings of the answers to a task say: parts of the variance, each two graders,
    and by grader how many items have other points when it is asked again."""

    names: Sequence[str]
    crossed: Crossed | None
    apart: Sequence[Apart]
    flips: Mapping[str, Estimate]

    def as_json(self) -> dict[str, Any]:
        whole = self.crossed
        return {
            "graders": list(self.names),
            "variance": msgspec.to_builtins(whole),
            "more_of": msgspec.to_builtins(whole.more_of()) if whole is not None else [],
            "apart": msgspec.to_builtins(self.apart),
            "flips": msgspec.to_builtins(self.flips),
        }


@dataclass(frozen=True)
class AskedAgain:
    """What `hengfa results repeats` says of a run: tries by grader and task, graders by task.

    A run without graders has its tries under the name of nobody, which is empty.
    """

    run: str
    suite: Suite
    rules: Rules
    tries: Mapping[str, Mapping[str, Repeated]]
    graders: Mapping[str, Graders]

    def as_json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "suite": self.suite.name,
            "rules": str(self.rules),
            "tries": msgspec.to_builtins(self.tries),
            "graders": {task: graders.as_json() for task, graders in self.graders.items()},
        }


def asked_again(
    run: Path, rules: Rules = Rules.OFFICIAL, *, tasks: Sequence[str] = (), pass_at: float = PASS_AT
) -> AskedAgain:
    """All that asking several times says of a run; an error where nothing was asked twice."""
    places = {name: of for name, of in graders_of(run).items() if rules in read_figures(of)}
    scored = {name: read_evidence(place, rules, tasks) for name, place in places.items()}
    if not scored:
        raise UsageError(f"{run} is not scored by the {rules} rules")
    suite = next(iter(scored.values())).suite
    check_tasks(suite, tasks)
    tries: dict[str, dict[str, Repeated]] = {name: {} for name in scored}
    for name, by in scored.items():
        for id_, evidence in by.tasks.items():
            if (several := _several(suite.tasks[id_], by, pass_at)) is not None:
                # The mean is the score of the task, which may be one of sums over samples.
                [score] = sampled([evidence], id_)
                figures = repeated(several, id_)
                tries[name][id_] = msgspec.structs.replace(figures, mean=estimate(score))
    single = (name for name in scored if name and not (places[name] / PANEL).is_file())
    alone = {name: scored[name] for name in single}
    graders: dict[str, Graders] = {}
    for id_, task in suite.tasks.items():
        tables = [run.tables[id_] for run in alone.values() if id_ in run.tables]
        asked_twice = len(alone) > 1 or any(FLIPPED in table.columns for table in tables)
        if asked_twice and any(id_ in run.tasks for run in alone.values()):
            graders[id_] = _graders(task.metric, id_, alone)
    if not graders and not any(tries.values()):
        raise UsageError(
            f"nothing of {run.name} was asked more than once: hengfa eval … --repeats 5, or "
            "hengfa grade run … --grader-repeats 3"
        )
    return AskedAgain(run.name, suite, rules, tries, graders)


def _several(task: AnyTask, run: RunEvidence, pass_at: float, least: int = 2) -> Tries | None:
    """The tries at the samples of a task; None where no sample has so many."""
    table = run.tables[task.id]
    tries = table.tries(task.metric)
    if max(map(len, tries.values()), default=0) < least:
        return None
    of = dict(zip(table.samples, table.clusters, strict=True))
    clusters = [of[sample] for sample in tries]
    return tries_of(list(tries), list(tries.values()), task.threshold(pass_at), clusters)


# `pass@3`: one of three tries is right; `pass^3`: all are. Not `pass@0`, `pass3`.
_PASSING: Final = re.compile(r"pass([@^])([1-9][0-9]{0,3})")


class Passing(NamedTuple):
    """What of several tries is compared instead of scores: that one of k is right, or that all."""

    all_right: bool
    k: int
    pass_at: float = PASS_AT

    def __str__(self) -> str:
        return f"pass{'^' if self.all_right else '@'}{self.k}"

    def of(self, run: RunEvidence) -> RunEvidence:
        """The run with this as the evidence of its tasks, on the samples with k tries or more."""
        tasks = {
            task: tries.all_right(self.k) if self.all_right else tries.any_right(self.k)
            for task in run.tasks
            if (tries := _several(run.suite.tasks[task], run, self.pass_at, self.k)) is not None
        }
        if not tasks:
            advice = f"hengfa eval … --repeats {self.k}"
            raise UsageError(f"{run.folder}: no question was asked {self.k} times: {advice}")
        return replace(run, tasks=tasks)


def parse_passing(text: str, pass_at: float = PASS_AT) -> Passing:
    """`pass@3` or `pass^3`."""
    if (named := _PASSING.fullmatch(text)) is None:
        raise UsageError(f"--tries: {text!r} is neither pass@K nor pass^K, such as pass@3")
    return Passing(named[1] == "^", int(named[2]), pass_at)


def _graders(metric: str, task: str, scored: Mapping[str, RunEvidence]) -> Graders:
    tables = {
        name: evidence.tables[task] for name, evidence in scored.items() if task in evidence.tasks
    }
    scores, samples, clusters = _cube(metric, list(tables.values()))
    changed: dict[str, Estimate] = {}
    for name, table in tables.items():
        if FLIPPED not in table.columns:
            continue
        flipped, compared = (
            np.nan_to_num(table.columns[column], nan=0.0).astype(int).tolist()
            for column in (FLIPPED, COMPARED)
        )
        if (share := flips(table.samples, flipped, compared, table.clusters)) is not None:
            changed[name] = share
    apart = graders_apart(scores, samples, list(tables), clusters)
    return Graders(list(tables), crossed(scores, samples, clusters, task), apart, changed)


def _cube(metric: str, tables: Sequence[TaskTable]) -> tuple[Array, list[str], list[str | None]]:
    """The score of each sample in each repeat by each grader and grading; NaN where none is. What
    is no answer is graded by nobody."""
    clusters: dict[str, str | None] = {}
    for table in tables:
        clusters.update(zip(table.samples, table.clusters, strict=True))
    place = {sample: number for number, sample in enumerate(clusters)}
    repeats = max(max(table.repeats, default=1) for table in tables)
    gradings = max(len(_gradings(metric, table)) for table in tables)
    cube: Array = np.full((len(place), repeats, len(tables), gradings), np.nan)
    for grader, table in enumerate(table.answers_only() for table in tables):
        rows = [place[sample] for sample in table.samples]
        tries = [repeat - 1 for repeat in table.repeats]
        for number, column in enumerate(_gradings(metric, table)):
            cube[rows, tries, grader, number] = column
    return cube, list(place), list(clusters.values())


def _gradings(metric: str, table: TaskTable) -> list[Array]:
    """What each grading came to; where there was one, that is the score."""
    several = [column for name, column in table.columns.items() if name.startswith(GRADING)]
    return several or [table.columns[metric]]
