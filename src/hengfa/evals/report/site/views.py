"""What a view is given and what it makes: the runs of a board, and pictures of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hengfa.evals.report.charts.theme import MOST_SERIES, Spec
from hengfa.evals.report.site.gather import Board
from hengfa.evals.report.site.model import (
    Cell,
    Figure,
    PublishedInfo,
    RunInfo,
    Scores,
    TaskInfo,
)
from hengfa.evals.report.words import TRAINED_MARK, Language, Words, in_language
from hengfa.evals.suites.base import Rules, Suite


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart in both languages; ``published`` is as in the site's `PictureInfo`."""

    id: str
    title: Words
    note: Words
    spec: Callable[[], Spec]
    published: bool | None = None

    def draw(self, language: Language) -> Spec:
        spec: Spec = in_language(self.spec(), language)
        return spec


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

    def cell(self, run: RunInfo, task: str) -> Cell | None:
        return self.scores(run).cells.get(task)

    def figure(self, run: RunInfo, name: str) -> Figure | None:
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
