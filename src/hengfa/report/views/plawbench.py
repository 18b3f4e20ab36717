"""PLawBench: what a practitioner is good at, by dimension of the rubrics and by scenario."""

from __future__ import annotations

from collections.abc import Mapping

from hengfa.report.site.model import RunInfo, Words
from hengfa.report.views import common
from hengfa.report.views.base import BoardView, Picture
from hengfa.report.views.heat_maps import column_heat_maps, facet_heat_maps, task_heat_map
from hengfa.report.views.leaderboard import leaderboards
from hengfa.suites.plawbench.dataset import CASE, CONSULTATION

DIMENSIONS: Mapping[tuple[str, str], Words] = {
    (CONSULTATION, "decisive_rate"): Words("咨询：决定性问题", "consult: decisive"),
    (CONSULTATION, "substantial_rate"): Words("咨询：重要问题", "consult: substantial"),
    (CONSULTATION, "detail_rate"): Words("咨询：细节问题", "consult: details"),
    (CASE, "conclusion_rate"): Words("案例：结论", "case: conclusion"),
    (CASE, "facts_rate"): Words("案例：事实", "case: facts"),
    (CASE, "reasoning_rate"): Words("案例：推理", "case: reasoning"),
    (CASE, "statutes_rate"): Words("案例：法条", "case: statutes"),
}
"""Task and metric to what it measures."""


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *dimensions(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *common.error_shares(board),
        *common.costs(board),
    ]


def dimensions(board: BoardView) -> list[Picture]:
    """A heat map of all runs, with and without those of the paper, and a radar of the best few."""
    title = Words("评分维度", "Dimensions of the rubrics")
    there = [(board.label(run), _values(board, run)) for run in board.runs]
    printed = [
        (one.title, {key: one.figures[key[1]] for key in DIMENSIONS if key[1] in one.figures})
        for one in board.printed()
    ]
    few = [
        (run, DIMENSIONS[dimension], value)
        for run in board.few()
        for dimension, value in _values(board, run).items()
    ]
    return [
        *column_heat_maps(board, "dimensions", title, DIMENSIONS, there, printed),
        *common.radar_of(board, "dimensions-radar", title, few),
    ]


def _values(board: BoardView, run: RunInfo) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for task, metric in DIMENSIONS:
        cell = board.cell(run, task)
        if cell is not None and metric in cell.more:
            found[task, metric] = cell.more[metric]
    return found
