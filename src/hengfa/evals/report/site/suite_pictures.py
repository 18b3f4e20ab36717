"""The pictures of each suite's page; a suite that has none of its own gets the default ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hengfa.evals.report.charts.plots import Bar, BarWords, bars, lines
from hengfa.evals.report.charts.theme import Spec
from hengfa.evals.report.site import words
from hengfa.evals.report.site.board_pictures import (
    abstention_heat_map,
    column_heat_maps,
    costs,
    error_shares,
    facet_heat_maps,
    leaderboards,
    radar_of,
    task_heat_map,
)
from hengfa.evals.report.site.model import RunInfo, Words
from hengfa.evals.report.site.views import BoardView, Language, Picture, pick
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.suites.claw.locating import ARTICLE
from hengfa.evals.suites.plawbench.released import CASE, CONSULTATION

_PLACES = "id"
_LEVELS: Mapping[str, Words] = {
    ARTICLE: Words("条", "article"),
    "paragraph_accuracy": Words("款", "paragraph"),
    "subparagraph_accuracy": Words("项", "item"),
}
_LEVEL = Words("层级", "level")
_DIMENSIONS: Mapping[tuple[str, str], Words] = {
    (CONSULTATION, "decisive_rate"): Words("咨询：决定性问题", "consult: decisive"),
    (CONSULTATION, "substantial_rate"): Words("咨询：重要问题", "consult: substantial"),
    (CONSULTATION, "detail_rate"): Words("咨询：细节问题", "consult: details"),
    (CASE, "conclusion_rate"): Words("案例：结论", "case: conclusion"),
    (CASE, "facts_rate"): Words("案例：事实", "case: facts"),
    (CASE, "reasoning_rate"): Words("案例：推理", "case: reasoning"),
    (CASE, "statutes_rate"): Words("案例：法条", "case: statutes"),
}
"""Task and metric to what it measures."""
_HOP = Words("跳数", "look-ups")
_SUCCESS = Words("成功率（%）", "success (%)")


def _lawbench(board: BoardView) -> list[Picture]:
    """Twenty tasks at a glance, with abstention as in table 3 of the paper."""
    return [
        *leaderboards(board),
        *abstention_heat_map(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


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
        (run, level, value)
        for run in board.runs
        for level, value in _accuracies(board, run).items()
    ]
    if not accuracies:
        return []

    def draw(language: Language) -> Spec:
        heading = BarWords(
            axis=pick(Words("准确率（%）", "accuracy (%)"), language),
            name=pick(words.MODEL, language),
            series=pick(_LEVEL, language),
            value=pick(words.SCORE, language),
        )
        return bars(
            [
                Bar(board.label(run), pick(_LEVELS[level], language), value)
                for run, level, value in accuracies
            ],
            heading,
        )

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


def _plawbench(board: BoardView) -> list[Picture]:
    """What a practitioner is good at, by dimension of the rubrics and by scenario."""
    return [
        *leaderboards(board),
        *_dimensions(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


def _dimensions(board: BoardView) -> list[Picture]:
    """A heat map of all runs, with and without those of the paper, and a radar of the best few."""
    title = Words("评分维度", "Dimensions of the rubrics")
    there = [(board.label(run), _rates(board, run)) for run in board.runs]
    printed = [
        (row.title, {key: row.figures[key[1]] for key in _DIMENSIONS if key[1] in row.figures})
        for row in board.printed()
    ]
    few = [
        (run, _DIMENSIONS[dimension], value)
        for run in board.few()
        for dimension, value in _rates(board, run).items()
    ]
    return [
        *column_heat_maps(board, "dimensions", title, _DIMENSIONS, there, printed),
        *radar_of(board, "dimensions-radar", title, few),
    ]


def _rates(board: BoardView, run: RunInfo) -> dict[tuple[str, str], float]:
    rates: dict[tuple[str, str], float] = {}
    for task, metric in _DIMENSIONS:
        cell = board.cell(run, task)
        if cell is not None and metric in cell.more:
            rates[task, metric] = cell.more[metric]
    return rates


def _legalagentbench(board: BoardView) -> list[Picture]:
    """How far agents get with each further look-up, by which method, and why not."""
    return [
        *leaderboards(board),
        *_hops(board),
        *_methods(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


def _hops(board: BoardView) -> list[Picture]:
    """Success by the number of look-ups that a question takes."""
    groups = [task for task in board.tasks if task.id.endswith("-hop")]
    if len(groups) < 2:
        return []

    def draw(language: Language) -> Spec:
        points = [
            Bar(
                pick(task.title, language) if language == "zh" else task.id, board.label(run), value
            )
            for run in board.few()
            for task in groups
            if (cell := board.cell(run, task.id)) and cell.score
            for value in [cell.score.value]
        ]
        return lines(points, _success_words(language, _HOP, words.MODEL))

    title = Words("成功率与跳数", "Success by number of look-ups")
    return [Picture(board.id("hops"), title, words.few(len(board.runs)), draw)]


def _methods(board: BoardView) -> list[Picture]:
    """The same models by different methods, where several were tried."""
    tried = [view for view in board.settings if view.models()]
    if len(tried) < 2:
        return []

    def draw(language: Language) -> Spec:
        bars_ = [
            Bar(run.model, view.setting, figure.value, figure.low, figure.high)
            for view in tried
            for run in view.models()
            if (figure := view.figure(run, OVERALL))
        ]
        return bars(bars_, _success_words(language, words.MODEL, words.METHOD))

    title = Words("按方法比较", "By method")
    return [Picture(board.id("methods"), title, words.INTERVALS, draw)]


def _success_words(language: Language, name: Words, series: Words) -> BarWords:
    return BarWords(
        axis=pick(_SUCCESS, language),
        name=pick(name, language),
        series=pick(series, language),
        value=pick(_SUCCESS, language),
    )


def _judgment(board: BoardView) -> list[Picture]:
    """The metrics of a whole document on one radar."""
    return [
        *leaderboards(board),
        *_metrics(board),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


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


def _default(board: BoardView) -> list[Picture]:
    """What can be drawn of any suite."""
    return [
        *leaderboards(board),
        *_task_bars(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *error_shares(board),
        *costs(board),
    ]


def _task_bars(board: BoardView) -> list[Picture]:
    """The scores of the best few runs by task, with intervals."""
    if not board.tasks:
        return []

    def draw(language: Language) -> Spec:
        bars_ = [
            Bar(
                board.title(task, language),
                board.label(run),
                cell.score.value,
                cell.score.low,
                cell.score.high,
            )
            for task in board.tasks
            for run in board.few()
            if (cell := board.cell(run, task.id)) and cell.score
        ]
        heading = BarWords(
            axis=pick(words.SCORE, language),
            name=pick(words.TASK, language),
            series=pick(words.MODEL, language),
            value=pick(words.SCORE, language),
        )
        return bars(bars_, heading)

    return [
        Picture(
            board.id("bars"), Words("任务得分", "Scores of tasks"), words.few(len(board.runs)), draw
        )
    ]


VIEWS: Final[Mapping[str, Callable[[BoardView], list[Picture]]]] = {
    "lawbench": _lawbench,
    "claw": _claw,
    "plawbench": _plawbench,
    "legalagentbench": _legalagentbench,
    "judgment": _judgment,
}


def pictures_of(board: BoardView) -> list[Picture]:
    """The pictures of a board's page."""
    return VIEWS.get(board.suite.name, _default)(board)
