"""LawBench: twenty tasks at a glance, with abstention as in table 3 of the paper."""

from __future__ import annotations

from hengfa.report.views import common
from hengfa.report.views.base import BoardView, Picture
from hengfa.report.views.heat_maps import abstention_heat_map, facet_heat_maps, task_heat_map
from hengfa.report.views.leaderboard import leaderboards


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *abstention_heat_map(board),
        *task_heat_map(board),
        *facet_heat_maps(board),
        *common.error_shares(board),
        *common.costs(board),
    ]
