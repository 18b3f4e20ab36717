"""The pictures of a suite that has none of its own."""

from __future__ import annotations

from hengfa.report.charts.plots import Bar, BarWords, bars
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import Words
from hengfa.report.views import common, words
from hengfa.report.views.base import BoardView, Language, Picture, pick
from hengfa.report.views.heat_maps import facet_heat_maps, task_heat_map
from hengfa.report.views.leaderboard import leaderboards


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *task_bars(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *common.error_shares(board),
        *common.costs(board),
    ]


def task_bars(board: BoardView) -> list[Picture]:
    """The scores of the best few runs by task, with intervals."""
    if not board.tasks:
        return []

    def draw(language: Language) -> Spec:
        found = [
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
        return bars(found, heading)

    return [
        Picture(
            board.id("bars"), Words("任务得分", "Scores of tasks"), words.few(len(board.runs)), draw
        )
    ]
