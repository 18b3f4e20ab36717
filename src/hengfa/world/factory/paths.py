"""Paths that a world can execute: the planning tree, what a question can name, what it can ask.

The tree of all paths is far larger than what a world can answer (legalagentbench.md 6.1 to 6.3). So
it is grown along what is there: from a start that the world has, an edge is taken only if its cell
says something and the next tool finds it. Edges that no task has yet are tried first, and of
several walks the one with most such edges is taken. Layer follows layer, from one hop up.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from hengfa.world.factory import words
from hengfa.world.factory.follow import (
    CASE,
    COURT_CODE_TOOL,
    JOINT,
    LookInWorld,
    Outcome,
    Row,
    amount_of,
    day_of,
    first_values,
    follow,
    step,
)
from hengfa.world.factory.graph import Edge, Link, TypeGraph, entity_in, inputs_of, leads_on
from hengfa.world.factory.task import Filter, Hop, Order, Pick, Plan, Reason, Refused, Start, Wish
from hengfa.world.tables.cells import blank
from hengfa.world.tables.schema import Entity, Lookup, Schema
from hengfa.world.tables.world import World, selection_by_id

T = TypeVar("T")
U = TypeVar("U")
WAYS: Final = 4  # so many selectors are tried at each list, and so many questions at the end
EDGES: Final = 10  # so many edges are tried at each row
PATIENCE: Final = 6
"""An edge that failed so often waits as if a task had it: most worlds cannot take every edge."""

DRAWS: Final = 8  # so many starts are drawn before it is said that all are used
BOLD: Final = 0.15
"""So often it is tried before its turn: in a large set it may be the only new one."""

Skeleton = tuple[tuple[Hop, ...], Wish]
"""What is asked, with open filters: what tasks on the same path have in common."""


class Walk(NamedTuple):
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
        self.graph = TypeGraph(look.schema.lookups)
        self.covered: Counter[tuple[str, str]] = Counter()
        self.variants = _Variants(rng, look.schema)
        self._lookup_of = look.schema.lookup_of
        self._failed: Counter[Edge] = Counter()
        self._look = look
        self._starts = starts
        self._rng = rng

    def can_start(self, hops: int) -> list[str]:
        return [name for name in self.graph.lookups if hops == 1 or self.graph.steps.get(name)]

    def new_edges(self, plan: Plan) -> int:
        """How many edges of a plan no task has."""
        return sum(not self.covered[edge] for edge in set(plan.edges))

    def walk(self, first: str, hops: int) -> Walk:
        """One walk from a drawn start; refused where it comes to an end too early."""
        lookup = self._lookup_of[first]
        start = self._starts.draw(lookup, self._rng.choice(self._starts.kinds(lookup)), self._rng)
        self._look.forget()
        steps: list[_Step] = []
        while len(steps) < hops - 1:
            steps.append(self._next(first, start, steps, last=len(steps) == hops - 2))
        return self._ask(first, start, steps)

    def again(self, walk: Walk) -> Outcome:
        plan = walk.outcome.plan
        lookup = self._lookup_of[plan.hops[0].tool]
        self._look.forget()
        start = self._starts.draw(lookup, plan.start.entity, self._rng)
        return follow(Plan(start, *walk.skeleton), self._look, self.variants.bind)

    def _next(self, first: str, start: Start, steps: list[_Step], *, last: bool) -> _Step:
        """The first edge from here that leads somewhere, new edges before others."""
        tool = steps[-1].edge.target if steps else first
        values = steps[-1].values if steps else first_values(start, first)
        asked = steps[-1].edge.link.entity if steps else _entity_asked_with(start, first)
        edges = [
            edge
            for edge in self.graph.steps.get(tool, ())
            if leads_on(self._lookup_of[tool], asked, edge.link)
            and all(edge.tools != before.edge.tools for before in steps)
        ]
        self._rng.shuffle(edges)
        bold = self._rng.random() < BOLD
        # an edge that failed often waits as if so many tasks had it
        waits = Counter[Edge]() if bold else self._failed
        edges.sort(key=lambda edge: self.covered[edge.tools] + waits[edge] // PATIENCE)
        refusal = Refused(Reason.EMPTY)
        for edge in edges[:EDGES]:
            try:
                return self._take(edge, values, last=last)
            except Refused as refused:
                self._failed[edge] += 1
                refusal = refused
        raise refusal

    def _take(self, edge: Edge, values: tuple[str, ...], *, last: bool) -> _Step:
        def attempt(hop: Hop) -> _Step:
            bound, led = step(hop, values, self._look, self.variants.bind)
            target = self._lookup_of[edge.target]
            finds = bool(self._look(target, led, target.match.columns[:1]))
            if not finds and not (last and self.variants.answers_nothing(edge)):
                raise Refused(Reason.EMPTY)
            return _Step(edge, hop, bound, led, finds)

        source = self._lookup_of[edge.source]
        if source.returns != "list":
            return attempt(self.variants.middle(edge))
        if len(self._look(source, values, source.table.key[:1])) == 1:
            raise Refused(Reason.TRIVIAL)  # nothing to choose from, in whatever way
        return _first_of(attempt, lambda: self.variants.middle(edge), WAYS)

    def _ask(self, first: str, start: Start, steps: list[_Step]) -> Walk:
        drawn = tuple(taken.drawn for taken in steps)
        bound = tuple(taken.bound for taken in steps)
        if steps and (spread := self.variants.spread(steps[-1].edge)) is not None:
            each, last, ask = spread
            with contextlib.suppress(Refused):
                return self._followed(
                    start, (*drawn[:-1], each, last), (*bound[:-1], each, last), ask
                )
        end = steps[-1] if steps else None
        tool = end.edge.target if end else first
        asked = end.edge.link.entity if end else _entity_asked_with(start, first)

        def attempt(drawn_last: tuple[Hop, Wish]) -> Walk:
            last, ask = drawn_last
            return self._followed(start, (*drawn, last), (*bound, last), ask)

        edge, finds = (end.edge, end.finds) if end else (None, True)
        return _first_of(attempt, lambda: self.variants.last(tool, asked, edge, finds=finds), WAYS)

    def _followed(
        self, start: Start, drawn: tuple[Hop, ...], bound: tuple[Hop, ...], ask: Wish
    ) -> Walk:
        outcome = follow(Plan(start, bound, ask), self._look, self.variants.bind)
        return Walk((drawn, ask), outcome)


def _entity_asked_with(start: Start, tool: str) -> str:
    """A court that is named by a case number is asked for by its code."""
    if start.entity == Entity.CASE and tool == COURT_CODE_TOOL:
        return Entity.COURT_CODE
    return start.entity


def _first_of(attempt: Callable[[U], T], draw: Callable[[], U], ways: int) -> T:
    """The first of some draws that is not refused; the last refusal if all are."""
    for _ in range(ways - 1):
        with contextlib.suppress(Refused):
            return attempt(draw())
    return attempt(draw())


# --- what a question can name ---

_SHARED: Final = frozenset({Entity.COMPANY, Entity.COURT, Entity.FIRM})
_Place = tuple[str, tuple[str, ...]]  # a table and the columns that hold an identifier


class Starts:
    """Draws identifiers of a world that a tool takes.

    Half of the draws take the tool's own table, so that the first call finds something; the others
    take any table that is looked up by the same kind of identifier, each as often, so that the few
    companies and courts of the small tables come up as often as the many of the large ones. What is
    `used` is not drawn again.
    """

    def __init__(self, world: World) -> None:
        self.used: set[Start] = set()
        self._world = world
        schema = world.schema
        kinds = (*Entity, *schema.identifier_of)
        self._counts = {name: world.count(name) for name in schema.table_of}
        self._everywhere = {kind: self._places(schema.lookups, kind) for kind in kinds}

    def kinds(self, lookup: Lookup) -> tuple[str, ...]:
        """What a question can name for this tool; a court by a case number, never by its code."""
        kinds = inputs_of(lookup)
        if lookup.name == COURT_CODE_TOOL:
            return tuple(Entity.CASE if kind == Entity.COURT_CODE else kind for kind in kinds)
        return kinds

    def draw(self, lookup: Lookup, entity: str, rng: random.Random) -> Start:
        """An identifier; whether the tool finds anything is seen when it is called."""
        own = self._places((lookup,), entity)
        places = self._everywhere[entity]
        if own and not (entity in _SHARED and rng.random() < 0.5):
            places = own
        if not places:
            raise Refused(Reason.EMPTY)
        for _ in range(DRAWS):
            start = self._start(entity, *rng.choice(places), rng)
            if start not in self.used:
                return start
        raise Refused(Reason.NAMED)

    def _start(
        self, entity: str, table: str, columns: tuple[str, ...], rng: random.Random
    ) -> Start:
        number = rng.randrange(self._counts[table]) + 1
        kind = self._world.schema.table_of[table]
        sql = selection_by_id(table, kind.names)
        row = self._world.connection.execute(sql, (number,)).fetchone()
        cells = [row[1 + kind.place[column]] for column in columns]
        if any(blank(cell) or not isinstance(cell, str) for cell in cells):
            raise Refused(Reason.MISSING)
        if any(JOINT in cell for cell in cells):
            raise Refused(Reason.SEVERAL_VALUES)
        return Start(entity, tuple(cells))

    def _places(self, lookups: Sequence[Lookup], entity: str) -> list[_Place]:
        """Match columns that hold this kind, in tables that have rows."""
        places: dict[_Place, None] = {}
        for lookup in lookups:
            if not self._counts[lookup.table_name]:
                continue
            if entity == Entity.REGION and lookup.match.rule == "all":
                places[lookup.table_name, lookup.match.columns] = None
            elif lookup.match.rule == "any":
                for column in lookup.match.columns:
                    if entity_in(lookup.table, column) == entity:
                        places[lookup.table_name, (column,)] = None
        return list(places)


# --- what a path can ask ---

_WHOLLY_OWNED: Final = Filter("equals", "上市公司参股比例", 100)

_THRESHOLDS: Final = tuple(
    value * unit
    for unit in (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
    for value in (1, 5)
)

_ORDERS: Final[tuple[Order, ...]] = ("largest", "largest", "largest", "second", "smallest")
_OFTEN: Final = frozenset({Entity.COMPANY, Entity.COURT, Entity.FIRM, Entity.AUTHORITY})

_LISTED: Final = "get_company_info"
_PARENT: Final = "关联上市公司全称"


class _Variants:
    """Draws variants of paths: selectors, filters and aggregates for their tools.

    A path is a sequence of tools and links. Here it gets the rest: which row of a list leads on,
    which rows count, and what is wanted at the end. Filters by year, amount or kind stay open; they
    are bound to what the rows have when a start is tried.
    """

    def __init__(self, rng: random.Random, schema: Schema) -> None:
        self._rng = rng
        self._lookup_of = schema.lookup_of

    def middle(self, edge: Edge) -> Hop:
        """One hop on the way: for a list, which rows count and which one leads on."""
        lookup, link = self._lookup_of[edge.source], edge.link
        if lookup.returns != "list":
            return Hop(lookup.name, link=link.columns, cut=link.cut)
        pick = self._pick(lookup, link)
        return Hop(lookup.name, self._filters(lookup, 0.35), pick, link.columns, link.cut)

    def last(self, tool: str, asked: str, edge: Edge | None, *, finds: bool) -> tuple[Hop, Wish]:
        """The last hop and what is asked; `asked` is the kind of what the tool is asked with, and
        `finds` whether it finds anything."""
        may_be_listed = edge is not None and self.answers_nothing(edge)
        if not finds or (may_be_listed and self._chance(0.3)):
            return Hop(tool), Wish("listed")
        lookup, hop = self._lookup_of[tool], Hop(tool)
        if lookup.returns == "list":
            return self._last_list(lookup, asked)
        if lookup.table_name == "LegalAbstract":
            return hop, Wish("mentions", ("文本摘要",))
        if lookup.table_name in words.WORDS.days and self._chance(0.15):
            return hop, Wish("days", words.WORDS.days[lookup.table_name])
        if lookup.returns == "name":
            return hop, Wish("cells", ("公司名称",))
        return hop, Wish("cells", self._columns(lookup, asked))

    def answers_nothing(self, edge: Edge) -> bool:
        """Whether finding nothing is an answer too: a company that is not listed."""
        return edge.target == _LISTED and edge.link.columns != (_PARENT,)

    def spread(self, edge: Edge) -> tuple[Hop, Hop, Wish] | None:
        """At times, where it makes sense: a list whose every row leads on to the last tool."""
        lookup, last = self._lookup_of[edge.source], self._lookup_of[edge.target]
        # the rows are companies, courts or firms, and something can be true of each
        key = lookup.returns == "list" and edge.link.columns == lookup.table.key[:1] != (CASE,)
        has = last.returns == "list" and words.list_words(last).has
        can = key and not edge.link.cut and (last.name == _LISTED or has)
        if not can or not self._chance(0.35):
            return None
        each = Hop(lookup.name, self._filters(lookup, 0.5), link=edge.link.columns, each=True)
        total = last.returns == "list" and self._chance(0.4)
        return each, Hop(last.name), Wish("each_total" if total else "each_has")

    def bind(self, wanted: Filter, rows: list[Row]) -> int | str:
        """A value for an open filter that some rows have and others do not."""
        cells = [row[wanted.column] for row in rows]
        if wanted.kind == "over":
            values = [value for cell in cells if (value := amount_of(cell)) is not None]
            apart: Sequence[int | str] = [
                t for t in _THRESHOLDS if any(v > t for v in values) and any(v <= t for v in values)
            ]
        elif wanted.kind == "year":
            years = Counter(on.year for cell in cells if (on := day_of(cell)))
            apart = sorted(year for year, times in years.items() if times < len(rows))
        else:
            texts = Counter(str(cell) for cell in cells if not blank(cell))
            apart = sorted(text for text, times in texts.items() if times < len(rows))
        if not apart:
            raise Refused(Reason.HEEDLESS)
        return self._rng.choice(apart)

    def _pick(self, lookup: Lookup, link: Link | None) -> Pick:
        amounts, dates = tuple(words.amounts(lookup.table)), tuple(words.dates(lookup.table))
        if link and link.entity in _OFTEN and len(link.columns) == 1 and not link.cut:
            often = link.columns[0] != lookup.table.key[0]
            if often and (self._chance(0.2) or not (amounts or dates)):
                return Pick("frequent", link.columns[0])
        if amounts and (self._chance(0.7) or not dates):
            return Pick(self._rng.choice(_ORDERS), self._rng.choice(amounts))
        if not dates:
            raise Refused(Reason.SEVERAL_ROWS)  # nothing tells one of them from the others
        order: Order = "latest" if self._chance(0.5) else "earliest"
        return Pick(order, self._rng.choice(dates))

    def _filters(self, lookup: Lookup, chance: float) -> tuple[Filter, ...]:
        filters = []
        if lookup.table_name == "LegalDoc" and self._chance(0.4):
            roles = (
                ("原告", "被告") if lookup.match.columns == ("关联公司",) else lookup.match.columns
            )
            filters.append(Filter("role", self._rng.choice(roles)))
        if self._chance(chance) and (conditions := self._conditions(lookup)):
            filters.append(self._rng.choice(conditions))
        return tuple(filters)

    def _conditions(self, lookup: Lookup) -> list[Filter]:
        filters = [Filter("year", column) for column in words.dates(lookup.table)]
        filters += [Filter("over", column) for column in words.amounts(lookup.table)]
        if lookup.table_name == "SubCompanyInfo":
            filters.append(_WHOLLY_OWNED)
        if lookup.table_name == "LegalDoc":
            filters.append(Filter("equals", "文书类型"))
        own = (column.name for column in lookup.table.columns if column.condition)
        return [*filters, *(Filter("equals", name) for name in own)]

    def _last_list(self, lookup: Lookup, asked: str) -> tuple[Hop, Wish]:
        amounts, table = tuple(words.amounts(lookup.table)), lookup.table
        names = table.key if table.declared else words.WORDS.names  # what rows are called
        named = tuple(name for name in names if name in words.asked_columns(table))
        kinds = ["count"] * 3 + ["cells"] * 4 + ["names"] * bool(named)
        kinds += ["sum"] * (2 if amounts else 0)
        texts = [name for name in words.WORDS.frequent if name in _free_columns(lookup, asked)]
        kinds += ["frequent"] * bool(texts) + ["share"] * bool(self._conditions(lookup))
        kind = self._rng.choice(kinds)
        name = lookup.name
        if kind == "cells":
            pick = self._pick(lookup, None)
            hop = Hop(name, self._filters(lookup, 0.3), pick)
            return hop, Wish("cells", self._columns(lookup, asked))
        if kind == "frequent":
            column = self._rng.choice(texts)
            hop = Hop(name, self._filters(lookup, 0.2), Pick("frequent", column))
            return hop, Wish("cells", (column,))
        if kind == "share":
            return Hop(name), Wish("share", of=self._rng.choice(self._conditions(lookup)))
        if kind == "sum":
            hop = Hop(name, self._filters(lookup, 0.4))
            return hop, Wish("sum", (self._rng.choice(amounts),))
        if kind == "names":
            return Hop(name, self._filters(lookup, 0.6)), Wish("names", named[:1])
        return Hop(name, self._filters(lookup, 0.6)), Wish("count")

    def _columns(self, lookup: Lookup, asked: str) -> tuple[str, ...]:
        free = _free_columns(lookup, asked)
        if not free:
            raise Refused(Reason.TRIVIAL)
        number = min(len(free), self._rng.choice((1, 1, 1, 2, 2, 3)))
        chosen = set(self._rng.sample(free, number))
        return tuple(column for column in free if column in chosen)

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share


def _free_columns(lookup: Lookup, asked: str) -> list[str]:
    """Columns to ask for, without the one that the tool was asked with."""
    table = lookup.table
    return [
        column
        for column in words.asked_columns(table)
        if not (column in lookup.match.columns and entity_in(table, column) == asked)
    ]
