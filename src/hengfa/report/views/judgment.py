"""Judgments: the metrics of a whole document on one radar."""

from __future__ import annotations

from hengfa.report.site.model import Words
from hengfa.report.views import common
from hengfa.report.views.base import BoardView, Picture, figure_of
from hengfa.report.views.heat_maps import column_heat_maps, facet_heat_maps
from hengfa.report.views.leaderboard import leaderboards
from hengfa.runs.leaderboard import OVERALL


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *metrics(board),
        *facet_heat_maps(board),
        *common.error_shares(board),
        *common.costs(board),
    ]


def metrics(board: BoardView) -> list[Picture]:
    """Charges, statutes, sentence, and the wording of reasons and judgment."""
    values = [
        (run, title, figure.value)
        for name, title in board.figures.items()
        if name != OVERALL
        for run in board.few()
        if (figure := figure_of(board, run, name))
    ]
    title = Words("判决书各项指标", "Metrics of the document")
    there = [
        (board.label(run), {name: one.value for name, one in board.scores(run).figures.items()})
        for run in board.runs
    ]
    printed = [(one.title, one.figures) for one in board.printed()]
    return [
        *common.radar_of(board, "metrics-radar", title, values),
        *column_heat_maps(board, "metrics", title, board.figures, there, printed),
    ]
