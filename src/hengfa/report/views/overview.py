"""The pictures of the first page: who stands where, who is good at what, and at what price."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.report.charts.theme import MOST_SERIES
from hengfa.report.site.model import Words
from hengfa.report.views import common, words
from hengfa.report.views.base import BoardView, Picture
from hengfa.report.views.leaderboard import leaderboards
from hengfa.report.views.models import Ability, abilities, abilities_of


def pictures(boards: Sequence[BoardView]) -> list[Picture]:
    """Of each suite its main board: the first setting, by the first rules."""
    main = main_boards(boards)
    return [
        *(picture for board in main for picture in leaderboards(board)),
        *radar(main),
        *(picture for board in main for picture in common.costs(board)),
    ]


def main_boards(boards: Sequence[BoardView]) -> list[BoardView]:
    """For each suite the setting with the most runs; among equals the first."""
    found: dict[str, BoardView] = {}
    for board in boards:
        before = found.get(board.suite.name)
        if before is None or (
            before.rules == board.rules and len(board.models()) > len(before.models())
        ):
            found[board.suite.name] = board
    return list(found.values())


def radar(main: Sequence[BoardView]) -> list[Picture]:
    """All abilities that the suites measure, of the models that were asked the most suites."""
    by_model: dict[str, list[Ability]] = {}
    builtin: set[str] = set()
    for board in main:
        seen: set[str] = set()
        for run in board.runs:
            if run.model not in seen:  # of several runs of a model, the best
                seen.add(run.model)
                by_model.setdefault(run.model, []).extend(abilities_of(board, run, run.model))
            if run.builtin:
                builtin.add(run.model)

    def place(model: str) -> tuple[bool, int, float]:
        found = by_model[model]
        mean = sum(value for _, _, value in found) / len(found) if found else 0.0
        return model in builtin, -len(found), -mean

    best = sorted(by_model, key=place)[:MOST_SERIES]
    found = [one for model in best for one in by_model[model]]
    title = Words("能力雷达图", "Abilities")
    return abilities("overview-abilities", found, title, words.few(len(by_model)))
