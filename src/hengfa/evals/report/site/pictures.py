"""Which pictures a site has, and where they stand: the first page, a suite's page, a model's.

A suite that has no pictures of its own gets the default ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hengfa.evals.report import words
from hengfa.evals.report.charts.plots import (
    FEWEST_AXES,
    Bar,
    Dot,
    Spoke,
    bars,
    intervals,
    lines,
    radar,
)
from hengfa.evals.report.charts.vega import MOST_SERIES
from hengfa.evals.report.site.board_pictures import (
    BoardView,
    Picture,
    abstention_heat_map,
    column_heat_maps,
    costs,
    error_shares,
    facet_heat_maps,
    few,
    leaderboards,
    radar_of,
    task_heat_map,
)
from hengfa.evals.report.site.model import PictureInfo, RunInfo
from hengfa.evals.report.words import NOTHING, Words
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.suites.claw.locating import ARTICLE
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION

_Ability = tuple[str, Words, float]
"""Whose, which, how well."""


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
    first: dict[int, BoardView] = {}
    for view in views:
        for run in view.runs:
            if run.number not in first:
                first[run.number] = view
                by_model.setdefault(run.model, []).extend(_abilities_of(view, run))
    for view in views:
        for run in view.runs:
            if first[run.number] is view:
                drawn = _tasks_of(view, run)
                measured = _once(by_model[run.model])
                title = Words("能力", "Abilities")
                drawn += _abilities(f"run-{run.number}-abilities", measured, title, NOTHING)
                pictures.models[str(run.number)] = pictures.add(drawn)
    return pictures


# --- the first page, and a model's ---


def _once(abilities: Sequence[_Ability]) -> list[_Ability]:
    """Of several runs that measure the same ability, the first."""
    return list({ability[1]: ability for ability in reversed(abilities)}.values())[::-1]


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
