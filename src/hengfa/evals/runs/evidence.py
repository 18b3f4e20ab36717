"""What a scored run says about its figures: the tables of its tasks, intervals, and by which
instrument they were scored.

Nothing but the run's folder is read: neither the data nor a model is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np

from hengfa.base.errors import UsageError, counted
from hengfa.base.statistics.contest import Contest
from hengfa.base.statistics.evidence import Evidence, joined, shared, with_names
from hengfa.base.statistics.intervals import DRAWS, SEED, Estimate
from hengfa.evals.results.figures import Band, DrawnTask, TaskTable, drawn_estimate
from hengfa.evals.results.tables import read_instruments, read_table, records_file
from hengfa.evals.runs.folder import (
    IMPORTED,
    Manifest,
    graders_of,
    manifest_errors,
    read_figures,
    read_manifest,
    run_of,
)
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.registry import get_suite

OVERALL = "overall"
"""The figure that orders a leaderboard; a run that lacks a task has none."""


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
    with manifest_errors(folder):
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
    for id_, task in suite.tasks.items():
        if not records_file(folder, id_, rules).is_file() or (tasks and id_ not in tasks):
            continue
        tables[id_] = table = read_table(folder, id_, rules, facets=facets)
        recipe = task.recipe(rules)
        if (behind := table.evidence(recipe)) is not None:
            evidence[id_] = behind
        if (band := table.band(recipe)) is not None:
            bands[id_] = band
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
    figures = {name: task.figure for name, task in tasks.items()}
    moved: dict[str, dict[str, float]] = {}
    for name, figure in figures.items():  # the same with other values of one task
        more = {metric: value / 2 + 0.1 for metric, value in figure.more.items()}
        score = None if figure.score is None else figure.score / 2 + 0.1
        other = msgspec.structs.replace(figure, score=score, more=more)
        moved[name] = further(figures | {name: other})
    estimates = {}
    for name, value in further(figures).items():
        # It depends on the tasks whose change changes it; on all if none does.
        behind = [tasks[task] for task in tasks if moved[task].get(name) != value]
        drawn = np.array([draw[name] for draw in draws if name in draw])
        estimates[name] = drawn_estimate(value, drawn, behind or list(tasks.values()))
    return estimates


# --- by what answers were graded ---
#
# A score by one grader and a score by another are different figures, even of the same answers; so
# are those of one grader under two prompts, rubrics, options or ways of marking. They are compared
# or ranked together only if that is asked for, and then with what is known of how far the graders
# differ (decision 0022).


@dataclass(frozen=True)
class Instrument:
    """Of one score: whose it is, by which options of the suite, and by what each sample was graded:
    grader, prompt, rubric and options."""

    grader: str
    options: Mapping[str, str] | None
    """None where another tool made the predictions and an early version of ours scored them."""
    grades: Mapping[tuple[str, str], str]

    def differs(self, other: Instrument) -> str:
        """In what the other is another instrument; empty if nothing that both graded says so."""
        if self.grader != other.grader:
            return f"graded by {self.grader or 'nobody'} and by {other.grader or 'nobody'}"
        if self.options is not None and other.options is not None and self.options != other.options:
            both = (self.options, other.options)
            names = {**both[0], **both[1]}
            changed = [name for name in names if both[0].get(name) != both[1].get(name)]
            told = (", ".join(f"{name}={of.get(name, '?')}" for name in changed) for of in both)
            return f"scored under {' and '.join(told)}"  # `marking=paper and marking=longest`
        for sample in self.grades.keys() & other.grades.keys():
            if self.grades[sample] != other.grades[sample]:
                return f"graded by “{self.grades[sample]}” and by “{other.grades[sample]}”"
        return ""


def instrument_of(folder: Path, rules: Rules) -> Instrument:
    """The instrument of the scores in a folder; how a model was worked with is no part of it."""
    figures = read_figures(folder)[rules]
    options, manifest = figures.options, read_manifest(folder)
    if options is None and manifest.address != IMPORTED:
        options = manifest.suite_options
    if options is not None:
        known = get_suite(manifest.suite).options
        options = {
            name: value
            for name, value in options.items()
            if name not in known or not known[name].method
        }
    graded = {
        (task, sample): by
        for task in (figures.tasks if figures.grader else ())
        for sample, by in read_instruments(folder, task, rules).items()
    }
    return Instrument(figures.grader, options, graded)


def alike(folders: Iterable[Path], rules: Rules) -> list[tuple[str, list[Path]]]:
    """Scores by the same instrument together, each group with a name that no other has."""
    groups: list[tuple[Instrument, list[Path]]] = []
    for folder in folders:
        one = instrument_of(folder, rules)
        for number, (instrument, members) in enumerate(groups):
            if not instrument.differs(one):
                merged = {**instrument.grades, **one.grades}
                groups[number] = Instrument(one.grader, one.options, merged), [*members, folder]
                break
        else:
            groups.append((one, [folder]))
    names = _names([instrument for instrument, _ in groups])
    return [(name, members) for name, (_, members) in zip(names, groups, strict=True)]


def _names(instruments: Sequence[Instrument]) -> list[str]:
    """The grader; with options where two groups have the same, and with a number if need be."""
    names: list[str] = []
    for instrument in instruments:
        twins = [one for one in instruments if one.grader == instrument.grader]
        told = {
            name: value
            for name, value in (instrument.options or {}).items()
            if any((one.options or {}).get(name) != value for one in twins)
        }
        name = ", ".join([instrument.grader, *(f"{key}={value}" for key, value in told.items())])
        before = sum(one == name or one.startswith(f"{name}, asked otherwise") for one in names)
        names.append(f"{name}, asked otherwise ({before + 1})" if before else name)
    return names


def gaps(folders: Iterable[Path], graders: Sequence[str], rules: Rules) -> list[str]:
    """In words, how far each two graders differ on the answers that both have graded."""
    runs = list(dict.fromkeys(map(run_of, folders)))
    return [_gap(runs, one, other, rules) for one, other in combinations(graders, 2)]


def _gap(runs: Sequence[Path], one: str, other: str, rules: Rules) -> str:
    """The difference over all answers of these runs that both have graded, paired."""
    tasks: dict[str, tuple[dict[str, Evidence], dict[str, Evidence]]] = {}
    suite = None
    for run in runs:
        there = graders_of(run)
        places = [there[grader] for grader in (one, other) if grader in there]
        if len(places) < 2 or any(rules not in read_figures(place) for place in places):
            continue
        by_one, by_other = (read_evidence(place, rules) for place in places)
        suite = by_one.suite
        for task in by_one.tasks.keys() & by_other.tasks.keys():
            same = shared([by_one.tasks[task], by_other.tasks[task]])
            if same[0].samples:
                pair = tasks.setdefault(task, ({}, {}))
                pair[0][run.name], pair[1][run.name] = same
    if suite is None or not tasks:
        return (
            f"No answer here was graded by both {one} and {other}: how far they differ is unknown."
        )
    compared = {
        task: [joined(of_runs) for of_runs in tasks[task]] for task in suite.tasks if task in tasks
    }
    contest = Contest(compared, suite.figures)
    row = OVERALL if OVERALL in contest.rows else next(iter(compared))
    gap = contest.pair(0, 1).difference(row, 1).estimate
    if gap.value < 0:
        one, other, gap = other, one, gap.turned()
    answers = sum(len(of_task[0].samples) for of_task in compared.values())
    between = (
        f"95 % interval {gap.low * 100:.1f} to {gap.high * 100:.1f}"
        if gap.low is not None and gap.high is not None
        else gap.note
    )
    return (
        f"On {counted(answers, 'answer')} that both graded, {one} gives {gap.value * 100:.1f} "
        f"points more than {other} ({row}; {between})."
    )
