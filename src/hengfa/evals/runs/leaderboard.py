"""Who stands where: the runs of a suite, and the models of its paper, in order of their scores; and
how two of their figures go together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from hengfa.base.errors import UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.base.statistics.correlation import Association, associate
from hengfa.evals.results.figures import Band
from hengfa.evals.results.published.papers import PublishedRun, published
from hengfa.evals.results.tables import Record, read_records
from hengfa.evals.runs.evidence import OVERALL, alike, check_tasks, gaps
from hengfa.evals.runs.folder import Spent
from hengfa.evals.runs.look import list_runs
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.plan import SAMPLE_DATA
from hengfa.evals.suites.registry import get_suite

TOKENS = "tokens"
"""The figure under which tables of papers have what a model's answers took."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The scores of one model: a run on this machine, or a row of a paper.

    Of a paper's row `computed` are the figures that it does not print, made of those it does.

    `model` is the name by which it is called, `title` the name to show. `run` is the name of the
    folder and `source` the place in the paper: an entry has one of them. `samples` and
    `data_source` tell what a run was asked; `ranked` is false for what cannot be compared. `grader`
    is whose score it is, where there are graders; `folder` is where the scores of a run are.
    """

    model: str
    title: str
    tasks: dict[str, float]
    figures: dict[str, float]
    run: str | None = None
    source: str | None = None
    samples: int = 0
    data_source: str | None = None
    ranked: bool = True
    grader: str = ""
    folder: Path | None = None
    prompts: str = ""
    """By which prompts a run was asked, where they are not the suite's own."""
    picked: str = ""
    """Which single questions a run was asked, where some were named."""
    computed: tuple[str, ...] = ()
    spent: Spent | None = None
    """What the answers of a run took, where that is known."""
    trained: str = ""
    """A remark where its model was trained on these questions."""
    bands: dict[str, Band] = field(default_factory=dict)
    """Tasks and figures that a grader left something open of: they have no score and no rank."""

    @property
    def tokens(self) -> int | None:
        """Of a run those that were counted, of a paper's row those it prints."""
        if self.spent is not None:
            return self.spent.tokens
        printed = self.figures.get(TOKENS) if self.run is None else None
        return None if printed is None else round(printed)


@dataclass(frozen=True, slots=True)
class Place:
    """An entry and its rank; no rank if it lacks some of the `of` tasks that the order is by, or
    if it was asked other questions than the published models beside it.

    A rank is one among those of the same `group`: who was graded otherwise has another.
    """

    rank: int | None
    entry: Entry
    has: int
    of: int
    group: str = ""

    def as_json(self) -> dict[str, Any]:
        entry = self.entry
        kind: dict[str, Any] = {"kind": "published", "source": entry.source, "title": entry.title}
        if entry.run is not None:
            asked = {"samples": entry.samples, "data": entry.data_source}
            kind = {"kind": "run", "run": entry.run, **asked}
        return {
            "rank": self.rank,
            "model": entry.model,
            **kind,
            **({"grader": entry.grader, "ranked_among": self.group} if entry.grader else {}),
            **({"prompts": entry.prompts} if entry.prompts else {}),
            **({"ids": entry.picked} if entry.picked else {}),
            **({"trained_on": entry.trained} if entry.trained else {}),
            "tasks": entry.tasks,
            "figures": entry.figures,
            **({"bands": entry.bands} if entry.bands else {}),
            **({"computed": list(entry.computed)} if entry.computed else {}),
            **({"spent": entry.spent} if entry.spent is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard: of what, in which columns, and who stands where.

    Columns are tasks if the board is `by_tasks`, else figures of the suite. `more` counts the
    places that were left out at the end.
    """

    suite: Suite
    setting: str
    rules: Rules
    columns: tuple[str, ...]
    by_tasks: bool
    places: Sequence[Place]
    more: int = 0
    warnings: Sequence[str] = ()
    """How far graders differ, where scores of several are ranked together."""

    @property
    def order(self) -> str:
        """What it is ordered by, for its title."""
        if self.by_tasks:
            return ", ".join(self.columns)
        says = self.suite.headline_says
        return f"{self.suite.headline} ({says})" if says else self.suite.headline

    @property
    def groups(self) -> list[str]:
        """Those ranked apart, since they were graded otherwise."""
        return list(dict.fromkeys(place.group for place in self.places))

    def values(self, entry: Entry) -> dict[str, float]:
        """What the columns show of an entry."""
        return entry.tasks if self.by_tasks else entry.figures

    def top(self, count: int | None) -> Board:
        """The first places only."""
        kept = self.places[:count]
        return replace(self, places=kept, more=self.more + len(self.places) - len(kept))

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite.name,
            "setting": self.setting,
            "rules": str(self.rules),
            "ordered_by": list(self.columns) if self.by_tasks else [self.suite.headline],
            "rows": [place.as_json() for place in self.places],
            **({"warnings": list(self.warnings)} if self.warnings else {}),
        }


def leaderboard(
    suite: Suite,
    runs: Path,
    *,
    setting: str | None = None,
    rules: Rules = Rules.OFFICIAL,
    tasks: Sequence[str] = (),
    with_published: bool = False,
    across_graders: bool = False,
    notify: Notify = quiet,
) -> Board:
    """The runs of a suite below a folder, ordered by its headline, or by the tasks that are named.

    With several tasks the first decides, and the next only among equals. Published models can stand
    between the runs under the official rules, which are the rules they were scored by. Those whose
    answers were graded otherwise are ranked apart, unless `across_graders` is asked for.
    """
    setting = setting or suite.settings[0]
    if setting not in suite.settings:
        there_is = ", ".join(suite.settings)
        raise UsageError(f"{suite.name} has no setting {setting!r}; there is: {there_is}")
    check_tasks(suite, tasks)
    entries = published_entries(suite, setting, rules) if with_published else []
    for entry in run_entries(suite, runs, setting, rules, notify):
        other_questions = with_published and (entry.data_source == SAMPLE_DATA or entry.picked)
        entries.append(replace(entry, ranked=not other_questions))
    columns = tuple(tasks) or _columns(suite, entries)
    by = tuple(tasks) or tuple(suite.tasks)
    groups = [("", entries)] if across_graders else _graded_alike(entries, rules)
    places = [
        replace(place, group=group)
        for group, members in groups
        for place in rank(members, by, by_tasks=bool(tasks), headline=suite.headline)
    ]
    warnings = across_warnings(entries, rules) if across_graders else []
    return Board(suite, setting, rules, columns, bool(tasks), places, warnings=warnings)


def _columns(suite: Suite, entries: Iterable[Entry]) -> tuple[str, ...]:
    """The figures that a suite makes of its task scores, before them the one that decides if it is
    none of these, and the abilities that somebody has a figure for."""
    there = {name for entry in entries for name in entry.figures}
    made = suite.figures(dict.fromkeys(suite.tasks, 0.0))
    first = [] if suite.headline in made else [suite.headline]
    abilities = (name for name in suite.abilities if name in there)
    return tuple(dict.fromkeys([*first, *made, *abilities]))


def _graded_alike(entries: Sequence[Entry], rules: Rules) -> list[tuple[str, list[Entry]]]:
    """Entries by the instrument that graded them; all together where there are no graders."""
    if not any(entry.grader for entry in entries):
        return [("", list(entries))]
    groups = [
        (name, [entry for entry in entries if entry.folder in folders])
        for name, folders in alike([one.folder for one in entries if one.folder], rules)
    ]
    papers = [entry for entry in entries if entry.folder is None]
    for grader in dict.fromkeys(entry.grader for entry in papers):
        members = [entry for entry in papers if entry.grader == grader]
        groups.append((f"the paper's {grader or 'scores'}", members))
    return groups


def across_warnings(entries: Sequence[Entry], rules: Rules) -> list[str]:
    """What must be known where scores of several graders stand together: how far they differ."""
    graders = list(dict.fromkeys(entry.grader or "nobody" for entry in entries))
    if len(graders) < 2:
        return []
    mixed = (
        f"These scores are by {len(graders)} graders ({'; '.join(graders)}): differences between "
        "models are mixed with differences between graders."
    )
    return [mixed, *gaps([entry.folder for entry in entries if entry.folder], graders, rules)]


def rank(
    entries: Iterable[Entry], tasks: Sequence[str], *, by_tasks: bool, headline: str = OVERALL
) -> list[Place]:
    """Highest first; who lacks a task comes last and has no rank, the fuller first.

    Scores count as they are shown, in per cent with two decimals: papers print no more, so beyond
    that nobody is ahead. Equals share a rank, the next one skips as many (1, 2, 2, 4), and among
    them names decide the order.
    """

    def key(entry: Entry) -> list[float]:
        """What orders an entry, best lowest; nothing if a part of it is missing."""
        values = entry.tasks if by_tasks else entry.figures
        names = tasks if by_tasks else (headline,)
        known = [-round(values[name] * 100, 2) for name in names if name in values]
        return known if len(known) == len(names) and entry.ranked else []

    def has(entry: Entry) -> int:
        return sum(task in entry.tasks for task in tasks)

    def name(entry: Entry) -> tuple[str, str]:
        return entry.title.casefold(), entry.run or ""

    listed = list(entries)
    full = [entry for entry in listed if key(entry)]
    full.sort(key=lambda entry: (key(entry), name(entry)))
    rest = [entry for entry in listed if not key(entry)]
    rest.sort(key=lambda entry: (-has(entry), name(entry)))
    places: list[Place] = []
    for position, entry in enumerate(full, start=1):
        tied = places and key(places[-1].entry) == key(entry)
        number = places[-1].rank if tied else position
        places.append(Place(number, entry, has(entry), len(tasks)))
    return places + [Place(None, entry, has(entry), len(tasks)) for entry in rest]


def published_entries(suite: Suite, setting: str, rules: Rules) -> list[Entry]:
    """The models of the paper; figures that it does not print are made of those it does."""
    if rules is not Rules.OFFICIAL:
        raise UsageError(
            f"--published: papers print scores by the official rules only; under {rules} rules "
            "there is nothing to compare with. Leave out --rules or --published"
        )
    rows = published(suite.name, setting)
    if not rows:
        raise UsageError(f"--published: there are no published scores of {suite.name}, {setting}")
    entries = []
    for row in rows:
        figures = printed_figures(suite, row)
        computed = tuple(name for name in figures if name not in row.figures)
        of_row = (row.model, row.title, row.tasks, figures)
        entries.append(Entry(*of_row, source=row.source, grader=row.grader, computed=computed))
    return entries


def printed_figures(suite: Suite, row: PublishedRun) -> dict[str, float]:
    """The figures of a paper's row, and those that can be made of what it prints."""
    return suite.completed({**suite.figures(row.tasks), **row.figures})


def run_entries(
    suite: Suite, runs: Path, setting: str, rules: Rules, notify: Notify = quiet
) -> list[Entry]:
    """The runs below a folder that were scored by these rules; those that were not are named.

    A run that several graders graded is there once for each of them. Figures are made anew from
    what the file has: it may be older than the suite.
    """
    entries: list[Entry] = []
    for run in list_runs(runs, notify):
        if (run.manifest.suite, run.manifest.setting) != (suite.name, setting):
            continue
        scored = [figures.completed(suite) for figures in run.scores if figures.rules is rules]
        if not scored:
            notify(
                f"passed over, not scored by the {rules} rules: {run.name} "
                f"(hengfa score {suite.name} {runs / run.name} --rules {rules})"
            )
        entries += [
            Entry(
                model=run.manifest.model,
                title=run.manifest.model,
                tasks={task: saved.scores[task] for task in suite.tasks if task in saved.scores},
                figures=saved.figures,
                run=run.name,
                samples=saved.samples,
                data_source=run.manifest.data_source,
                grader=saved.grader,
                folder=Path(saved.folder),
                prompts=run.manifest.prompts,
                spent=saved.spent,
                picked=run.manifest.ids,
                trained=run.manifest.trained,
                bands=saved.bands,
            )
            for saved in scored
        ]
    return entries


# --- two figures of many models ---


@dataclass(frozen=True, slots=True)
class Point:
    """One model in one setting with both figures; `model` is the same in all its settings."""

    model: str
    title: str
    setting: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Together:
    """The points and what they say of the two figures."""

    suite: str
    x: str
    y: str
    points: list[Point]
    association: Association

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "x": self.x,
            "y": self.y,
            **self.association.as_json(),
            "points": msgspec.to_builtins(self.points),
        }


def correlate(
    suite: str,
    x: str,
    y: str,
    *,
    setting: str | None = None,
    with_published: bool = True,
    runs: Path | None = None,
    notify: Notify = quiet,
) -> Together:
    """How two figures or tasks of a suite go together across models.

    Runs count under the official rules, by which papers score; built-in models are no models.
    """
    values: list[tuple[str, str, str, dict[str, float]]] = []
    if with_published:
        values += [
            (row.model, _by(row.title, row.grader), row.setting, {**row.tasks, **row.figures})
            for row in published(suite, setting)
        ]
    if runs is not None:
        values += _of_runs(suite, runs, setting, notify)
    known = sorted({name for *_, figures in values for name in figures})
    for name in (x, y):
        if name not in known:
            there_is = ", ".join(known) or "nothing"
            raise UsageError(f"{suite} has no figure {name!r} here; there is: {there_is}")
    points = [
        Point(model, title, where, figures[x], figures[y])
        for model, title, where, figures in values
        if x in figures and y in figures
    ]
    models, xs, ys = ([getattr(point, of) for point in points] for of in ("model", "x", "y"))
    return Together(suite, x, y, points, associate(models, xs, ys))


def _of_runs(
    name: str, runs: Path, setting: str | None, notify: Notify
) -> Iterator[tuple[str, str, str, dict[str, float]]]:
    suite = get_suite(name)
    for where in (setting,) if setting is not None else suite.settings:
        for entry in run_entries(suite, runs, where, Rules.OFFICIAL, notify):
            if entry.model in NAMES:
                continue
            figures = {**entry.tasks, **entry.figures}
            tokens = None if entry.folder is None else tokens_used(entry.folder)
            if tokens is not None:  # of all responses
                figures[TOKENS] = tokens
            yield entry.model, _by(entry.title, entry.grader), where, figures


def _by(title: str, grader: str) -> str:
    return f"{title} ({grader})" if grader else title


def tokens_used(folder: Path) -> float | None:
    """What was sent and written, each response once; None where something was not counted."""
    files = sorted((folder / Record.FOLDER).glob("*.parquet"))
    if not files:
        return None
    response, tokens = ["task", "sample", "repeat"], ["input_tokens", "output_tokens"]
    counted = read_records(files, [*response, *tokens]).unique(response).select(tokens)
    if counted.null_count().row(0) != (0, 0):
        return None
    return float(sum(counted.sum().row(0)))
