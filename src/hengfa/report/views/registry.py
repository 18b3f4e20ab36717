"""Which view draws which suite; a suite that is not here has the default one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hengfa.report.views import (
    claw,
    default,
    judgment,
    lawbench,
    legalagentbench,
    plawbench,
)
from hengfa.report.views.base import BoardView, Picture

VIEWS: Final[Mapping[str, Callable[[BoardView], list[Picture]]]] = {
    "lawbench": lawbench.pictures,
    "claw": claw.pictures,
    "plawbench": plawbench.pictures,
    "legalagentbench": legalagentbench.pictures,
    "judgment": judgment.pictures,
}


def pictures_of(board: BoardView) -> list[Picture]:
    """The pictures of a board's page."""
    return VIEWS.get(board.suite.name, default.pictures)(board)
