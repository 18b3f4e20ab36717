"""The planning tree, grown by execution (specification, 6.1 to 6.3).

The tree of all paths is far larger than what a world can answer. So it is grown along what is
there: from a start that the world has, an edge is taken only if its cell says something and the
next tool finds it. Edges that no task has yet are tried first, and of several walks the one with
most such edges is taken. Layer follows layer, from one hop up.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from hengfa.world.factory.entities import Entity
from hengfa.world.factory.follow import Outcome, first_values, follow, step
from hengfa.world.factory.graph import Edge, TypeGraph, leads_on
from hengfa.world.factory.looking import LookInWorld
from hengfa.world.factory.plan import Ask, Hop, Plan, Start
from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.factory.starts import Starts
from hengfa.world.factory.variants import Variants
from hengfa.world.schema import LOOKUP_OF

T = TypeVar("T")
U = TypeVar("U")

WAYS: Final = 4
"""So many selectors are tried at each list, and so many questions at the end."""

EDGES: Final = 10
"""So many edges are tried at each row."""

PATIENCE: Final = 6
"""An edge that failed so often waits as if a task had it: most worlds cannot take every edge."""

Skeleton = tuple[tuple[Hop, ...], Ask]
"""What is asked, with open filters: what tasks on the same path have in common."""


class Found(NamedTuple):
    """A path that can be executed, and where it led."""

    skeleton: Skeleton
    outcome: Outcome


class _Step(NamedTuple):
    """An edge that was taken: the hop as drawn, as bound, and what the next tool is asked with."""

    edge: Edge
    drawn: Hop
    bound: Hop
    values: tuple[str, ...]
    finds: bool


class Tree:
    """Grows paths over one world; `covered` counts the edges that tasks have."""

    def __init__(self, look: LookInWorld, starts: Starts, rng: random.Random) -> None:
        self.graph = TypeGraph()
        self.covered: Counter[tuple[str, str]] = Counter()
        self.variants = Variants(rng)
        self._failed: Counter[Edge] = Counter()
        self._look = look
        self._starts = starts
        self._rng = rng

    def can_start(self, hops: int) -> list[str]:
        """The tools that a path of this length can begin with."""
        return [name for name in self.graph.lookups if hops == 1 or self.graph.steps.get(name)]

    def new_edges(self, plan: Plan) -> int:
        """How many edges of a plan no task has."""
        return sum(not self.covered[edge] for edge in set(plan.edges))

    def walk(self, first: str, hops: int) -> Found:
        """One walk from a drawn start; refused where it comes to an end too early."""
        lookup = LOOKUP_OF[first]
        start = self._starts.draw(lookup, self._rng.choice(self._starts.kinds(lookup)), self._rng)
        self._look.forget()
        steps: list[_Step] = []
        while len(steps) < hops - 1:
            steps.append(self._next(first, start, steps, last=len(steps) == hops - 2))
        return self._asked(first, start, steps)

    def again(self, found: Found) -> Outcome:
        """The same path from another start."""
        plan = found.outcome.plan
        lookup = LOOKUP_OF[plan.hops[0].tool]
        self._look.forget()
        start = self._starts.draw(lookup, plan.start.entity, self._rng)
        return follow(Plan(start, *found.skeleton), self._look, self.variants.bind)

    # --- growing ---

    def _next(self, first: str, start: Start, steps: list[_Step], *, last: bool) -> _Step:
        """The first edge from here that leads somewhere, new edges before others."""
        tool = steps[-1].edge.target if steps else first
        values = steps[-1].values if steps else first_values(start, first)
        asked = steps[-1].edge.link.entity if steps else _asked_with(start, first)
        edges = [
            edge
            for edge in self.graph.steps.get(tool, ())
            if leads_on(LOOKUP_OF[tool], asked, edge.link)
            and all(edge.tools != before.edge.tools for before in steps)
        ]
        self._rng.shuffle(edges)
        edges.sort(key=lambda edge: self.covered[edge.tools] + self._failed[edge] // PATIENCE)
        refusal = Refused(Reason.EMPTY)
        for edge in edges[:EDGES]:
            try:
                return self._taken(edge, values, last=last)
            except Refused as refused:
                self._failed[edge] += 1
                refusal = refused
        raise refusal

    def _taken(self, edge: Edge, values: tuple[str, ...], *, last: bool) -> _Step:
        def attempt(hop: Hop) -> _Step:
            bound, led = step(hop, values, self._look, self.variants.bind)
            target = LOOKUP_OF[edge.target]
            finds = bool(self._look(target, led, target.match.columns[:1]))
            if not finds and not (last and self.variants.answers_nothing(edge)):
                raise Refused(Reason.EMPTY)
            return _Step(edge, hop, bound, led, finds)

        ways = WAYS if LOOKUP_OF[edge.source].returns == "list" else 1
        return _first_of(attempt, lambda: self.variants.middle(edge), ways)

    # --- asking ---

    def _asked(self, first: str, start: Start, steps: list[_Step]) -> Found:
        drawn = tuple(one.drawn for one in steps)
        bound = tuple(one.bound for one in steps)
        if steps and (spread := self.variants.spread(steps[-1].edge)) is not None:
            each, last, ask = spread
            with contextlib.suppress(Refused):
                return self._found(start, (*drawn[:-1], each, last), (*bound[:-1], each, last), ask)
        end = steps[-1] if steps else None
        tool = end.edge.target if end else first
        asked = end.edge.link.entity if end else _asked_with(start, first)

        def attempt(drawn_last: tuple[Hop, Ask]) -> Found:
            last, ask = drawn_last
            return self._found(start, (*drawn, last), (*bound, last), ask)

        edge, finds = (end.edge, end.finds) if end else (None, True)
        return _first_of(attempt, lambda: self.variants.last(tool, asked, edge, finds=finds), WAYS)

    def _found(
        self, start: Start, drawn: tuple[Hop, ...], bound: tuple[Hop, ...], ask: Ask
    ) -> Found:
        outcome = follow(Plan(start, bound, ask), self._look, self.variants.bind)
        return Found((drawn, ask), outcome)


def _asked_with(start: Start, tool: str) -> Entity:
    """A court that is named by a case number is asked for by its code."""
    if start.entity is Entity.CASE and LOOKUP_OF[tool].table_name == "CourtCode":
        return Entity.COURT_CODE
    return start.entity


def _first_of(attempt: Callable[[U], T], draw: Callable[[], U], ways: int) -> T:
    """The first of some draws that is not refused; the last refusal if all are."""
    for _ in range(ways - 1):
        with contextlib.suppress(Refused):
            return attempt(draw())
    return attempt(draw())
