"""Which pictures a site has, and where they stand: the first page, a suite's page, a model's.

What can be drawn of any board is who stands where, with and without the models of the paper, heat
maps by task, by kind of sample and by figure, classes of mistakes, a radar, and what a score costs.
`VIEWS` says which the page of a suite has; one that it does not name gets the default ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from hengfa.evals.report import words
from hengfa.evals.report.charts import plots
from hengfa.evals.report.charts.vega import ABSTENTION, MOST_SERIES, SCORES, Spec
from hengfa.evals.report.site.boards import BoardView, headlines
from hengfa.evals.report.site.model import PictureInfo, PublishedInfo, RunInfo, TaskInfo
from hengfa.evals.report.words import (
    NOTHING,
    Language,
    Text,
    Words,
    in_language,
    title_of,
    words_of,
)
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.suites.claw.locating import ARTICLE
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION

_TEXTS: Final = words_of("pictures")
MOST_KINDS, MOST_RUNS = 40, 12
"""So many rows and columns are read; of more kinds those with the most samples are shown, of more
runs the best."""
K = TypeVar("K")
Row = tuple[str, Mapping[K, float]]
"""A model and its values."""
_Ability = tuple[str, Words, float]
"""Whose, which, how well."""


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


@dataclass
class Pictures:
    """All pictures by id; ``suites`` by suite, setting and rules, ``models`` by run number."""

    drawn: dict[str, Picture] = field(default_factory=dict)
    overview: list[str] = field(default_factory=list)
    suites: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    models: dict[str, list[str]] = field(default_factory=dict)

    def add(self, pictures: Sequence[Picture]) -> list[str]:
        for picture in pictures:
            self.drawn.setdefault(picture.id, picture)
        return [picture.id for picture in pictures]

    def infos(self) -> dict[str, PictureInfo]:
        return {
            picture.id: PictureInfo(picture.id, picture.title, picture.note, picture.published)
            for picture in self.drawn.values()
        }


def all_pictures(views: Sequence[BoardView]) -> Pictures:
    """The pictures of all pages."""
    pictures = Pictures()
    main = _main_boards(views)
    ranked = [picture for board in main for picture in leaderboards(board)]
    spent = [picture for board in main for picture in costs(board)]
    pictures.overview = pictures.add([*ranked, *_abilities_radar(main), *spent])
    for view in views:
        pages = pictures.suites.setdefault(view.suite.name, {})
        drawn = (draw(view) for draw in VIEWS.get(view.suite.name, _DEFAULT))
        pages[view.key] = pictures.add([picture for several in drawn for picture in several])
    by_model: dict[str, list[_Ability]] = {}
    first: dict[int, tuple[BoardView, RunInfo]] = {}
    for view in views:
        for run in view.runs:
            if run.number not in first:
                first[run.number] = view, run
                by_model.setdefault(run.model, []).extend(_abilities_of(view, run))
    for view, run in first.values():
        # of several runs that measure the same ability, the first
        once = {ability[1]: ability for ability in reversed(by_model[run.model])}
        abilities = list(once.values())[::-1]
        radar_id = f"run-{run.number}-abilities"
        known = _abilities(radar_id, abilities, _TEXTS["abilities"], NOTHING)
        own = [*_tasks_of(view, run), *known]
        pictures.models[str(run.number)] = pictures.add(own)
    return pictures


# --- the first page, and a model's ---


def _main_boards(boards: Sequence[BoardView]) -> list[BoardView]:
    """For each suite the setting with the most runs; among equals the first."""
    main: dict[str, BoardView] = {}
    for board in boards:
        before = main.get(board.suite.name)
        if before is None or (
            before.rules == board.rules and len(board.models()) > len(before.models())
        ):
            main[board.suite.name] = board
    return list(main.values())


def _abilities_radar(main: Sequence[BoardView]) -> list[Picture]:
    """All abilities that the suites measure, of the models that were asked the most suites."""
    by_model: dict[str, list[_Ability]] = {}
    builtin: set[str] = set()
    for board in main:
        seen: set[str] = set()
        for run in board.runs:
            if run.model not in seen:  # of several runs of a model, the best
                seen.add(run.model)
                by_model.setdefault(run.model, []).extend(_abilities_of(board, run))
            if run.builtin:
                builtin.add(run.model)

    def place(model: str) -> tuple[bool, int, float]:
        abilities = by_model[model]
        mean = sum(value for _, _, value in abilities) / len(abilities) if abilities else 0.0
        return model in builtin, -len(abilities), -mean

    best = sorted(by_model, key=place)[:MOST_SERIES]
    abilities = [ability for model in best for ability in by_model[model]]
    title, note = _TEXTS["abilities radar"], few(len(by_model))
    return _abilities("overview-abilities", abilities, title, note)


def _tasks_of(board: BoardView, run: RunInfo) -> list[Picture]:
    """What a run scored on each task, with what knowing nothing and knowing everything earns."""
    kind = words.BUILTIN if run.builtin else words.RUN
    dots = [
        plots.Dot(
            board.title(task), score.value, score.low, score.high, kind, cell.floor, cell.ceiling
        )
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and (score := cell.score)
    ]
    if not dots:
        return []
    draw = partial(plots.intervals, dots, words.TASK, words.POINTS)
    return [Picture(f"run-{run.number}-tasks", _TEXTS["tasks"], _TEXTS["ticks"], draw)]


def _abilities_of(board: BoardView, run: RunInfo) -> Iterable[_Ability]:
    """The abilities that a run measures."""
    figures = board.scores(run).figures
    for ability in board.suite.abilities:
        if ability in figures:
            yield run.model, board.figures[ability], figures[ability].value


def _abilities(id_: str, abilities: Sequence[_Ability], title: Words, note: Words) -> list[Picture]:
    """A radar, or bars where there are not enough axes for one."""
    axes = list(dict.fromkeys(axis for _, axis, _ in abilities))
    if not axes:
        return []
    if len(axes) < plots.FEWEST_AXES:
        values = [plots.Bar(axis, who, value) for who, axis, value in abilities]
        return [Picture(id_, title, note, partial(plots.bars, values, words.ABILITY, words.MODEL))]
    spokes = [plots.Spoke(who, axis, value) for who, axis, value in abilities]
    return [Picture(id_, title, note, partial(plots.radar, spokes, axes, words.ABILITY))]


# --- what can be drawn of any board ---


def few(there_are: int) -> Words:
    """What to say where only as many are drawn as can be told apart by colour."""
    if there_are <= MOST_SERIES:
        return NOTHING
    return _TEXTS["few"].format(number=there_are, most=MOST_SERIES)


def leaderboards(board: BoardView) -> list[Picture]:
    """Who stands where: for each headline figure without and with published models."""
    pictures: list[Picture] = []
    for name in headlines(board):
        rows = [row for row in board.printed() if name in row.figures]
        pictures.append(_leaderboard(board, name, [], False if rows else None))
        if rows:
            pictures.append(_leaderboard(board, name, rows, True))
    return pictures


def _leaderboard(
    board: BoardView, name: str, rows: list[PublishedInfo], published: bool | None
) -> Picture:
    dots = [
        plots.Dot(board.label(run), figure.value, figure.low, figure.high, kind)
        for run in board.runs
        for kind in (words.BUILTIN if run.builtin else words.RUN,)
        if (figure := board.figure(run, name))
    ]
    taken = {dot.name for dot in dots}
    for row in rows:
        label: Text = row.title
        if label in taken:
            zh, en = words.PUBLISHED.zh, words.PUBLISHED.en
            label = Words(f"{row.title} ({zh})", f"{row.title} ({en})")
        dots.append(plots.Dot(label, row.figures[name], kind=words.PUBLISHED))
    dots.sort(key=lambda dot: (-dot.value, words.pick(dot.name, "zh")))
    title, file = board.figures[name], name.lower().replace("/", ".")
    return Picture(
        board.id(f"leaderboard-{file}" + ("-published" if published else "")),
        Words(f"排行榜：{title.zh}", f"Leaderboard: {title.en}"),
        words.OTHER_QUESTIONS if published and board.is_sample else words.INTERVALS,
        partial(plots.intervals, dots, words.MODEL, title),
        published,
    )


def task_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks, coloured by score."""
    if len(board.tasks) < 2:
        return []
    return [_tasks(board, "tasks", _TEXTS["dark"], by_abstention=False)]


def abstention_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks with the score in each cell, coloured by abstention."""
    return [_tasks(board, "abstention", _TEXTS["dark abstention"], by_abstention=True)]


def _tasks(board: BoardView, kind: str, note: Words, *, by_abstention: bool) -> Picture:
    squares = [
        plots.Square(board.label(run), board.title(task), cell.score.value, shade)
        for run in board.runs
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and cell.score
        for shade in (cell.abstention if by_abstention else cell.score.value,)
    ]
    draw = partial(
        plots.heat_map,
        squares,
        [board.label(run) for run in board.runs],
        [board.title(task) for task in board.tasks],
        column=words.TASK,
        shade=words.ABSTENTION if by_abstention else words.SCORE,
        range_=ABSTENTION if by_abstention else SCORES,
    )
    return Picture(board.id(kind), _TEXTS[kind], note, draw)


def facet_heat_maps(board: BoardView) -> list[Picture]:
    """For each task and facet: kinds by models."""
    return [
        _facet(board, number, facet)
        for number, task in enumerate(board.tasks)
        for facet in task.facets
        if any(facet in cell.parts for run in board.runs if (cell := board.cell(run, task.id)))
    ]


def _facet(board: BoardView, number: int, facet: str) -> Picture:
    task, title = board.tasks[number], title_of(words.FACETS, facet)
    sizes: dict[str, int] = {}
    for run in board.runs:
        cell = board.cell(run, task.id)
        for kind, part in (cell.parts.get(facet, {}) if cell else {}).items():
            sizes[kind] = max(sizes.get(kind, 0), part.n)
    runs = board.runs if len(board.runs) <= MOST_RUNS else board.few()
    frequent = sorted(sizes, key=lambda kind: (-sizes[kind], kind))[:MOST_KINDS]
    kinds = {kind: title_of(words.KINDS, kind) for kind in task.facets[facet] if kind in frequent}
    squares = [
        plots.Square(kinds[kind], board.label(run), part.value, part.value, f"n = {part.n}")
        for run in runs
        if (cell := board.cell(run, task.id))
        for kind, part in cell.parts.get(facet, {}).items()
        if kind in kinds
    ]
    draw = partial(
        plots.heat_map,
        squares,
        list(kinds.values()),
        [board.label(run) for run in runs],
        row=title,
        column=words.MODEL,
        about=words.COUNT,
    )
    left = len(sizes) - len(kinds)
    note = _TEXTS["few kinds"].format(most=MOST_KINDS, left=left) if left else NOTHING
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
            plots.Square(name, columns[column], value, value)
            for name, values in rows
            for column, value in values.items()
            if column in columns
        ]
        draw = partial(plots.heat_map, squares, [name for name, _ in rows], list(columns.values()))
        return Picture(board.id(id_), title, note, draw, published)

    if not starred:
        return [picture(runs, kind, NOTHING, None)]
    note = words.OTHER_QUESTIONS if board.is_sample else words.STARRED
    return [
        picture(runs, kind, NOTHING, False),
        picture([*runs, *starred], f"{kind}-published", note, True),
    ]


def error_shares(board: BoardView, task: TaskInfo | None = None) -> list[Picture]:
    """How often each class of mistake was made in all tasks, or in one, where a suite tells them
    apart."""
    counts: dict[tuple[str, str], int] = {}
    for run in board.runs:
        for of in board.tasks if task is None else [task]:
            cell = board.cell(run, of.id)
            for error, count in (cell.errors if cell else {}).items():
                key = board.label(run), error
                counts[key] = counts.get(key, 0) + count
    if not counts:
        return []
    counted = [
        plots.Bar(label, title_of(words.ERRORS, error), count)
        for (label, error), count in counts.items()
    ]
    kind, title = "errors", _TEXTS["errors"]
    if task is not None:
        kind, title = f"errors-{task.id}", _TEXTS["errors of"].format(task=task.title)
    draw = partial(plots.shares, counted, words.MODEL, words.ERROR)
    return [Picture(board.id(kind), title, _TEXTS["made"], draw)]


def error_shares_by_task(board: BoardView) -> list[Picture]:
    return [picture for task in board.tasks for picture in error_shares(board, task)]


def radar_of(
    board: BoardView, kind: str, title: Words, values: list[tuple[RunInfo, Words, float]]
) -> list[Picture]:
    """A radar of the best few runs; nothing where there are not enough axes."""
    axes = list(dict.fromkeys(axis for _, axis, _ in values))
    if len(axes) < plots.FEWEST_AXES:
        return []
    spokes = [plots.Spoke(board.label(run), axis, value) for run, axis, value in values]
    draw = partial(plots.radar, spokes, axes, words.METRIC)
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
            spent = [
                plots.Point(board.label(run), run.cost, score) for run, score in scored if run.cost
            ]
            pictures += _scatter(board, "cost", heading, spent)
        used = [
            plots.Point(board.label(run), (run.input_tokens or 0) + (run.output_tokens or 0), score)
            for run, score in scored
            if run.output_tokens
        ]
        pictures += _scatter(board, "tokens", Words("词元数", "tokens"), used)
    return pictures


def _scatter(
    board: BoardView, kind: str, axis: Words, points: Sequence[plots.Point]
) -> list[Picture]:
    if len(points) < 2:
        return []
    title = Words(f"得分与{axis.zh}", f"Score against {axis.en}")
    return [Picture(board.id(kind), title, NOTHING, partial(plots.scatter, points, axis))]


# --- a suite's page ---


def _task_bars(board: BoardView) -> list[Picture]:
    """The scores of the best few runs by task, with intervals."""
    if not board.tasks:
        return []
    values = [
        plots.Bar(board.title(task), board.label(run), score.value, score.low, score.high)
        for task in board.tasks
        for run in board.few()
        if (cell := board.cell(run, task.id)) and (score := cell.score)
    ]
    draw = partial(plots.bars, values, words.TASK, words.MODEL)
    return [Picture(board.id("bars"), _TEXTS["bars"], few(len(board.runs)), draw)]


_PLACES: Final = "id"
_LEVELS: Final[Mapping[str, Words]] = {
    ARTICLE: Words("条", "article"),
    "paragraph_accuracy": Words("款", "paragraph"),
    "subparagraph_accuracy": Words("项", "item"),
}


def _levels(board: BoardView) -> list[Picture]:
    """How deep into a statute a model finds its way: to the article, the paragraph, the item."""
    accuracies = [
        plots.Bar(board.label(run), title, values[level])
        for run in board.runs
        if (cell := board.cell(run, _PLACES)) and cell.score
        for values in ({ARTICLE: cell.score.value, **cell.more},)
        for level, title in _LEVELS.items()
        if level in values
    ]
    if not accuracies:
        return []
    level, axis = _TEXTS["level"], _TEXTS["accuracy"]
    draw = partial(plots.bars, accuracies, words.MODEL, level, axis=axis)
    return [Picture(board.id("levels"), _TEXTS["levels"], _TEXTS["each level"], draw)]


_DIMENSIONS: Final[Mapping[tuple[str, str], Words]] = {
    (CONSULTATION, "decisive_rate"): Words("咨询：决定性问题", "consult: decisive"),
    (CONSULTATION, "substantial_rate"): Words("咨询：重要问题", "consult: substantial"),
    (CONSULTATION, "detail_rate"): Words("咨询：细节问题", "consult: details"),
    (CASE, "conclusion_rate"): Words("案例：结论", "case: conclusion"),
    (CASE, "facts_rate"): Words("案例：事实", "case: facts"),
    (CASE, "reasoning_rate"): Words("案例：推理", "case: reasoning"),
    (CASE, "statutes_rate"): Words("案例：法条", "case: statutes"),
}
"""Task and metric to what it measures."""


def _dimensions(board: BoardView) -> list[Picture]:
    """A heat map of all runs, with and without those of the paper, and a radar of the best few."""
    title = _TEXTS["dimensions"]
    there = [(board.label(run), _rates(board, run)) for run in board.runs]
    printed = [
        (row.title, {key: row.figures[key[1]] for key in _DIMENSIONS if key[1] in row.figures})
        for row in board.printed()
    ]
    best = [
        (run, _DIMENSIONS[dimension], value)
        for run in board.few()
        for dimension, value in _rates(board, run).items()
    ]
    return [
        *column_heat_maps(board, "dimensions", title, _DIMENSIONS, there, printed),
        *radar_of(board, "dimensions-radar", title, best),
    ]


def _rates(board: BoardView, run: RunInfo) -> dict[tuple[str, str], float]:
    cells = {task: board.cell(run, task) for task, _ in _DIMENSIONS}
    return {
        (task, metric): cell.more[metric]
        for task, metric in _DIMENSIONS
        if (cell := cells[task]) is not None and metric in cell.more
    }


def _hops(board: BoardView) -> list[Picture]:
    """Success by the number of look-ups that a question takes."""
    groups = [task for task in board.tasks if task.id.endswith("-hop")]
    if len(groups) < 2:
        return []
    points = [
        plots.Bar(Words(task.title.zh, task.id), board.label(run), cell.score.value)
        for run in board.few()
        for task in groups
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    draw = partial(plots.lines, points, _TEXTS["look-ups"], words.MODEL, _TEXTS["success"])
    return [Picture(board.id("hops"), _TEXTS["hops"], few(len(board.runs)), draw)]


def _methods(board: BoardView) -> list[Picture]:
    """The same models by different methods, where several were tried."""
    tried = [view for view in board.settings if view.models()]
    if len(tried) < 2:
        return []
    values = [
        plots.Bar(run.model, view.setting, figure.value, figure.low, figure.high)
        for view in tried
        for run in view.models()
        if (figure := view.figure(run, OVERALL))
    ]
    success = _TEXTS["success"]
    draw = partial(plots.bars, values, words.MODEL, words.METHOD, axis=success, value=success)
    return [Picture(board.id("methods"), _TEXTS["methods"], words.INTERVALS, draw)]


def _metrics(board: BoardView) -> list[Picture]:
    """Charges, statutes, sentence, and the wording of reasons and judgment."""
    values = [
        (run, title, figure.value)
        for name, title in board.figures.items()
        if name not in (OVERALL, board.suite.headline)
        for run in board.few()
        if (figure := board.figure(run, name))
    ]
    title = _TEXTS["metrics"]
    there = []
    for run in board.runs:
        figures = board.scores(run).figures
        there.append((board.label(run), {name: of.value for name, of in figures.items()}))
    printed = [(row.title, row.figures) for row in board.printed()]
    return [
        *radar_of(board, "metrics-radar", title, values),
        *column_heat_maps(board, "metrics", title, board.figures, there, printed),
    ]


Drawn = Callable[[BoardView], list[Picture]]
_ALL: Final = (facet_heat_maps, error_shares, costs)
_DEFAULT: Final[Sequence[Drawn]] = (leaderboards, _task_bars, task_heat_map, *_ALL)
VIEWS: Final[Mapping[str, Sequence[Drawn]]] = {
    "lawbench": (leaderboards, abstention_heat_map, task_heat_map, *_ALL),
    "claw": (leaderboards, _levels, facet_heat_maps, error_shares_by_task, costs),
    "plawbench": (leaderboards, _dimensions, task_heat_map, *_ALL),
    "legalagentbench": (leaderboards, _hops, _methods, task_heat_map, *_ALL),
    "judgment": (leaderboards, _metrics, *_ALL),
}
"""What the page of a suite shows, from top to bottom."""
