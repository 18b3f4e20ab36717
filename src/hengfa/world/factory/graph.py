"""The type graph: which tool can follow which, through which columns (legalagentbench.md 6.1).

A tool takes the kinds of identifiers that its match columns hold, and gives those of all columns of
its table. Two conversions are more than reading a cell: three cells make a region, and the code of
the court is cut out of a case number. Everything follows from the schema, in which columns say what
they hold; those of declared tables at times a kind of their own: so kinds are compared as texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

import msgspec

from hengfa.world.tables.schema import LOOKUPS, Entity, Lookup, WorldTable
from hengfa.world.tools.lookups import NAME

_REGION_WORDS: Final = ("province", "city", "county")


def entity_in(table: WorldTable, column: str) -> str | None:
    return table.identifiers.get(column)


def region_columns(table: WorldTable) -> tuple[str, ...]:
    """Province, city and county, where a table has them; else nothing."""
    named = {column.english: column.name for column in table.columns}
    columns = tuple(named[word] for word in _REGION_WORDS if word in named)
    return columns if len(columns) == len(_REGION_WORDS) else ()


class Link(msgspec.Struct, frozen=True, order=True):
    """From a row to an identifier: the cells that are read, and what they then are. `cut` says that
    the court code is cut out of the case number in the cell."""

    columns: tuple[str, ...]
    entity: str
    cut: bool = False


class Edge(msgspec.Struct, frozen=True, order=True):
    """One tool after another through one link."""

    source: str
    link: Link
    target: str

    @property
    def tools(self) -> tuple[str, str]:
        """Without the link: what gold paths show."""
        return self.source, self.target


def inputs_of(lookup: Lookup) -> tuple[str, ...]:
    if lookup.match.rule == "all":
        return (Entity.REGION,)
    entities = (entity_in(lookup.table, column) for column in lookup.match.columns)
    return tuple(dict.fromkeys(entity for entity in entities if entity is not None))


def links_of(lookup: Lookup) -> tuple[Link, ...]:
    """All identifiers that a row of a tool's answer leads to."""
    table = lookup.table
    links = []
    for column in (NAME,) if lookup.returns == "name" else table.names:
        entity = entity_in(table, column)
        if entity is None:
            continue
        links.append(Link((column,), entity))
        if entity == Entity.CASE:
            links.append(Link((column,), Entity.COURT_CODE, cut=True))
    if region := region_columns(table):
        links.append(Link(region, Entity.REGION))
    return tuple(links)


class TypeGraph:
    def __init__(self, lookups: Iterable[Lookup] = LOOKUPS) -> None:
        self.lookups = {lookup.name: lookup for lookup in lookups}

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(
            Edge(source.name, link, target.name)
            for source in self.lookups.values()
            for link in links_of(source)
            for target in self.lookups.values()
            if link.entity in inputs_of(target)
        )

    @cached_property
    def steps(self) -> dict[str, tuple[Edge, ...]]:
        """For each tool the edges that a path may take from it: those that lead to something new.

        Left out are edges that only give back what was asked with, whatever that was, and edges
        that look up again the very row that is at hand.
        """
        by_source: dict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            source, target = self.lookups[edge.source], self.lookups[edge.target]
            useful = any(leads_on(source, asked, edge.link) for asked in inputs_of(source))
            same = source.table_name == target.table_name and target.returns != "list"
            key = {*source.table.key[:1], *target.match.columns}
            if useful and not (same and key.issuperset(edge.link.columns)):
                by_source[edge.source].append(edge)
        return {source: tuple(edges) for source, edges in by_source.items()}

    @cached_property
    def step_edges(self) -> frozenset[tuple[str, str]]:
        return frozenset(edge.tools for edges in self.steps.values() for edge in edges)


def leads_on(lookup: Lookup, asked: str, link: Link) -> bool:
    """Whether a link gives more than what the tool was asked with. A company found by its stock
    code leads on to its name; one found by its name does not."""
    columns = lookup.match.columns
    if not set(link.columns) <= set(columns):
        return True
    if lookup.match.rule == "all":
        return False
    return asked != entity_in(lookup.table, link.columns[0])
