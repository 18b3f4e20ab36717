"""Which room makes the files of which pack."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from hengfa.base.data.pull import Derivation

_ROOMS: Final = {
    "guiding-cases": "hengfa.evals.suites.claw_cases.guiding_cases",
    "legalagentbench": "hengfa.world.tables.recovery",
    "statutes": "hengfa.law.library.assembly",
}
"""A room has `derive(sources, target)` and `VERSION`, which goes up when its results change."""


def derivation_of(pack: str) -> Derivation | None:
    """How a pack is made; None if its files are taken as they are."""
    if pack not in _ROOMS:
        return None
    room = import_module(_ROOMS[pack])
    return Derivation(room.VERSION, room.derive)
