"""Which pictures a site has, and where they stand: the first page, a suite's page, a model's.

What can be drawn of any board is who stands where, with and without the models of the paper, heat
maps by task, by kind of sample and by figure, classes of mistakes, a radar, and what a score costs.
A suite that has no pictures of its own gets the default ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from hengfa.evals.report import words
from hengfa.evals.report.charts.plots import (
    FEWEST_AXES,
    Bar,
    Dot,
    Point,
    Spoke,
    Square,
    bars,
    heat_map,
    intervals,
    lines,
    radar,
    scatter,
    shares,
)
from hengfa.evals.report.charts.vega import ABSTENTION, MOST_SERIES, SCORES, Spec
from hengfa.evals.report.site.boards import BoardView, headlines
from hengfa.evals.report.site.model import PictureInfo, PublishedInfo, RunInfo, TaskInfo
from hengfa.evals.report.words import NOTHING, Language, Text, Words, in_language, title_of
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.suites.claw.locating import ARTICLE
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION

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
    pictures.overview = pictures.add(_overview_pictures(views))
    for view in views:
        pages = pictures.suites.setdefault(view.suite.name, {})
        pages[view.key] = pictures.add(VIEWS.get(view.suite.name, _default)(view))
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
        id_, title = f"run-{run.number}-abilities", Words("能力", "Abilities")
        own = [*_tasks_of(view, run), *_abilities(id_, abilities, title, NOTHING)]
        pictures.models[str(run.number)] = pictures.add(own)
    return pictures


# --- the first page, and a model's ---


def _overview_pictures(boards: Sequence[BoardView]) -> list[Picture]:
    """Of each suite its main board: the first setting, by the first rules."""
    main = _main_boards(boards)
    return [
        *(picture for board in main for picture in leaderboards(board)),
        *_abilities_radar(main),
        *(picture for board in main for picture in costs(board)),
    ]


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
    title = Words("能力雷达图", "Abilities")
    return _abilities("overview-abilities", abilities, title, few(len(by_model)))


def _tasks_of(board: BoardView, run: RunInfo) -> list[Picture]:
    """What a run scored on each task, with what knowing nothing and knowing everything earns."""
    kind = words.BUILTIN if run.builtin else words.RUN
    dots = [
        Dot(board.title(task), score.value, score.low, score.high, kind, cell.floor, cell.ceiling)
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and (score := cell.score)
    ]
    if not dots:
        return []
    note = Words(
        "点为得分，线为 95% 置信区间；竖线左为下限（不懂也能得），右为上限（标准答案）。",
        "Dots are scores, lines their 95 % intervals; the ticks are the floor (knowing nothing) "
        "and the ceiling (the reference).",
    )
    title = Words("各任务得分", "Scores by task")
    draw = partial(intervals, dots, words.TASK, words.POINTS)
    return [Picture(f"run-{run.number}-tasks", title, note, draw)]


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
    if len(axes) < FEWEST_AXES:
        values = [Bar(axis, who, value) for who, axis, value in abilities]
        return [Picture(id_, title, note, partial(bars, values, words.ABILITY, words.MODEL))]
    spokes = [Spoke(who, axis, value) for who, axis, value in abilities]
    return [Picture(id_, title, note, partial(radar, spokes, axes, words.ABILITY))]


# --- what can be drawn of any board ---


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
        label: Text = row.title
        if label in taken:
            zh, en = words.PUBLISHED.zh, words.PUBLISHED.en
            label = Words(f"{row.title} ({zh})", f"{row.title} ({en})")
        dots.append(Dot(label, row.figures[name], kind=words.PUBLISHED))
    dots.sort(key=lambda dot: (-dot.value, words.pick(dot.name, "zh")))
    title, kind = board.figures[name], name.lower().replace("/", ".")
    return Picture(
        board.id(f"leaderboard-{kind}" + ("-published" if published else "")),
        Words(f"排行榜：{title.zh}", f"Leaderboard: {title.en}"),
        words.OTHER_QUESTIONS if published and board.is_sample else words.INTERVALS,
        partial(intervals, dots, words.MODEL, title),
        published,
    )


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
    counted = [
        Bar(label, title_of(words.ERRORS, error), count) for (label, error), count in counts.items()
    ]
    kind, title = "errors", Words("错误类别", "Classes of mistakes")
    if tasks is not None and len(tasks) == 1:
        of = tasks[0]
        kind += f"-{of.id}"
        title = Words(f"{of.title.zh}：错误类别", f"{of.title.en}: classes of mistakes")
    note = Words("每个模型各类错误的回答数。", "How many responses made which mistake.")
    return [
        Picture(board.id(kind), title, note, partial(shares, counted, words.MODEL, words.ERROR))
    ]


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


# --- a suite's page ---


def _default(board: BoardView) -> list[Picture]:
    """What can be drawn of any suite."""
    return _between(board, _task_bars(board), task_heat_map(board))


def _between(board: BoardView, *own: Sequence[Picture]) -> list[Picture]:
    """The pictures of a suite's own between those that all have."""
    return [
        *leaderboards(board),
        *(picture for pictures in own for picture in pictures),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


def _task_bars(board: BoardView) -> list[Picture]:
    """The scores of the best few runs by task, with intervals."""
    if not board.tasks:
        return []
    values = [
        Bar(board.title(task), board.label(run), score.value, score.low, score.high)
        for task in board.tasks
        for run in board.few()
        if (cell := board.cell(run, task.id)) and (score := cell.score)
    ]
    title, note = Words("任务得分", "Scores of tasks"), few(len(board.runs))
    return [Picture(board.id("bars"), title, note, partial(bars, values, words.TASK, words.MODEL))]


def _lawbench(board: BoardView) -> list[Picture]:
    """Twenty tasks at a glance, with abstention as in table 3 of the paper."""
    return _between(board, abstention_heat_map(board), task_heat_map(board))


_PLACES: Final = "id"
_LEVELS: Final[Mapping[str, Words]] = {
    ARTICLE: Words("条", "article"),
    "paragraph_accuracy": Words("款", "paragraph"),
    "subparagraph_accuracy": Words("项", "item"),
}


def _claw(board: BoardView) -> list[Picture]:
    """How deep into a statute a model finds its way, in which laws, and how it goes wrong."""
    return [
        *leaderboards(board),
        *_levels(board),
        *facet_heat_maps(board),
        *(picture for task in board.tasks for picture in error_shares(board, [task])),
        *costs(board),
    ]


def _levels(board: BoardView) -> list[Picture]:
    """Accuracy to the article, the paragraph and the item."""
    accuracies = [
        Bar(board.label(run), _LEVELS[level], value)
        for run in board.runs
        for level, value in _accuracies(board, run).items()
    ]
    if not accuracies:
        return []
    axis = Words("准确率（%）", "accuracy (%)")
    draw = partial(bars, accuracies, words.MODEL, Words("层级", "level"), axis=axis)
    title = Words("法条定位：按层级", "Locating a provision: by level")
    note = Words(
        "条、款、项逐级更难：每一级都要求上一级也对。",
        "Article, paragraph, item: each level needs the one above it to be right.",
    )
    return [Picture(board.id("levels"), title, note, draw)]


def _accuracies(board: BoardView, run: RunInfo) -> dict[str, float]:
    cell = board.cell(run, _PLACES)
    if cell is None or cell.score is None:
        return {}
    values = {ARTICLE: cell.score.value, **cell.more}
    return {level: values[level] for level in _LEVELS if level in values}


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


def _plawbench(board: BoardView) -> list[Picture]:
    """What a practitioner is good at, by dimension of the rubrics and by scenario."""
    return _between(board, _dimensions(board), task_heat_map(board))


def _dimensions(board: BoardView) -> list[Picture]:
    """A heat map of all runs, with and without those of the paper, and a radar of the best few."""
    title = Words("评分维度", "Dimensions of the rubrics")
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


_SUCCESS: Final = Words("成功率（%）", "success (%)")


def _legalagentbench(board: BoardView) -> list[Picture]:
    """How far agents get with each further look-up, by which method, and why not."""
    return _between(board, _hops(board), _methods(board), task_heat_map(board))


def _hops(board: BoardView) -> list[Picture]:
    """Success by the number of look-ups that a question takes."""
    groups = [task for task in board.tasks if task.id.endswith("-hop")]
    if len(groups) < 2:
        return []
    points = [
        Bar(Words(task.title.zh, task.id), board.label(run), cell.score.value)
        for run in board.few()
        for task in groups
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    title = Words("成功率与跳数", "Success by number of look-ups")
    draw = partial(lines, points, Words("跳数", "look-ups"), words.MODEL, _SUCCESS)
    return [Picture(board.id("hops"), title, few(len(board.runs)), draw)]


def _methods(board: BoardView) -> list[Picture]:
    """The same models by different methods, where several were tried."""
    tried = [view for view in board.settings if view.models()]
    if len(tried) < 2:
        return []
    values = [
        Bar(run.model, view.setting, figure.value, figure.low, figure.high)
        for view in tried
        for run in view.models()
        if (figure := view.figure(run, OVERALL))
    ]
    title = Words("按方法比较", "By method")
    draw = partial(bars, values, words.MODEL, words.METHOD, axis=_SUCCESS, value=_SUCCESS)
    return [Picture(board.id("methods"), title, words.INTERVALS, draw)]


def _judgment(board: BoardView) -> list[Picture]:
    """The metrics of a whole document on one radar."""
    return _between(board, _metrics(board))


def _metrics(board: BoardView) -> list[Picture]:
    """Charges, statutes, sentence, and the wording of reasons and judgment."""
    values = [
        (run, title, figure.value)
        for name, title in board.figures.items()
        if name not in (OVERALL, board.suite.headline)
        for run in board.few()
        if (figure := board.figure(run, name))
    ]
    title = Words("判决书各项指标", "Metrics of the document")
    there = [
        (
            board.label(run),
            {name: figure.value for name, figure in board.scores(run).figures.items()},
        )
        for run in board.runs
    ]
    printed = [(row.title, row.figures) for row in board.printed()]
    return [
        *radar_of(board, "metrics-radar", title, values),
        *column_heat_maps(board, "metrics", title, board.figures, there, printed),
    ]


VIEWS: Final[Mapping[str, Callable[[BoardView], list[Picture]]]] = {
    "lawbench": _lawbench,
    "claw": _claw,
    "plawbench": _plawbench,
    "legalagentbench": _legalagentbench,
    "judgment": _judgment,
}
