"""Which runs a report is about: found, checked, numbered, put on boards, and seen there by each set
of rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

from hengfa.base.errors import UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.evals.report.charts.vega import MOST_SERIES
from hengfa.evals.report.site.model import (
    PublishedInfo,
    RunInfo,
    Scores,
    SiteFigure,
    TaskCell,
    TaskInfo,
)
from hengfa.evals.report.words import TRAINED_MARK, Words
from hengfa.evals.results.tables import has_tables
from hengfa.evals.runs.evidence import alike
from hengfa.evals.runs.folder import (
    IMPORTED,
    MANIFEST,
    Manifest,
    RunFigures,
    read_figures,
    read_manifest,
    run_of,
    safe_name,
    scored_folders,
)
from hengfa.evals.runs.look import find_run, list_runs
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.plan import SAMPLE_DATA
from hengfa.evals.suites.registry import get_suite, suite_names

SAMPLE_SETTING = "-sample"
"""What is added to a setting where runs on the sample pack stand beside others: they were asked
other questions, so they have a board of their own."""


@dataclass(frozen=True)
class Source:
    """A run on the site, as one of its graders scores it: its number and name there, and where the
    scores lie.

    ``setting`` is as the site names it (see `SAMPLE_SETTING`), ``figures`` are by rules. Scores by
    another grader, and answers to other prompts, are not of the same kind: they have boards of
    their own.
    """

    folder: Path
    manifest: Manifest
    setting: str
    figures: dict[Rules, RunFigures]
    number: int = 0
    name: str = ""
    grader: str = ""

    @property
    def model(self) -> str:
        return self.manifest.model

    @property
    def builtin(self) -> bool:
        return self.model in NAMES and not self.manifest.address

    @property
    def sample(self) -> bool:
        return self.manifest.data_source == SAMPLE_DATA


@dataclass(frozen=True)
class Board:
    """The runs of a suite that can be compared: those in one setting."""

    suite: Suite
    setting: str
    sources: tuple[Source, ...]

    @cached_property
    def tasks(self) -> list[str]:
        """Those that any of its runs was asked, in the order of the suite."""
        asked = {
            task for source in self.sources for run in source.figures.values() for task in run.tasks
        }
        return [task for task in self.suite.tasks if task in asked]

    @cached_property
    def rules(self) -> list[Rules]:
        return [rules for rules in Rules if any(rules in source.figures for source in self.sources)]

    def under(self, rules: Rules) -> list[Source]:
        return [source for source in self.sources if rules in source.figures]


def gather(named: Sequence[str], runs: Path = Path("runs"), notify: Notify = quiet) -> list[Source]:
    """The runs that are named: by a folder, a folder of runs, or a name below `runs`.

    One that was not scored, or scored before responses were kept, is said and passed over.
    """
    folders = run_folders(named, runs, notify)
    scored = [source for folder in folders for source in _open(folder, notify)]
    if not scored:
        raise UsageError("none of these runs can be reported; score them first (hengfa score)")
    return _number(scored)


def run_folders(named: Sequence[str], runs: Path, notify: Notify = quiet) -> list[Path]:
    """The folders of the runs that are named, each once."""
    folders: dict[Path, None] = {}
    for name in named:
        folder = Path(name)
        if not folder.is_dir() or (folder / MANIFEST).is_file():
            folders[find_run(name, runs).resolve()] = None
            continue
        below = [(folder / run.name).resolve() for run in list_runs(folder, notify)]
        if not below:
            raise UsageError(f"there are no runs below {folder}")
        folders |= dict.fromkeys(below)
    return list(folders)


def boards(sources: Iterable[Source]) -> list[Board]:
    """Runs by suite and setting, in the order of their numbers."""

    def place(source: Source) -> tuple[str, str]:
        return source.manifest.suite, source.setting

    return [
        Board(get_suite(suite), setting, tuple(of_board))
        for (suite, setting), of_board in groupby(sources, key=place)
    ]


def _open(folder: Path, notify: Notify) -> list[Source]:
    """The scores of a run that can be reported: one for each grader."""
    manifest = read_manifest(folder)
    if manifest.suite not in suite_names():
        notify(
            f"passed over, a run of {manifest.suite!r}, which is no suite here (--suite FILE.py "
            f"names one): {folder}"
        )
        return []
    again = (
        f"hengfa score {manifest.suite} PREDICTIONS --out DIR"
        if manifest.address == IMPORTED
        else f"hengfa score {manifest.suite} {folder}"
    )
    sources: list[Source] = []
    for place in scored_folders(folder):
        figures = read_figures(place)
        whole = {
            rules: run
            for rules, run in figures.items()
            if all(has_tables(place, task, rules) for task in run.tasks)
        }
        if not figures:
            notify(f"passed over, not scored yet: {folder} ({again})")
        for rules in figures.keys() - whole.keys():
            notify(
                f"passed over, scored by the {rules} rules before responses were kept: {folder}; "
                f"score it again ({again})"
            )
        if whole:
            sources.append(Source(place, manifest, manifest.setting, whole))
    return sources


def _number(sources: Sequence[Source]) -> list[Source]:
    """In an order that does not depend on when or in which order the runs were named."""
    names = _names(list(dict.fromkeys(run_of(source.folder) for source in sources)))
    instruments = _instruments(sources)
    mixed = {
        (source.manifest.suite, source.manifest.setting) for source in sources if not source.sample
    }

    def with_name(source: Source) -> Source:
        manifest, grader = source.manifest, instruments.get(source.folder, "")
        graded = f"by-{grader}" if grader else ""
        picked = "picked" if manifest.ids else ""
        by = "".join(f"-{safe_name(one)}" for one in (manifest.prompts, picked, graded) if one)
        is_apart = source.sample and (manifest.suite, manifest.setting) in mixed
        return replace(
            source,
            name=names[run_of(source.folder)],
            setting=manifest.setting + by + (SAMPLE_SETTING if is_apart else ""),
            grader=grader,
        )

    def place(source: Source) -> tuple[int, int, str, bool, str, str]:
        manifest, suite = source.manifest, get_suite(source.manifest.suite)
        return (
            suite_names().index(suite.name),
            [*suite.settings, manifest.setting].index(manifest.setting),
            source.setting,
            manifest.model in NAMES,
            manifest.model.casefold(),
            source.name,
        )

    in_order = sorted(map(with_name, sources), key=place)
    return [replace(source, number=number) for number, source in enumerate(in_order)]


def _instruments(sources: Sequence[Source]) -> dict[Path, str]:
    """By which instrument scores were graded; those of one can stand on one board."""
    graded = {
        source.folder: source for source in sources if next(iter(source.figures.values())).grader
    }
    instruments: dict[Path, str] = {}
    for suite in dict.fromkeys(source.manifest.suite for source in graded.values()):
        for rules in Rules:
            unnamed = [
                folder
                for folder, source in graded.items()
                if source.manifest.suite == suite and rules in source.figures
                if folder not in instruments
            ]
            for name, folders in alike(unnamed, rules):
                instruments |= dict.fromkeys(folders, name)
    return instruments


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """The last part of each path, or as many as it takes to tell it from the others."""
    names: dict[Path, str] = {}
    for folder in folders:
        length = 1
        others = [other for other in folders if other != folder]
        while any(other.parts[-length:] == folder.parts[-length:] for other in others):
            length += 1
        names[folder] = "/".join(folder.parts[-length:])
    return names


# --- how a board is seen ---


@dataclass(frozen=True)
class BoardView:
    """The runs of a suite in one setting under one set of rules, best first.

    ``figures`` are the suite's, by name with their titles; ``settings`` are the views of all its
    settings under the same rules, this one among them.
    """

    suite: Suite
    setting: str
    rules: str
    runs: Sequence[RunInfo]
    tasks: Sequence[TaskInfo]
    published: Sequence[PublishedInfo]
    figures: dict[str, Words]
    settings: list[BoardView] = field(default_factory=list, compare=False)

    @property
    def key(self) -> str:
        """How the site's `SuiteInfo` names it."""
        return f"{self.setting}/{self.rules}"

    def id(self, kind: str) -> str:
        return f"{self.suite.name}-{self.setting}-{self.rules}-{kind}"

    def scores(self, run: RunInfo) -> Scores:
        return run.scores[self.rules]

    def cell(self, run: RunInfo, task: str) -> TaskCell | None:
        return self.scores(run).cells.get(task)

    def figure(self, run: RunInfo, name: str) -> SiteFigure | None:
        return self.scores(run).figures.get(name)

    def label(self, run: RunInfo) -> str:
        """The model, or where it has several runs here, the run; marked where it was trained on
        the questions."""
        same = [candidate for candidate in self.runs if candidate.model == run.model]
        name = run.model if len(same) == 1 else run.name
        return name + (TRAINED_MARK if run.trained else "")

    @property
    def is_sample(self) -> bool:
        """Whether the questions are those of the sample pack."""
        return any(run.sample for run in self.runs)

    def printed(self) -> Sequence[PublishedInfo]:
        """The rows of the paper, which prints scores by the official rules only."""
        return self.published if self.rules == Rules.OFFICIAL else ()

    def models(self) -> list[RunInfo]:
        """The runs of models, without floor, ceiling and retrieval."""
        return [run for run in self.runs if not run.builtin]

    def few(self) -> list[RunInfo]:
        """As many runs as can be told apart by colour: the best, then the built-in ones."""
        return [*self.models(), *(run for run in self.runs if run.builtin)][:MOST_SERIES]

    def title(self, task: TaskInfo) -> Words:
        return Words(f"{task.id} {task.title.zh}", f"{task.id} {task.title.en}")


def board_views(
    boards: Sequence[Board],
    runs: Sequence[RunInfo],
    tasks: Sequence[TaskInfo],
    published: Sequence[PublishedInfo],
) -> list[BoardView]:
    """A view for each board and rules, with the other settings of its suite beside it."""
    views: list[BoardView] = []
    together: dict[tuple[str, str], list[BoardView]] = {}
    for board in boards:
        place = board.suite.name, board.setting
        for rules in board.rules:
            scored = [
                run for run in runs if (run.suite, run.setting) == place and rules in run.scores
            ]
            beside = together.setdefault((board.suite.name, rules), [])
            view = BoardView(
                suite=board.suite,
                setting=board.setting,
                rules=str(rules),
                runs=best_first(scored, rules, board.suite),
                tasks=[task for task in tasks if (task.suite, task.setting) == place],
                published=[row for row in published if (row.suite, row.setting) == place],
                figures=figures_of(board.suite),
                settings=beside,
            )
            beside.append(view)
            views.append(view)
    return views


def best_first(runs: Sequence[RunInfo], rules: str, suite: Suite) -> list[RunInfo]:
    """By the suite's headline, or where it is missing by the mean of what there is."""

    def strength(run: RunInfo) -> tuple[bool, float]:
        scores = run.scores[rules]
        if suite.headline in scores.figures:
            return True, scores.figures[suite.headline].value
        cells = [cell.score.value for cell in scores.cells.values() if cell.score is not None]
        return len(cells) == len(suite.tasks), sum(cells) / len(cells) if cells else 0.0

    return sorted(runs, key=lambda run: (*(-part for part in strength(run)), run.number))


def figures_of(suite: Suite) -> dict[str, Words]:
    """The figures of a suite that people are shown, each with its title.

    Those that a suite made of its task scores and gave no titles keep their names.
    """
    made = suite.figures(dict.fromkeys(suite.tasks, 0.0))
    titles = {name: (name, name) for name in made} | dict(suite.abilities) | dict(suite.titles)
    return {name: Words(*title) for name, title in titles.items()}


def headlines(board: BoardView) -> list[str]:
    """The figures that a leaderboard is by: the headline, or where none has it, the others; where
    the headline is one of several abilities, all of them."""
    there = {name for run in board.runs for name in board.scores(run).figures}
    first = board.suite.headline
    abilities = [name for name in board.suite.abilities if name in there and name != first]
    if first not in there:
        return abilities
    return [first, *abilities] if first in board.suite.abilities else [first]
