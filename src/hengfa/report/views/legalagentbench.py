"""LegalAgentBench: how far agents get with each further look-up, by which method, and why not."""

from __future__ import annotations

from hengfa.report.charts.plots import Bar, BarWords, bars, lines
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import Words
from hengfa.report.views import common, words
from hengfa.report.views.base import BoardView, Language, Picture, figure_of, pick
from hengfa.report.views.heat_maps import facet_heat_maps, task_heat_map
from hengfa.report.views.leaderboard import leaderboards
from hengfa.runs.leaderboard import OVERALL

_HOP = Words("跳数", "look-ups")
_SUCCESS = Words("成功率（%）", "success (%)")


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *hops(board),
        *methods(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *common.error_shares(board),
        *common.costs(board),
    ]


def hops(board: BoardView) -> list[Picture]:
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
        return lines(points, _words(language, _HOP, words.MODEL))

    title = Words("成功率与跳数", "Success by number of look-ups")
    return [Picture(board.id("hops"), title, words.few(len(board.runs)), draw)]


def methods(board: BoardView) -> list[Picture]:
    """The same models by different methods, where several were tried."""
    tried = [view for view in board.settings if view.models()]
    if len(tried) < 2:
        return []

    def draw(language: Language) -> Spec:
        found = [
            Bar(run.model, view.setting, figure.value, figure.low, figure.high)
            for view in tried
            for run in view.models()
            if (figure := figure_of(view, run, OVERALL))
        ]
        return bars(found, _words(language, words.MODEL, words.METHOD))

    title = Words("按方法比较", "By method")
    return [Picture(board.id("methods"), title, words.INTERVALS, draw)]


def _words(language: Language, name: Words, series: Words) -> BarWords:
    return BarWords(
        axis=pick(_SUCCESS, language),
        name=pick(name, language),
        series=pick(series, language),
        value=pick(_SUCCESS, language),
    )
