"""Scored runs against each other: is one better than the other, by how much, and how sure is that.

All are compared on the samples that all of them have, under one set of rules; so can settings be,
such as zero- and one-shot, and ways to work with a model, and it is said. Two things must hold
before a difference is said to be supported: the permutation test finds it, corrected for all
comparisons of its family (Holm), and its interval leaves 0 out. `sentences` says in words what the
data support, and what they do not. Pages of a site take both from here, so that they say of two
runs what the command says.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import UsageError
from hengfa.base.page import html_list, html_table, points
from hengfa.base.statistics.contest import Contest, Difference, RankRange, holm
from hengfa.base.statistics.evidence import Evidence, shared
from hengfa.base.statistics.intervals import LEVEL, SEED, Estimate
from hengfa.evals.results.tables import has_tables, read_rows
from hengfa.evals.runs.evidence import (
    OVERALL,
    RunEvidence,
    check_tasks,
    gaps,
    instrument_of,
    read_evidence,
)
from hengfa.evals.runs.folder import IMPORTED, Manifest, run_of
from hengfa.evals.runs.grading import mending
from hengfa.evals.runs.look import find_alike
from hengfa.evals.runs.repeats import PASS_AT, Passing, parse_passing
from hengfa.evals.runs.score import rule_sets
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.plan import SAMPLE_DATA

if TYPE_CHECKING:
    import polars as pl

LEAST_RUNS: Final = 2


class Support(StrEnum):
    """What the data support."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class Entrant:
    """A run that is compared: its label is the model's name, where settings differ with its
    setting, or the run's where that is not enough."""

    label: str
    run: str
    model: str
    unshared: Mapping[str, int]
    """Task to how many of its samples are left out because not all runs have them."""
    grader: str = ""
    setting: str = ""
    trained: str = ""
    """A remark where the model was trained on these questions."""


@dataclass(frozen=True)
class Row:
    """A task or a figure of the suite: where the runs stand, in their order."""

    name: str
    is_task: bool
    estimates: Sequence[Estimate]
    ranks: Sequence[RankRange]


@dataclass(frozen=True)
class Contrast:
    """A difference among others: its p corrected for them, and what the data support.

    `comparisons` is how many there are in its family: all pairs on the overall figure, all pairs on
    all other figures, or all pairs on all tasks.
    """

    difference: Difference
    corrected: float
    comparisons: int
    verdict: Support

    def as_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = msgspec.to_builtins(self.difference)
        return {
            **fields.pop("estimate"),
            **fields,
            "p_corrected": self.corrected,
            "comparisons": self.comparisons,
            "verdict": str(self.verdict),
        }


@dataclass(frozen=True)
class Pair:
    """Two runs, by their place, and how they differ in each row: the first less the second."""

    one: int
    other: int
    rows: Mapping[str, Contrast]

    def having(self, verdict: Support, names: Iterable[str]) -> list[str]:
        """The rows of this verdict among these."""
        return [name for name in names if self.rows[name].verdict is verdict]


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `hengfa compare` says."""

    suite: Suite
    setting: str
    """Of several settings all, with ` and ` between them."""
    rules: Rules
    seed: int
    runs: Sequence[Entrant]
    rows: Mapping[str, Row]
    pairs: Sequence[Pair]
    lacking: Mapping[str, Sequence[str]]
    """Tasks that are not compared, and which runs have nothing of them to share."""
    warnings: Sequence[str] = ()
    """What to know before differences are read."""
    passing: Passing | None = None
    """What of several tries is compared; None where scores are."""

    @property
    def tasks(self) -> list[str]:
        return [name for name, row in self.rows.items() if row.is_task]

    @property
    def title(self) -> str:
        title = f"{self.suite.title_en}, {self.setting}, {self.rules} rules"
        tries = self.passing
        return f"{title}, {tries}, rates right from {tries.pass_at:g}" if tries else title

    def frame(self) -> pl.DataFrame:
        """One row for each pair of runs and each task or figure: scores, difference, verdict."""
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        return pl.DataFrame(
            [
                {
                    "name": name,
                    "is_task": self.rows[name].is_task,
                    "one": self.runs[pair.one].label,
                    "other": self.runs[pair.other].label,
                    "score_one": self.rows[name].estimates[pair.one].value,
                    "score_other": self.rows[name].estimates[pair.other].value,
                    "difference": contrast.difference.estimate.value,
                    "low": contrast.difference.estimate.low,
                    "high": contrast.difference.estimate.high,
                    "p": contrast.difference.p,
                    "p_corrected": contrast.corrected,
                    "verdict": str(contrast.verdict),
                }
                for pair in self.pairs
                for name, contrast in pair.rows.items()
            ],
            infer_schema_length=None,
        )

    def __repr__(self) -> str:
        return "\n".join([f"<Comparison {self.title}>", *conclusions(self)])

    def _repr_html_(self) -> str:
        rows = [
            (
                row["name"],
                f"{row['one']} – {row['other']}",
                points(row["score_one"]),
                points(row["score_other"]),
                points(row["difference"]),
                f"{points(row['low'])} to {points(row['high'])}",
                f"{row['p_corrected']:.3f}",
                row["verdict"],
            )
            for row in self.frame().iter_rows(named=True)
        ]
        headings = ("", "runs", "one", "other", "difference", "95 % interval", "p", "the first is")
        return html_table(headings, rows, title=self.title) + html_list(conclusions(self))

    def as_json(self) -> dict[str, Any]:
        tries = self.passing
        return {
            "suite": self.suite.name,
            "setting": self.setting,
            "rules": str(self.rules),
            "seed": self.seed,
            **({"tries": str(tries), "pass_at": tries.pass_at} if tries else {}),
            "runs": [
                {
                    "label": run.label,
                    "run": run.run,
                    "model": run.model,
                    "setting": run.setting,
                    **({"grader": run.grader} if run.grader else {}),
                    **({"trained_on": run.trained} if run.trained else {}),
                    "unshared": run.unshared,
                }
                for run in self.runs
            ],
            "rows": {
                name: {
                    "task": row.is_task,
                    "scores": [
                        {**msgspec.to_builtins(estimate), "rank": msgspec.to_builtins(rank)}
                        for estimate, rank in zip(row.estimates, row.ranks, strict=True)
                    ],
                }
                for name, row in self.rows.items()
            },
            "pairs": [
                {
                    "one": self.runs[pair.one].label,
                    "other": self.runs[pair.other].label,
                    "rows": {name: contrast.as_json() for name, contrast in pair.rows.items()},
                }
                for pair in self.pairs
            ],
            "lacking": self.lacking,
            **({"warnings": list(self.warnings)} if self.warnings else {}),
        }


def compare(
    *named: StrPath,
    rules: str | Rules = Rules.OFFICIAL,
    tasks: Sequence[str] = (),
    all_pairs: bool = False,
    grader: str | None = None,
    across_graders: bool = False,
    across_prompts: bool = False,
    tries: str | None = None,
    pass_at: float = PASS_AT,
    seed: int | None = None,
    runs: StrPath = "runs",
) -> Comparison:
    """Compare scored runs with the first, or each with each, on the samples they share.

    A run is `RUN`, or `RUN@GRADER` where several graded it; `grader` is for all that name none.
    With `tries` it is not scores that are compared, but how often one of K tries at a question is
    right (`pass@K`), or all of them (`pass^K`); a rate is right from `pass_at` on.
    """
    (by,) = rule_sets(rules, both=False)
    return compare_runs(
        find_alike([os.fspath(run) for run in named], Path(runs), grader),
        by,
        tasks=tasks,
        all_pairs=all_pairs,
        across_graders=across_graders,
        across_prompts=across_prompts,
        passing=None if tries is None else parse_passing(tries, pass_at),
        seed=SEED if seed is None else seed,
    )


def compare_runs(
    folders: Sequence[Path],
    rules: Rules = Rules.OFFICIAL,
    *,
    tasks: Sequence[str] = (),
    all_pairs: bool = False,
    across_graders: bool = False,
    across_prompts: bool = False,
    passing: Passing | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compare scores of runs with the first of them, or each with each; or what of several tries at
    a question is `passing`, in the place of its score.

    Scores that were graded or marked otherwise are compared only `across_graders`, with a warning
    that says how far the graders differ; those of other prompts only `across_prompts`. Other
    settings, and options of how a model is worked with, are compared, and a warning names them.
    """
    if len(folders) < LEAST_RUNS:
        raise UsageError("name at least two runs")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise UsageError("a run cannot be compared with itself: one is named twice")
    runs: list[RunEvidence] = []
    for folder in folders:
        evidence = read_evidence(folder, rules, tasks)
        judged = evidence if passing is None else passing.of(evidence)
        runs.append(judged.light(runs))
    suite = runs[0].suite
    for other in runs[1:]:
        if why := why_not(runs[0], other):
            raise UsageError(why)
    settings = list(dict.fromkeys(run.manifest.setting for run in runs))
    warnings = (
        *_way_warnings(runs, settings),
        *_ungraded_warnings(runs),
        *_check_prompts(runs, across_prompts),
        *_check_graders(runs, rules, across_graders),
    )
    check_tasks(suite, tasks)
    compared, lacking = _shared_tasks(runs, tasks)
    contest = Contest(compared, suite.figures, seed=seed)
    entrants: list[Entrant] = []
    for label, run in zip(labels_of(runs), runs, strict=True):
        counts = {task: len(several[0].samples) for task, several in compared.items()}
        left = {task: len(run.tasks[task].samples) - count for task, count in counts.items()}
        unshared = {task: number for task, number in left.items() if number}
        name, what = run_of(run.folder).name, run.manifest
        entrants.append(
            Entrant(label, name, what.model, unshared, run.grader, what.setting, what.trained)
        )
    rows: dict[str, Row] = {}
    for name in _row_names(contest):
        estimates = [contest.estimate(name, place) for place in range(len(runs))]
        rows[name] = Row(name, contest.is_task(name), estimates, contest.ranks(name))
    pairs = [pair for pair in combinations(range(contest.runs), 2) if all_pairs or pair[0] == 0]
    return Comparison(
        suite=suite,
        setting=" and ".join(settings),
        rules=rules,
        seed=seed,
        runs=entrants,
        rows=rows,
        pairs=contrasts(contest, pairs),
        lacking=lacking,
        warnings=warnings,
        passing=passing,
    )


def _way_warnings(runs: Sequence[RunEvidence], settings: Sequence[str]) -> list[str]:
    """That settings, or options of how a model is worked with, differ (other tools' are unknown),
    and whose model was trained on these questions."""
    told: list[str] = []
    if len(settings) > 1:
        told.append(
            f"These runs are of different settings, {' and '.join(settings)}, paired by sample: "
            "what differs may be the setting's."
        )
    known = [run.asked_by for run in runs if run.manifest.address != IMPORTED]
    for name in dict.fromkeys(name for options in known for name in options):
        values = dict.fromkeys(options.get(name) or "its default" for options in known)
        if len(values) > 1:
            told.append(f"They were worked with otherwise: {name} is {' and '.join(values)}.")
    trained = [(run, run.manifest.trained) for run in runs if run.manifest.trained]
    return told + [f"{_name(run)}: {mark}: its scores are no measure." for run, mark in trained]


def _ungraded_warnings(runs: Sequence[RunEvidence]) -> list[str]:
    """Which tasks are no scores to compare, since a grader left some of them open."""
    return [
        f"{_name(run)}: {task} is {band}, and not compared. This asks again: {mending(run.folder)}"
        for run in runs
        for task, band in run.bands.items()
    ]


def _check_prompts(runs: Sequence[RunEvidence], across_prompts: bool) -> tuple[str, ...]:
    """Refuse answers to other prompts, which are other questions, or warn of it. Nobody knows by
    which prompts the predictions of other tools were made."""
    first: dict[str, RunEvidence] = {}
    for run in runs:
        if run.manifest.address != IMPORTED:
            first.setdefault(run.manifest.prompts or "the suite's own", run)
    if len(first) < 2:
        return ()
    named = " and ".join(first)
    if not across_prompts:
        raise UsageError(
            f"{' and '.join(map(_name, first.values()))} cannot be compared: their prompts are "
            f"{named}. Compare all the same with --across-prompts"
        )
    return (f"These runs were asked by different prompts, {named}: what differs may be theirs.",)


def _check_graders(
    runs: Sequence[RunEvidence], rules: Rules, across_graders: bool
) -> tuple[str, ...]:
    """Refuse scores of different instruments, or warn of what is then compared."""
    first, *others = [(run, instrument_of(run.folder, rules)) for run in runs]
    for other, instrument in others:
        if (differs := first[1].differs(instrument)) and not across_graders:
            raise UsageError(
                f"{_name(first[0])} and {_name(other)} cannot be compared: {differs}. Have both "
                "graded and scored alike (hengfa grade run RUN --grader NAME), or compare all the "
                "same with --across-graders"
            )
    graders = list(dict.fromkeys(instrument.grader for _, instrument in (first, *others)))
    told = [differs for _, other in others if (differs := first[1].differs(other))]
    if not told:
        return ()
    mixed = "These scores come from different instruments, not only from different models: "
    warning = f"{mixed}{'; '.join(dict.fromkeys(told))}."
    return (warning, *gaps([run.folder for run in runs], graders, rules))


def _name(run: RunEvidence) -> str:
    return run_of(run.folder).name + (f"@{run.grader}" if run.grader else "")


def why_not(one: RunEvidence, other: RunEvidence) -> str:
    """Why two runs cannot be compared, since they were not asked the same; empty where they can."""

    def differ(what: str, first: object, second: object) -> str:
        return f"{_name(one)} and {_name(other)} cannot be compared: {what} {first} and {second}"

    a, b = one.manifest, other.manifest
    if a.suite != b.suite:
        return differ("they are runs of the suites", a.suite, b.suite)
    sample = [manifest.data_source == SAMPLE_DATA for manifest in (a, b)]
    if sample[0] != sample[1] or (a.data and b.data and a.data != b.data):
        return differ("they were asked from other data,", _data(a), _data(b))
    asked, others = (one.suite.questions_by(manifest.suite_options) for manifest in (a, b))
    if IMPORTED not in (a.address, b.address) and asked != others:
        return differ("their options of the suite are", asked, others)
    return ""


def _data(manifest: Manifest) -> str:
    return f"{manifest.data_source or 'the installed pack'} ({manifest.data or 'unknown version'})"


def _shared_tasks(
    runs: Sequence[RunEvidence], tasks: Sequence[str]
) -> tuple[dict[str, list[Evidence]], dict[str, list[str]]]:
    labels, there = labels_of(runs), {task for run in runs for task in (*run.tasks, *run.bands)}
    compared: dict[str, list[Evidence]] = {}
    lacking: dict[str, list[str]] = {}
    for task in runs[0].suite.tasks:
        if task not in there or (tasks and task not in tasks):
            continue
        without = [label for label, run in zip(labels, runs, strict=True) if task not in run.tasks]
        same = [] if without else _same_questions(runs, task)
        if same and same[0].samples:
            compared[task] = same
        else:
            lacking[task] = without
    if not compared:
        of = f" of {', '.join(tasks)}" if tasks else ""
        told = " ".join(["", *_ungraded_warnings(runs)])
        raise UsageError(f"these runs share no sample{of} that their scores count.{told}")
    return compared, lacking


def _same_questions(runs: Sequence[RunEvidence], task: str) -> list[Evidence]:
    """The evidence of a task on the samples that all runs have.

    In another setting an id may mean another question: then its reference is another. Labels may
    stand there in another order (LawBench 2-9), so only the characters of it are looked at. What an
    early version scored has no references; there the ids are trusted.
    """
    same = shared([run.tasks[task] for run in runs])
    with_texts = [run for run in runs if has_tables(run.folder, task, run.rules)]
    if len({run.manifest.setting for run in with_texts}) < 2:
        return same
    told = []
    for run in with_texts:
        rows = read_rows(run.folder, task, run.rules, ["sample", "reference"]).iter_rows()
        told.append({sample: "".join(sorted(reference)) for sample, reference in rows})
    samples = enumerate(same[0].samples)
    kept = [row for row, id_ in samples if len({texts.get(id_) for texts in told}) == 1]
    return [evidence.only(kept) for evidence in same]


def labels_of(runs: Sequence[RunEvidence]) -> list[str]:
    """What runs are called beside each other."""
    several = len({run.manifest.setting for run in runs}) > 1
    names = [
        f"{run.manifest.model} ({run.manifest.setting})" if several else run.manifest.model
        for run in runs
    ]
    times, graders = Counter(names), {run.grader for run in runs}
    return [
        (name if times[name] == 1 else run_of(run.folder).name)
        + (f"@{run.grader}" if len(graders) > 1 and run.grader else "")
        for name, run in zip(names, runs, strict=True)
    ]


def _row_names(contest: Contest) -> list[str]:
    """Tasks, and figures but for those that are one task by another name."""
    named = [name for name, weights in contest.weights.items() if len(weights) > 1]
    return [*contest.tasks, *named]


def contrasts(contest: Contest, chosen: Sequence[tuple[int, int]]) -> list[Pair]:
    """These pairs of runs, by their places: what is asked for together is corrected together."""
    names = _row_names(contest)
    families = (
        [name for name in names if contest.is_task(name)],
        [name for name in names if not contest.is_task(name) and name != OVERALL],
        [name for name in names if name == OVERALL],
    )
    sizes = {name: len(family) * len(chosen) for family in families for name in family}
    differences: dict[tuple[int, int, str], Difference] = {}
    for one, other in chosen:
        pair = contest.pair(one, other)  # its swaps are large, and go with it
        differences |= {(one, other, name): pair.difference(name, sizes[name]) for name in names}
    found: dict[tuple[int, int, str], Contrast] = {}
    for family in families:
        keys = [key for key in differences if key[2] in family]
        for key, p in zip(keys, holm([differences[key].p for key in keys]), strict=True):
            estimate, verdict = differences[key].estimate, Support.NOT_SHOWN
            low, high = estimate.low, estimate.high
            if p < LEVEL and low is not None and high is not None and not low <= 0 <= high:
                verdict = Support.BETTER if estimate.value > 0 else Support.WORSE
            found[key] = Contrast(differences[key], p, len(keys), verdict)
    return [
        Pair(one, other, {name: found[one, other, name] for name in names}) for one, other in chosen
    ]


def conclusions(comparison: Comparison) -> list[str]:
    """In words, pair by pair, what the data support and what they do not."""
    labels = [run.label for run in comparison.runs]
    return [
        sentence
        for pair in comparison.pairs
        for sentence in sentences(pair, labels[pair.one], labels[pair.other], comparison.tasks)
    ]


LANGUAGES: Final = read_toml(
    Path(__file__).with_name("compare_words.toml"), dict[str, dict[str, str]]
)
"""In which words it is said."""


def sentences(
    pair: Pair, one: str, other: str, tasks: Sequence[str], language: str = "en"
) -> list[str]:
    """What the data support of two runs of these names, and what they do not."""
    words = LANGUAGES[language]
    names = (one, other)
    said: list[str] = []

    def enumeration(names: Sequence[str]) -> str:
        return words["and"].join(filter(None, (words["then"].join(names[:-1]), names[-1])))

    if OVERALL in pair.rows:
        said.append(_of_row(words, names, words["overall"], pair.rows[OVERALL]))
    if len(tasks) == 1:
        return [*said, _of_row(words, names, words["on"].format(tasks[0]), pair.rows[tasks[0]])]
    for order, verdict in ((names, Support.BETTER), (names[::-1], Support.WORSE)):
        if found := pair.having(verdict, tasks):
            said.append(words["tasks"].format(*order, enumeration(found), len(found), len(tasks)))
    if unshown := pair.having(Support.NOT_SHOWN, tasks):
        limits = sorted(pair.rows[task].difference.smallest * 100 for task in unshown)
        least, most = f"{limits[0]:.1f}", f"{limits[-1]:.1f}"
        single = len(unshown) == 1
        below = least if single else words["to"].format(least, most)
        how = words["open" if single else "several open"]
        said.append(how.format(*names, enumeration(unshown), below))
    if alone := [task for task in unshown if pair.rows[task].difference.p < LEVEL]:
        said.append(words["alone"].format(enumeration(alone), pair.rows[alone[0]].comparisons))
    return said


def _of_row(
    words: Mapping[str, str], names: tuple[str, str], where: str, contrast: Contrast
) -> str:
    estimate, smallest = contrast.difference.estimate, contrast.difference.smallest
    first, second = names
    if estimate.value < 0:
        first, second, estimate = second, first, estimate.turned()
    shown = contrast.verdict is not Support.NOT_SHOWN
    apart = words["points" if shown else "more"].format(f"{estimate.value * 100:.1f}")
    if estimate.low is None or estimate.high is None:
        apart += f" ({estimate.note})"
    else:
        ends = (f"{end * 100:.1f}" for end in (estimate.low, estimate.high))
        apart = words["interval"].format(apart, *ends)
    if shown:
        return words["better"].format(first, second, where, apart)
    return words["not shown"].format(*names, where, first, apart, f"{smallest * 100:.1f}")
