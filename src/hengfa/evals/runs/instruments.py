"""By what answers were graded, and whether two scores come from the same instrument.

A score by one grader and a score by another are different figures, even of the same answers; so are
those of one grader under two prompts, rubrics, options or ways of marking. They are compared or
ranked together only if that is asked for, and then with what is known of how far the graders differ
(decision 0022).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from hengfa.base.errors import counted
from hengfa.base.statistics.contest import Contest
from hengfa.base.statistics.evidence import Evidence, joined, shared
from hengfa.evals.runs.evidence import OVERALL, read_evidence
from hengfa.evals.runs.folder import (
    IMPORTED,
    read_figures,
    read_instruments,
    read_manifest,
    run_of,
)
from hengfa.evals.runs.look import graders_of
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite


@dataclass(frozen=True)
class Instrument:
    """Of one score: whose it is, by which options of the suite, and by what each sample was graded:
    grader, prompt, rubric and options."""

    grader: str
    options: Mapping[str, str] | None
    """None where another tool made the predictions and an early version of ours scored them."""
    graded: Mapping[tuple[str, str], str]

    def differs(self, other: Instrument) -> str:
        """In what the other is another instrument; empty if nothing that both graded says so."""
        if self.grader != other.grader:
            return f"graded by {self.grader or 'nobody'} and by {other.grader or 'nobody'}"
        if self.options is not None and other.options is not None and self.options != other.options:
            return f"scored under {_changed(self.options, other.options)}"
        for sample in self.graded.keys() & other.graded.keys():
            if self.graded[sample] != other.graded[sample]:
                return f"graded by “{self.graded[sample]}” and by “{other.graded[sample]}”"
        return ""


def _changed(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """`marking=paper and marking=longest`."""
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return " and ".join(
        ", ".join(f"{name}={options.get(name, '?')}" for name in names) for options in (one, other)
    )


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
                merged = {**instrument.graded, **one.graded}
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
    runs = list(dict.fromkeys(run_of(folder) for folder in folders))
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
