"""The 28 look-ups with typed rows, paging, and errors that help."""

from __future__ import annotations

import difflib
from typing import Annotated, Any

import msgspec

from hengfa.world.cells import typed
from hengfa.world.schema import Lookup, Table
from hengfa.world.tools.catalogue import MOST_ROWS, SOME_ROWS
from hengfa.world.tools.helpful.answering import Refused, echo, read, refused, said
from hengfa.world.tools.helpful.spelling import proposals, spellings
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.strict import hidden, project
from hengfa.world.world import FoundRow, World, unobserved_columns

Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    columns: list[str] | None = None
    limit: Limit = SOME_ROWS
    offset: Offset = 0


class _ByIdentifier(_Asked, kw_only=True):
    identifier: str


class _ByRegion(_Asked, kw_only=True):
    prov: str
    city: str
    county: str


def look_up(world: World, lookup: Lookup, arguments: Any) -> Observation:
    """Answer one of the 28 look-ups; bad columns are told before anything is looked for."""
    if lookup.match.rule == "all":
        region = read(arguments, _ByRegion)
        asked: _Asked = region
        values: tuple[str, ...] = (region.prov, region.city, region.county)
    else:
        one = read(arguments, _ByIdentifier)
        asked, values = one, (one.identifier,)
    columns = chosen(lookup.table, asked.columns)
    many = lookup.returns == "list"
    found = world.find(lookup.table, lookup.match, values, first=not many)
    used = None
    if not found and len(values) == 1:
        for used in spellings(values[0]):
            if found := world.find(lookup.table, lookup.match, (used,), first=not many):
                break
    if not found:
        return _nothing(world, lookup, values)
    answer = _answer(lookup, found, columns, asked)
    return answer if used is None else _with_spelling(answer, used)


def chosen(table: Table, columns: list[str] | None) -> tuple[str, ...]:
    """The columns to return; unknown ones are refused with those that there are."""
    wanted = tuple(dict.fromkeys(columns or table.names))
    unknown = [name for name in wanted if name not in table.place]
    if unknown:
        near = {echo(name): difflib.get_close_matches(name[:50], table.names) for name in unknown}
        raise Refused(
            refused(
                Status.BAD_COLUMN,
                f"{table.title}没有这些列：{'、'.join(list(near)[:5])}",
                columns=table.names,
                suggestions={name: close for name, close in near.items() if close},
            )
        )
    return wanted


def _answer(
    lookup: Lookup, found: list[FoundRow], columns: tuple[str, ...], asked: _Asked
) -> Observation:
    table = lookup.table
    if lookup.returns == "name":
        columns = ("公司名称",)
    page = found[asked.offset : asked.offset + asked.limit]
    rows = tuple(project(table, row, columns) for row in page)
    unobserved = sum(hidden(table, row.unseen, columns) for row in page)
    never = dict.fromkeys(
        name for row in page for name in unobserved_columns(table, row.unseen) if name in columns
    )
    shown: dict[str, Any] = (
        {"count": len(found), "offset": asked.offset, "rows": [typed(table, row) for row in rows]}
        if lookup.returns == "list"
        else {"row": typed(table, rows[0])}
        if rows
        else {}
    )
    if lookup.returns == "list" and asked.offset + len(page) < len(found):
        shown["next_offset"] = asked.offset + len(page)
    if never:
        shown["unobserved"] = list(never)
    return said(shown, rows=rows, unobserved=unobserved)


def _with_spelling(answer: Observation, used: str) -> Observation:
    return said(
        {"identifier": used, **answer.value}, rows=answer.rows, unobserved=answer.unobserved
    )


def _nothing(world: World, lookup: Lookup, values: tuple[str, ...]) -> Observation:
    looked = "、".join(lookup.match.columns)
    asked = "、".join(map(echo, values))
    more = {}
    if len(values) == 1 and (near := proposals(world, lookup, values[0])):
        more["suggestions"] = near
    return refused(Status.NO_DATA, f"{lookup.table.title}中没有{looked}为“{asked}”的记录", **more)
