"""Makes matters over a world: the same world, number and seed give the same bytes."""

from __future__ import annotations

import random
from typing import Final

from hengfa.base.errors import UsageError
from hengfa.base.progress import Progress
from hengfa.world.matters.facts import Drawer, Facts, Unfit
from hengfa.world.matters.key import answer_of, grounds_of, key_of, question_of
from hengfa.world.matters.matter import KINDS, Matter
from hengfa.world.matters.papers import write_file
from hengfa.world.tables.world import World

_TRIES: Final = 4_000
"""Draws for one matter; most fail on the trade of a company or on a county without a court."""

_TRIES_OF_A_CAUSE: Final = 200


def make_matters(
    world: World, count: int, seed: int, watch: Progress | None = None
) -> list[Matter]:
    """So many matters, of each kind in turn."""
    drawer = Drawer(world)
    rng = random.Random(f"matters {seed}")
    used: set[tuple[str, str]] = set()
    matters = []
    for number in range(count):
        facts = _facts(drawer, number, rng, used)
        used.add((facts.plaintiff.name, facts.defendant.name))
        days, grounds = facts.case.days, grounds_of(facts)
        on = (days.signed, days.due, days.filed, *(ground.on for ground in grounds))
        matters.append(
            Matter(
                id=f"{number + 1:04}",
                kind=facts.kind,
                cause=facts.case.cause.id,
                question=question_of(facts),
                items=key_of(facts),
                answer=answer_of(facts),
                days=days,
                grounds=grounds,
                stale=facts.papers.stale(on),
                documents=write_file(facts, rng),
            )
        )
        if watch is not None:
            watch(number + 1, count)
    return matters


def _facts(drawer: Drawer, number: int, rng: random.Random, used: set[tuple[str, str]]) -> Facts:
    """Facts of another cause than the last; of another pair of parties, as long as there is one."""
    kind, causes = KINDS[number % len(KINDS)], drawer.causes
    for attempt in range(_TRIES):
        cause = causes[(number // len(KINDS) + attempt // _TRIES_OF_A_CAUSE) % len(causes)]
        try:
            facts = drawer.draw(kind, cause, rng)
        except Unfit:
            continue
        pair = facts.plaintiff.name, facts.defendant.name
        if pair not in used or attempt > _TRIES // 2:
            return facts
    raise UsageError(f"this world has no companies and courts for matter {number + 1}")
