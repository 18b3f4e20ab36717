"""Scored runs against each other: is one better than the other, by how much, and how sure is that.

All are compared on the samples that all of them have, under one set of rules; so can settings be,
such as zero- and one-shot, and ways to work with a model, and it is said. Two things must hold
before a difference is said to be supported: the permutation test finds it, corrected for all
comparisons of its family (Holm), and its interval leaves 0 out. `conclusions` says in words what
the data support, and what they do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hengfa.errors import UsageError
from hengfa.page.tables import html_list, html_table, points
from hengfa.results.statistics.contest import Contest, Difference, RankRange, holm
from hengfa.results.statistics.evidence import Evidence, shared
from hengfa.results.statistics.intervals import LEVEL, SEED, Estimate
from hengfa.runs.evidence import OVERALL, RunEvidence, read_evidence
from hengfa.runs.folder import IMPORTED, Manifest, has_tables, read_rows, run_of
from hengfa.runs.instruments import gaps, instrument_of
from hengfa.runs.repeats import Passing
from hengfa.suites.base import Rules, Suite
from hengfa.suites.plan import SAMPLE_DATA

if TYPE_CHECKING:
    import polars as pl

LEAST_RUNS: Final = 2


class Verdict(StrEnum):
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
    verdict: Verdict


@dataclass(frozen=True)
class Pair:
    """Two runs, by their place, and how they differ in each row: the first less the second."""

    one: int
    other: int
    rows: Mapping[str, Contrast]

    def having(self, verdict: Verdict, names: Iterable[str]) -> list[str]:
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
        if self.passing is None:
            return title
        return f"{title}, {self.passing}, rates right from {self.passing.pass_at:g}"

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
        return {
            "suite": self.suite.name,
            "setting": self.setting,
            "rules": str(self.rules),
            "seed": self.seed,
            **(
                {"tries": str(self.passing), "pass_at": self.passing.pass_at}
                if self.passing
                else {}
            ),
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
                    "rows": {
                        name: _contrast_json(contrast) for name, contrast in pair.rows.items()
                    },
                }
                for pair in self.pairs
            ],
            "lacking": self.lacking,
            **({"warnings": list(self.warnings)} if self.warnings else {}),
        }


def _contrast_json(contrast: Contrast) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(contrast.difference)
    return {
        **fields.pop("estimate"),
        **fields,
        "p_corrected": contrast.corrected,
        "comparisons": contrast.comparisons,
        "verdict": str(contrast.verdict),
    }


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
        _check_same(runs[0], other)
    settings = list(dict.fromkeys(run.manifest.setting for run in runs))
    warnings = (
        *_told_ways(runs, settings),
        *(
            f"{_shown(run)}: {run.manifest.trained}: its scores are no measure."
            for run in runs
            if run.manifest.trained
        ),
        *_check_prompts(runs, across_prompts),
        *_check_graders(runs, rules, across_graders),
    )
    if strange := [task for task in tasks if task not in suite.tasks]:
        there_is = ", ".join(suite.tasks)
        raise UsageError(f"{suite.name} has no task {strange[0]!r}; there is: {there_is}")
    compared, lacking = _shared_tasks(runs, tasks)
    contest = Contest(compared, suite.figures, seed=seed)
    entrants = [
        Entrant(
            label,
            run_of(run.folder).name,
            run.manifest.model,
            {
                task: left
                for task, several in compared.items()
                if (left := len(run.tasks[task].samples) - len(several[0].samples))
            },
            run.grader,
            run.manifest.setting,
            run.manifest.trained,
        )
        for label, run in zip(_labels(runs), runs, strict=True)
    ]
    return Comparison(
        suite=suite,
        setting=" and ".join(settings),
        rules=rules,
        seed=seed,
        runs=entrants,
        rows={
            name: Row(
                name,
                contest.is_task(name),
                [contest.estimate(name, run) for run in range(len(runs))],
                contest.ranks(name),
            )
            for name in _row_names(contest)
        },
        pairs=_pairs(contest, all_pairs),
        lacking=lacking,
        warnings=warnings,
        passing=passing,
    )


def _told_ways(runs: Sequence[RunEvidence], settings: Sequence[str]) -> list[str]:
    """That settings, or options of how a model is worked with, differ; other tools' are unknown."""
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
    return told


def _check_prompts(runs: Sequence[RunEvidence], across_prompts: bool) -> tuple[str, ...]:
    """Refuse answers to other prompts, which are other questions, or warn of it.

    Nobody knows by which prompts the predictions of other tools were made.
    """
    first: dict[str, RunEvidence] = {}
    for run in runs:
        if run.manifest.address != IMPORTED:
            first.setdefault(run.manifest.prompts or "the suite's own", run)
    if len(first) < 2:
        return ()
    named = " and ".join(first)
    if not across_prompts:
        raise UsageError(
            f"{' and '.join(map(_shown, first.values()))} cannot be compared: their prompts are "
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
                f"{_shown(first[0])} and {_shown(other)} cannot be compared: {differs}. Have both "
                "graded and scored alike (hengfa grade run RUN --grader NAME), or compare all the "
                "same with --across-graders"
            )
    graders = list(dict.fromkeys(instrument.grader for _, instrument in (first, *others)))
    told = [differs for _, other in others if (differs := first[1].differs(other))]
    if not told:
        return ()
    mixed = "These scores come from different instruments, not only from different models: "
    folders = [run.folder for run in runs]
    return (mixed + "; ".join(dict.fromkeys(told)) + ".", *gaps(folders, graders, rules))


def _shown(run: RunEvidence) -> str:
    return run_of(run.folder).name + (f"@{run.grader}" if run.grader else "")


def _check_same(one: RunEvidence, other: RunEvidence) -> None:
    """Only what was asked the same can be compared."""

    def differ(what: str, first: object, second: object) -> UsageError:
        return UsageError(
            f"{_shown(one)} and {_shown(other)} cannot be compared: {what} {first} and {second}"
        )

    a, b = one.manifest, other.manifest
    if a.suite != b.suite:
        raise differ("they are runs of the suites", a.suite, b.suite)
    if _is_sample(a) != _is_sample(b) or (a.data and b.data and a.data != b.data):
        raise differ("they were asked from other data,", _data(a), _data(b))
    asked, others = (one.suite.questions_by(manifest.suite_options) for manifest in (a, b))
    if IMPORTED not in (a.address, b.address) and asked != others:
        raise differ("their options of the suite are", asked, others)


def _is_sample(manifest: Manifest) -> bool:
    return manifest.data_source == SAMPLE_DATA


def _data(manifest: Manifest) -> str:
    return f"{manifest.data_source or 'the installed pack'} ({manifest.data or 'unknown version'})"


def _shared_tasks(
    runs: Sequence[RunEvidence], tasks: Sequence[str]
) -> tuple[dict[str, list[Evidence]], dict[str, list[str]]]:
    labels = _labels(runs)
    every = [task for task in runs[0].suite.tasks if any(task in run.tasks for run in runs)]
    compared: dict[str, list[Evidence]] = {}
    lacking: dict[str, list[str]] = {}
    for task in [task for task in every if not tasks or task in tasks]:
        without = [label for label, run in zip(labels, runs, strict=True) if task not in run.tasks]
        same = [] if without else _same_questions(runs, task)
        if same and same[0].samples:
            compared[task] = same
        else:
            lacking[task] = without
    if not compared:
        of = f" of {', '.join(tasks)}" if tasks else ""
        raise UsageError(f"these runs share no sample{of} that their scores count")
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
    told = [
        {
            sample: "".join(sorted(reference))
            for sample, reference in read_rows(
                run.folder, task, run.rules, ["sample", "reference"]
            ).iter_rows()
        }
        for run in with_texts
    ]
    kept = [
        row
        for row, sample in enumerate(same[0].samples)
        if len({references.get(sample) for references in told}) == 1
    ]
    return [evidence.only(kept) for evidence in same]


def _labels(runs: Sequence[RunEvidence]) -> list[str]:
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


def _pairs(contest: Contest, all_pairs: bool) -> list[Pair]:
    places = list(combinations(range(contest.runs), 2))
    chosen = [pair for pair in places if all_pairs or pair[0] == 0]
    names = _row_names(contest)
    families = (
        [name for name in names if contest.is_task(name)],
        [name for name in names if not contest.is_task(name) and name != OVERALL],
        [name for name in names if name == OVERALL],
    )
    sizes = {name: len(family) * len(chosen) for family in families for name in family}
    differences: dict[tuple[int, int, str], Difference] = {}
    for one, other in chosen:
        pair = contest.pair(one, other)
        for name in names:
            differences[one, other, name] = pair.difference(name, sizes[name])
    corrected: dict[tuple[int, int, str], float] = {}
    for family in families:
        keys = [key for key in differences if key[2] in family]
        ps = holm([differences[key].p for key in keys])
        corrected.update(zip(keys, ps, strict=True))
    return [
        Pair(
            one,
            other,
            {name: _contrast(differences, corrected, sizes, (one, other, name)) for name in names},
        )
        for one, other in chosen
    ]


def _contrast(
    differences: Mapping[tuple[int, int, str], Difference],
    corrected: Mapping[tuple[int, int, str], float],
    sizes: Mapping[str, int],
    key: tuple[int, int, str],
) -> Contrast:
    difference, p = differences[key], corrected[key]
    return Contrast(difference, p, sizes[key[2]], _verdict(difference.estimate, p))


def _verdict(estimate: Estimate, p: float) -> Verdict:
    if (
        p >= LEVEL
        or estimate.low is None
        or estimate.high is None
        or estimate.low <= 0 <= estimate.high
    ):
        return Verdict.NOT_SHOWN
    return Verdict.BETTER if estimate.value > 0 else Verdict.WORSE


def conclusions(comparison: Comparison) -> list[str]:
    """In words, pair by pair, what the data support and what they do not."""
    return [sentence for pair in comparison.pairs for sentence in _sentences(comparison, pair)]


def _sentences(comparison: Comparison, pair: Pair) -> list[str]:
    a, b = comparison.runs[pair.one].label, comparison.runs[pair.other].label
    said: list[str] = []
    if OVERALL in pair.rows:
        said.append(_of_row(a, b, "overall", pair.rows[OVERALL]))
    if len(comparison.tasks) == 1:
        said.append(_of_row(a, b, f"on {comparison.tasks[0]}", pair.rows[comparison.tasks[0]]))
        return said
    for first, second, verdict in ((a, b, Verdict.BETTER), (b, a, Verdict.WORSE)):
        if tasks := pair.having(verdict, comparison.tasks):
            said.append(
                f"The data support that {first} is better than {second} on {_listed(tasks)} "
                f"({len(tasks)} of {len(comparison.tasks)} tasks)."
            )
    if open_tasks := pair.having(Verdict.NOT_SHOWN, comparison.tasks):
        limits = [pair.rows[task].difference.smallest * 100 for task in open_tasks]
        single = len(open_tasks) == 1
        below = f"{limits[0]:.1f}" if single else f"{min(limits):.1f} to {max(limits):.1f}"
        said.append(
            f"No difference of {a} and {b} is shown on {_listed(open_tasks)}; one below "
            f"{below} points{'' if single else ', depending on the task,'} could easily be missed."
        )
    alone = [task for task in open_tasks if pair.rows[task].difference.p < LEVEL]
    if alone:
        number = pair.rows[alone[0]].comparisons
        said.append(
            f"Of these, {_listed(alone)} would pass if looked at alone, but among {number} "
            "comparisons some do by chance."
        )
    return said


def _of_row(a: str, b: str, where: str, contrast: Contrast) -> str:
    estimate, smallest = contrast.difference.estimate, contrast.difference.smallest
    if contrast.verdict is not Verdict.NOT_SHOWN:
        sign = 1 if contrast.verdict is Verdict.BETTER else -1
        first, second = (a, b)[::sign]
        apart = _points(estimate, sign)
        return f"The data support that {first} is better than {second} {where} by {apart}."
    return (
        f"No difference of {a} and {b} is shown {where}: {a} has {_points(estimate)} more. "
        f"One below {smallest * 100:.1f} points could easily be missed with these samples."
    )


def _points(estimate: Estimate, sign: int = 1) -> str:
    """`3.2 points (95 % interval 1.1 to 5.3)`, seen from the first run, or with -1 the second."""
    points = f"{sign * estimate.value * 100:.1f} points"
    if estimate.low is None or estimate.high is None:
        return f"{points} ({estimate.note})"
    low, high = sorted((sign * estimate.low * 100, sign * estimate.high * 100))
    return f"{points} (95 % interval {low:.1f} to {high:.1f})"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
