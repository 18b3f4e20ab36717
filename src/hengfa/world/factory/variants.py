"""What a path can ask: selectors, filters and aggregates for its tools, drawn with a seed.

A path is a sequence of tools and links. Here it gets the rest: which row of a list leads on, which
rows count, and what is wanted at the end. Filters by year, amount or kind stay open; they are bound
to what the rows have when a start is tried.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final, TypeVar

from hengfa.world.cells import blank
from hengfa.world.factory import words
from hengfa.world.factory.canonical import amount_of
from hengfa.world.factory.entities import Entity, held
from hengfa.world.factory.follow import CASE
from hengfa.world.factory.graph import Edge, Link
from hengfa.world.factory.plan import Ask, Filter, Hop, Order, Pick
from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.factory.rows import Row, day_of
from hengfa.world.schema import LOOKUP_OF, Lookup

T = TypeVar("T")

WHOLLY_OWNED: Final = Filter("equals", "上市公司参股比例", 100)
THRESHOLDS: Final = tuple(
    value * unit
    for unit in (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
    for value in (1, 5)
)
_ORDERS: Final[tuple[Order, ...]] = ("largest", "largest", "largest", "second", "smallest")
_OFTEN: Final = frozenset({Entity.COMPANY, Entity.COURT, Entity.FIRM, Entity.AUTHORITY})
_FREQUENT_TEXTS: Final[tuple[str, ...]] = (
    "案由",
    "执行法院",
    "处罚单位",
    "原告律师事务所",
    "被告律师事务所",
)
_LISTS_OF_NAMES: Final[tuple[str, ...]] = ("公司名称", "法院名称", "律师事务所名称", CASE)
_DAYS: Final = {
    "RestrictionCase": ("立案日期", "限高发布日期"),
    "FinalizedCase": ("立案日期", "终本日期"),
    "DishonestyCase": ("立案日期", "发布日期"),
}
_LISTED: Final = "get_company_info"
_PARENT: Final = "关联上市公司全称"


class Variants:
    """Draws variants of paths."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def middle(self, edge: Edge) -> Hop:
        """One hop on the way: for a list, which rows count and which one leads on."""
        lookup, link = LOOKUP_OF[edge.source], edge.link
        if lookup.returns != "list":
            return Hop(lookup.name, link=link.columns, cut=link.cut)
        pick = self._pick(lookup, link)
        return Hop(lookup.name, self._filters(lookup, 0.35), pick, link.columns, link.cut)

    def last(self, tool: str, asked: Entity, edge: Edge | None, *, finds: bool) -> tuple[Hop, Ask]:
        """The last hop and what is asked; `asked` is the kind of what the tool is asked with, and
        `finds` whether it finds anything."""
        may_be_listed = edge is not None and self.answers_nothing(edge)
        if not finds or (may_be_listed and self._chance(0.3)):
            return Hop(tool), Ask("listed")
        return self._last(LOOKUP_OF[tool], asked)

    def answers_nothing(self, edge: Edge) -> bool:
        """Whether finding nothing is an answer too: a company that is not listed."""
        return edge.target == _LISTED and edge.link.columns != (_PARENT,)

    def spread(self, edge: Edge) -> tuple[Hop, Hop, Ask] | None:
        """At times, where it makes sense: a list whose every row leads on to the last tool."""
        lookup, last = LOOKUP_OF[edge.source], LOOKUP_OF[edge.target]
        if not _can_spread(lookup, edge.link, last) or not self._chance(0.35):
            return None
        each = Hop(lookup.name, self._filters(lookup, 0.5), link=edge.link.columns, each=True)
        total = last.name in words.LISTS and self._chance(0.4)
        return each, Hop(last.name), Ask("each_total" if total else "each_has")

    def bind(self, one: Filter, rows: list[Row]) -> int | str:
        """A value for an open filter that some rows have and, if possible, not all."""
        if one.kind == "year":
            years = sorted({on.year for row in rows if (on := day_of(row[one.column]))})
            return self._some(years)
        if one.kind == "over":
            values = [value for row in rows if (value := amount_of(row[one.column])) is not None]
            apart = [t for t in THRESHOLDS if any(v > t for v in values)]
            both = [t for t in apart if any(v <= t for v in values)]
            return self._some(both or apart)
        found = {str(row[one.column]) for row in rows if not blank(row[one.column])}
        return self._some(sorted(found))

    # --- on the way ---

    def _pick(self, lookup: Lookup, link: Link | None) -> Pick:
        amounts, dates = _amounts(lookup), _dates(lookup)
        often = link is not None and _can_be_frequent(lookup, link)
        if often and (self._chance(0.2) or not (amounts or dates)) and link is not None:
            return Pick("frequent", link.columns[0])
        if amounts and (self._chance(0.7) or not dates):
            return Pick(self._rng.choice(_ORDERS), self._rng.choice(amounts))
        order: Order = "latest" if self._chance(0.5) else "earliest"
        return Pick(order, self._rng.choice(dates))

    def _filters(self, lookup: Lookup, chance: float) -> tuple[Filter, ...]:
        filters = []
        if lookup.table_name == "LegalDoc" and self._chance(0.4):
            roles = (
                ("原告", "被告") if lookup.match.columns == ("关联公司",) else lookup.match.columns
            )
            filters.append(Filter("role", self._rng.choice(roles)))
        if self._chance(chance):
            filters.append(self._rng.choice(self._conditions(lookup)))
        return tuple(filters)

    def _conditions(self, lookup: Lookup) -> list[Filter]:
        found = [Filter("year", column) for column in _dates(lookup)]
        found += [Filter("over", column) for column in _amounts(lookup)]
        if lookup.table_name == "SubCompanyInfo":
            found.append(WHOLLY_OWNED)
        if lookup.table_name == "LegalDoc":
            found.append(Filter("equals", "文书类型"))
        return found

    # --- the last hop ---

    def _last(self, lookup: Lookup, asked: Entity) -> tuple[Hop, Ask]:
        hop = Hop(lookup.name)
        if lookup.returns == "list":
            return self._last_list(lookup, asked)
        if lookup.table_name == "LegalAbstract":
            return hop, Ask("mentions", ("文本摘要",))
        if lookup.table_name in _DAYS and self._chance(0.15):
            return hop, Ask("days", _DAYS[lookup.table_name])
        if lookup.returns == "name":
            return hop, Ask("cells", ("公司名称",))
        return hop, Ask("cells", self._columns(lookup, asked))

    def _last_list(self, lookup: Lookup, asked: Entity) -> tuple[Hop, Ask]:
        amounts = _amounts(lookup)
        kinds = ["count"] * 3 + ["cells"] * 4 + ["names"] + ["sum"] * (2 if amounts else 0)
        texts = [one for one in _FREQUENT_TEXTS if one in _free_columns(lookup, asked)]
        kinds += ["frequent"] * bool(texts) + ["share"] * bool(self._conditions(lookup))
        kind = self._rng.choice(kinds)
        name = lookup.name
        if kind == "cells":
            pick = self._pick(lookup, None)
            return (
                Hop(name, self._filters(lookup, 0.3), pick),
                Ask("cells", self._columns(lookup, asked)),
            )
        if kind == "frequent":
            column = self._rng.choice(texts)
            return (
                Hop(name, self._filters(lookup, 0.2), Pick("frequent", column)),
                Ask("cells", (column,)),
            )
        if kind == "share":
            return Hop(name), Ask("share", of=self._rng.choice(self._conditions(lookup)))
        if kind == "sum":
            hop = Hop(name, self._filters(lookup, 0.4))
            return hop, Ask("sum", (self._rng.choice(amounts),))
        if kind == "names":
            column = next(one for one in _LISTS_OF_NAMES if one in lookup.table.place)
            return Hop(name, self._filters(lookup, 0.6)), Ask("names", (column,))
        return Hop(name, self._filters(lookup, 0.6)), Ask("count")

    def _columns(self, lookup: Lookup, asked: Entity) -> tuple[str, ...]:
        free = _free_columns(lookup, asked)
        number = min(len(free), self._rng.choice((1, 1, 1, 2, 2, 3)))
        chosen = set(self._rng.sample(free, number))
        return tuple(column for column in free if column in chosen)

    # --- dice ---

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _some(self, values: Sequence[T]) -> T:
        if not values:
            raise Refused(Reason.MISSING)
        return self._rng.choice(values)


@cache
def _amounts(lookup: Lookup) -> tuple[str, ...]:
    return tuple(column for column in words.AMOUNTS if column in lookup.table.place)


@cache
def _dates(lookup: Lookup) -> tuple[str, ...]:
    return tuple(column for column in words.DATES if column in lookup.table.place)


def _can_spread(lookup: Lookup, link: Link, last: Lookup) -> bool:
    """The rows are companies, courts or firms, and something can be true of each."""
    rows = lookup.returns == "list" and link.columns == lookup.table.key[:1] != (CASE,)
    has = last.name == _LISTED or bool(last.name in words.LISTS and words.LISTS[last.name].has)
    return rows and not link.cut and has


def _can_be_frequent(lookup: Lookup, link: Link) -> bool:
    single = len(link.columns) == 1 and not link.cut
    return single and link.entity in _OFTEN and link.columns[0] != lookup.table.key[0]


def _free_columns(lookup: Lookup, asked: Entity) -> list[str]:
    """Columns to ask for, without the one that the tool was asked with."""
    table = lookup.table
    return [
        column
        for column in words.ASKED[table.name]
        if not (column in lookup.match.columns and held(table, column) is asked)
    ]
