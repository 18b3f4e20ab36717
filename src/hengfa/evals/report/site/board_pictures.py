"""The runs of a board, and the pictures that any suite can have of them.

Who stands where, with and without the models of the paper; heat maps by task, by kind of sample, by
figure; classes of mistakes, a radar, what a score costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from hengfa.evals.report import words
from hengfa.evals.report.charts.plots import (
    FEWEST_AXES,
    Bar,
    Dot,
    Point,
    Spoke,
    Square,
    heat_map,
    intervals,
    radar,
    scatter,
    shares,
)
from hengfa.evals.report.charts.vega import ABSTENTION, MOST_SERIES, SCORES, Spec
from hengfa.evals.report.site.gather import Board
from hengfa.evals.report.site.model import (
    PublishedInfo,
    RunInfo,
    Scores,
    SiteFigure,
    TaskCell,
    TaskInfo,
)
from hengfa.evals.report.words import (
    NOTHING,
    TRAINED_MARK,
    Language,
    Text,
    Words,
    in_language,
    titled,
)
from hengfa.evals.suites.base import Rules, Suite

MOST_KINDS, MOST_RUNS = 40, 12
"""So many rows and columns are read; of more kinds those with the most samples are shown, of more
runs the best."""
K = TypeVar("K")
Row = tuple[str, Mapping[K, float]]
"""A model and its values."""


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


# --- pictures ---


def few(there_are: int) -> Words:
    """What to say where only as many are drawn as can be told apart by colour."""
    if there_are <= MOST_SERIES:
        return NOTHING
    return Words(
        f"共 {there_are} 个，只画得分最高的 {MOST_SERIES} 个。",
        f"The best {MOST_SERIES} of {there_are}.",
    )


def leaderboards(board: BoardView) -> list[Picture]:
    """Who stands where: for each headline figure without and with published models."""
    return [picture for name in headlines(board) for picture in _with_and_without(board, name)]


def _with_and_without(board: BoardView, name: str) -> Iterable[Picture]:
    rows = [row for row in board.printed() if name in row.figures]
    yield _leaderboard(board, name, [], False if rows else None)
    if rows:
        yield _leaderboard(board, name, rows, True)


def _leaderboard(
    board: BoardView, name: str, rows: list[PublishedInfo], published: bool | None
) -> Picture:
    dots = [
        Dot(
            board.label(run),
            figure.value,
            figure.low,
            figure.high,
            words.BUILTIN if run.builtin else words.RUN,
        )
        for run in board.runs
        if (figure := board.figure(run, name))
    ]
    taken = {dot.name for dot in dots}
    for row in rows:
        label = _in_brackets(row.title, words.PUBLISHED) if row.title in taken else row.title
        dots.append(Dot(label, row.figures[name], kind=words.PUBLISHED))
    dots.sort(key=lambda dot: (-dot.value, words.pick(dot.name, "zh")))
    title = board.figures[name]
    return Picture(
        board.id(f"leaderboard-{_safe(name)}" + ("-published" if published else "")),
        Words(f"排行榜：{title.zh}", f"Leaderboard: {title.en}"),
        words.OTHER_QUESTIONS if published and board.is_sample else words.INTERVALS,
        partial(intervals, dots, words.MODEL, title),
        published,
    )


def _in_brackets(name: str, what: Words) -> Text:
    return Words(f"{name} ({what.zh})", f"{name} ({what.en})")


def _safe(name: str) -> str:
    """A figure as part of a picture's name: `success/1-hop` becomes `success.1-hop`."""
    return name.lower().replace("/", ".")


def task_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks, coloured by score."""
    if len(board.tasks) < 2:
        return []
    title = Words("各任务得分", "Scores by task")
    note = Words("颜色越深，得分越高。", "The darker, the higher the score.")
    return [_tasks(board, "tasks", title, note, by_abstention=False)]


def abstention_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks with the score in each cell, coloured by abstention."""
    title = Words("各任务得分与弃答", "Scores and abstention by task")
    note = Words(
        "数字为得分，颜色为弃答率：颜色越深，回答中越常找不到答案。",
        "Numbers are scores. The darker a cell, the more often no answer could be found.",
    )
    return [_tasks(board, "abstention", title, note, by_abstention=True)]


def _tasks(
    board: BoardView, kind: str, title: Words, note: Words, *, by_abstention: bool
) -> Picture:
    squares = [
        Square(
            row=board.label(run),
            column=board.title(task),
            value=cell.score.value,
            shade=cell.abstention if by_abstention else cell.score.value,
        )
        for run in board.runs
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    draw = partial(
        heat_map,
        squares,
        [board.label(run) for run in board.runs],
        [board.title(task) for task in board.tasks],
        column=words.TASK,
        shade=words.ABSTENTION if by_abstention else words.SCORE,
        range_=ABSTENTION if by_abstention else SCORES,
    )
    return Picture(board.id(kind), title, note, draw)


def facet_heat_maps(board: BoardView) -> list[Picture]:
    """For each task and facet: kinds by models."""
    return [
        _facet(board, number, facet)
        for number, task in enumerate(board.tasks)
        for facet in task.facets
        if any(facet in cell.parts for run in board.runs if (cell := board.cell(run, task.id)))
    ]


def _facet(board: BoardView, number: int, facet: str) -> Picture:
    task, title = board.tasks[number], titled(words.FACETS, facet)
    sizes: dict[str, int] = {}
    for run in board.runs:
        cell = board.cell(run, task.id)
        for kind, part in (cell.parts.get(facet, {}) if cell else {}).items():
            sizes[kind] = max(sizes.get(kind, 0), part.n)
    runs = board.runs if len(board.runs) <= MOST_RUNS else board.few()
    frequent = sorted(sizes, key=lambda kind: (-sizes[kind], kind))[:MOST_KINDS]
    kinds = {kind: titled(words.KINDS, kind) for kind in task.facets[facet] if kind in frequent}
    squares = [
        Square(kinds[kind], board.label(run), part.value, part.value, f"n = {part.n}")
        for run in runs
        if (cell := board.cell(run, task.id))
        for kind, part in cell.parts.get(facet, {}).items()
        if kind in kinds
    ]
    draw = partial(
        heat_map,
        squares,
        list(kinds.values()),
        [board.label(run) for run in runs],
        row=title,
        column=words.MODEL,
        about=words.COUNT,
    )
    left = len(sizes) - len(kinds)
    note = Words(
        f"只列样本最多的 {MOST_KINDS} 类，另有 {left} 类未列。" if left else "",
        f"The {MOST_KINDS} with the most samples; {left} more are not shown." if left else "",
    )
    return Picture(
        board.id(f"task{number}-facet{list(task.facets).index(facet)}"),
        Words(f"{task.title.zh}：按{title.zh}", f"{task.title.en}: by {title.en}"),
        note,
        draw,
    )


def column_heat_maps(
    board: BoardView,
    kind: str,
    title: Words,
    columns: Mapping[K, Words],
    there: Sequence[Row[K]],
    printed: Sequence[Row[K]],
) -> list[Picture]:
    """Models by whatever the columns are, without and with the models of the paper."""
    starred = [(f"{name} *", values) for name, values in printed if columns.keys() & values.keys()]
    runs = [(name, values) for name, values in there if columns.keys() & values.keys()]
    if not runs:
        return []

    def picture(rows: Sequence[Row[K]], id_: str, note: Words, published: bool | None) -> Picture:
        squares = [
            Square(name, columns[column], value, value)
            for name, values in rows
            for column, value in values.items()
            if column in columns
        ]
        draw = partial(heat_map, squares, [name for name, _ in rows], list(columns.values()))
        return Picture(board.id(id_), title, note, draw, published)

    if not starred:
        return [picture(runs, kind, NOTHING, None)]
    note = words.OTHER_QUESTIONS if board.is_sample else words.STARRED
    return [
        picture(runs, kind, NOTHING, False),
        picture([*runs, *starred], f"{kind}-published", note, True),
    ]


def error_shares(board: BoardView, tasks: Sequence[TaskInfo] | None = None) -> list[Picture]:
    """How often each class of mistake was made in some tasks, where a suite tells them apart."""
    counts: dict[tuple[str, str], int] = {}
    for run in board.runs:
        for task in board.tasks if tasks is None else tasks:
            cell = board.cell(run, task.id)
            for error, count in (cell.errors if cell else {}).items():
                key = board.label(run), error
                counts[key] = counts.get(key, 0) + count
    if not counts:
        return []
    bars = [
        Bar(label, titled(words.ERRORS, error), count) for (label, error), count in counts.items()
    ]
    kind, title = "errors", Words("错误类别", "Classes of mistakes")
    if tasks is not None and len(tasks) == 1:
        of = tasks[0]
        kind += f"-{of.id}"
        title = Words(f"{of.title.zh}：错误类别", f"{of.title.en}: classes of mistakes")
    note = Words("每个模型各类错误的回答数。", "How many responses made which mistake.")
    return [Picture(board.id(kind), title, note, partial(shares, bars, words.MODEL, words.ERROR))]


def radar_of(
    board: BoardView, kind: str, title: Words, values: list[tuple[RunInfo, Words, float]]
) -> list[Picture]:
    """A radar of the best few runs; nothing where there are not enough axes."""
    axes = list(dict.fromkeys(axis for _, axis, _ in values))
    if len(axes) < FEWEST_AXES:
        return []
    spokes = [Spoke(board.label(run), axis, value) for run, axis, value in values]
    draw = partial(radar, spokes, axes, words.METRIC)
    return [Picture(board.id(kind), title, few(len(board.runs)), draw)]


def costs(board: BoardView) -> list[Picture]:
    """Score against cost, and against tokens, where both are known of two runs at least."""
    pictures: list[Picture] = []
    for name in headlines(board)[:1]:
        scored = [
            (run, figure.value) for run in board.models() if (figure := board.figure(run, name))
        ]
        currencies = {run.currency for run, _ in scored if run.currency}
        if len(currencies) == 1:
            money = currencies.pop() or ""
            heading = Words(f"费用（{money}）", f"cost ({money})")
            spent = [Point(board.label(run), run.cost, score) for run, score in scored if run.cost]
            pictures += _scatter(board, "cost", heading, spent)
        used = [
            Point(board.label(run), (run.input_tokens or 0) + (run.output_tokens or 0), score)
            for run, score in scored
            if run.output_tokens
        ]
        pictures += _scatter(board, "tokens", Words("词元数", "tokens"), used)
    return pictures


def _scatter(board: BoardView, kind: str, axis: Words, points: Sequence[Point]) -> list[Picture]:
    if len(points) < 2:
        return []
    title = Words(f"得分与{axis.zh}", f"Score against {axis.en}")
    return [Picture(board.id(kind), title, NOTHING, partial(scatter, points, axis))]
