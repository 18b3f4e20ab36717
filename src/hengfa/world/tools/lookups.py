"""The 28 look-ups, as published and with typed rows, paging and errors that help; whole tables.

Published (legalagentbench.md 3): the row is looked for before the columns are checked, so a
wrong column on an unknown identifier says "no data"; a blank cell is `nan`; quotes are single.

Helpful: a fifth to a half of the look-ups in published runs found nothing, most of them for a
bracket, a blank or an abbreviation. Width, blanks and brackets are folded and looked up at once;
else names that mean the same are proposed, and then the nearest values of the column. Strong models
mostly asked the wrong table: tools that know the identifier, and have the columns, are named.
"""

from __future__ import annotations

import difflib
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from rapidfuzz import fuzz, process

from hengfa.world.tables.cells import MISSING, amount, day, is_number, type_cells, write_date
from hengfa.world.tables.schema import LOOKUP_OF, REGION, Lookup, Schema, WorldTable
from hengfa.world.tables.world import (
    FRAGMENTS,
    RECOVERED,
    UNSEEN,
    Cell,
    FoundRow,
    World,
    quote_name,
    unobserved_columns,
)
from hengfa.world.tools.catalogue import MOST_ROWS, SOME_ROWS
from hengfa.world.tools.observation import (
    BAD_CALL,
    BAD_COLUMN,
    NO_DATA,
    Observation,
    RefusedCall,
    Status,
    echo,
    observe,
    read,
    refusal_of,
)

_BLANK: Final = float("nan")
NAME: Final = "公司名称"
BAD_CALL_SEEN: Final = Observation(BAD_CALL, Status.BAD_ARGUMENTS)
_NO_DATA_SEEN: Final = Observation(NO_DATA, Status.NO_DATA)
_BAD_COLUMN_SEEN: Final = Observation(BAD_COLUMN, Status.BAD_COLUMN)


def strict_look_up(world: World, lookup: Lookup, arguments: Any) -> Observation:
    given = arguments if isinstance(arguments, dict) else {}
    values = [given.get(name) for name in lookup.arguments]
    if not all(isinstance(value, str) for value in values):
        return BAD_CALL_SEEN
    matched = world.find(lookup.table, lookup.match, values, first=lookup.returns != "list")
    if not matched:
        return _NO_DATA_SEEN
    columns = (NAME,) if lookup.returns == "name" else given.get("columns") or lookup.table.names
    table = lookup.table
    try:
        if not all(column in table.place for column in columns):
            return _BAD_COLUMN_SEEN
    except TypeError:  # not a list, or a column that is a list itself
        return BAD_CALL_SEEN
    wanted = tuple(dict.fromkeys(columns))
    unobserved = sum(count_hidden(table, row.unseen, wanted) for row in matched if row.unseen)
    rows = tuple(project(table, row, wanted) for row in matched)
    printed = [
        {name: _BLANK if cell is None else cell for name, cell in row.items()}
        if None in row.values()
        else row
        for row in rows
    ]
    text: Any = printed if lookup.returns == "list" else printed[0]
    value: Any = list(rows) if lookup.returns == "list" else rows[0]
    if lookup.returns == "name":
        text, value = text.get(NAME), value.get(NAME)
    return Observation(str(text), rows=rows, value=value, unobserved=unobserved)


def project(table: WorldTable, row: FoundRow, columns: tuple[str, ...]) -> dict[str, Cell]:
    """The cells of some columns, in the order in which they were asked for."""
    if columns is table.names or columns == table.names:
        return dict(zip(columns, row.cells, strict=True))
    return {name: row.cells[table.place[name]] for name in columns}


def count_hidden(table: WorldTable, unseen: int, columns: tuple[str, ...]) -> int:
    """How many of these cells were never observed."""
    return sum(unseen >> table.place[name] & 1 for name in columns)


# --- helpful ---

Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _LookupArguments(msgspec.Struct, forbid_unknown_fields=True):
    columns: list[str] | None = None
    limit: Limit = SOME_ROWS
    offset: Offset = 0


class _ByIdentifier(_LookupArguments, kw_only=True):
    identifier: str


class _ByRegion(_LookupArguments, kw_only=True):
    prov: str
    city: str
    county: str


def helpful_look_up(world: World, lookup: Lookup, arguments: Any) -> Observation:
    """Answer one of the 28 look-ups; bad columns are told before anything is looked for."""
    if lookup.match.rule == "all":
        region = read(arguments, _ByRegion)
        asked: _LookupArguments = region
        values: tuple[str, ...] = (region.prov, region.city, region.county)
    else:
        named = read(arguments, _ByIdentifier)
        asked, values = named, (named.identifier,)
    try:
        columns = check_columns(lookup.table, asked.columns)
    except RefusedCall as refusal:
        missing = [name for name in asked.columns or () if name not in lookup.table.place]
        others, schema = _elsewhere(world, lookup, values, missing), world.schema
        holders = {n: [table.name for table in schema.tables if n in table.place] for n in missing}
        found = {echo(name): tables for name, tables in holders.items() if tables}
        return _naming(refusal.observation, others, tables=found)
    many = lookup.returns == "list"
    rows = world.find(lookup.table, lookup.match, values, first=not many)
    used = None
    if not rows and len(values) == 1:
        for used in _spellings(values[0]):
            if rows := world.find(lookup.table, lookup.match, (used,), first=not many):
                break
    if not rows:
        return _nothing(world, lookup, values)
    answer = _answer(lookup, rows, columns, asked)
    if used is None:
        return answer
    value = {"identifier": used, **answer.value}
    return observe(value, rows=answer.rows, unobserved=answer.unobserved)


def check_columns(table: WorldTable, columns: list[str] | None) -> tuple[str, ...]:
    """The columns to return; unknown ones are refused with those that there are."""
    wanted = tuple(dict.fromkeys(columns or table.names))
    unknown = [name for name in wanted if name not in table.place]
    if unknown:
        near = {echo(name): difflib.get_close_matches(name[:50], table.names) for name in unknown}
        raise RefusedCall(
            Status.BAD_COLUMN,
            f"{table.title}没有这些列：{'、'.join(list(near)[:5])}",
            columns=table.names,
            suggestions={name: close for name, close in near.items() if close},
        )
    return wanted


def _answer(
    lookup: Lookup, matched: list[FoundRow], columns: tuple[str, ...], asked: _LookupArguments
) -> Observation:
    table = lookup.table
    if lookup.returns == "name":
        columns = (NAME,)
    page = matched[asked.offset : asked.offset + asked.limit]
    rows = tuple(project(table, row, columns) for row in page)
    unobserved = sum(count_hidden(table, row.unseen, columns) for row in page)
    never = dict.fromkeys(
        name for row in page for name in unobserved_columns(table, row.unseen) if name in columns
    )
    value: dict[str, Any] = {"row": type_cells(table, rows[0])} if rows else {}
    if lookup.returns == "list":
        shown = [type_cells(table, row) for row in rows]
        value = {"count": len(matched), "offset": asked.offset, "rows": shown}
        if asked.offset + len(page) < len(matched):
            value["next_offset"] = asked.offset + len(page)
    if never:
        value["unobserved"] = list(never)
    return observe(value, rows=rows, unobserved=unobserved)


def _nothing(world: World, lookup: Lookup, values: tuple[str, ...]) -> Observation:
    looked = "、".join(lookup.match.columns)
    asked = "、".join(map(echo, values))
    others = _elsewhere(world, lookup, values)
    near: list[Any] = _regions(world, lookup, values) if len(values) > 1 else []
    if len(values) == 1:
        near = _proposals(world, lookup, values[0], known=bool(others))
    more = {"suggestions": near} if near else {}
    problem = f"{lookup.table.title}中没有{looked}为“{asked}”的记录"
    return _naming(refusal_of(Status.NO_DATA, problem, **more), others)


def _elsewhere(
    world: World, lookup: Lookup, values: tuple[str, ...], missing: Sequence[str] = ()
) -> list[str]:
    """The other tools that know what was asked about, and have the columns that this one lacks."""
    return [
        other.name
        for other in world.schema.lookups
        if other is not lookup
        and other.arguments == lookup.arguments
        and all(name in other.table.place for name in missing)
        and not (missing and other.returns == "name")
        and world.find(other.table, other.match, values, first=True)
    ]


def _naming(refusal: Observation, others: list[str], **more: Any) -> Observation:
    value = {**refusal.value, **more}
    if others:
        value["message"] = f"{value['message']}；elsewhere中的工具查得到"
        value["elsewhere"] = others
    return observe(value, refusal.status)


# --- other spellings of an identifier, and identifiers that are near it ---

_LONGEST: Final = 120
_MOST_VALUES: Final = 100_000
_NEAR_ENOUGH: Final = 60.0
_PROPOSALS: Final = 3
_ROUND: Final = str.maketrans("()[]〔〕【】［］", "（）" * 5)
_BOOK: Final = str.maketrans("()[]（）【】［］", "〔〕" * 5)
_QUOTES: Final = "\"'“”‘’《》「」『』`"

_ALIASES: Final = {
    "get_company_info": "公司名称",
    "get_court_code": "法院名称",
    "get_lawfirm_info": "律师事务所名称",
    "get_company_register_name": "公司名称",
}
"""Look-ups that turn a short name or code into the full name."""


def _spellings(identifier: str) -> Iterator[str]:
    """Other ways to write the same: without blanks and quotes, brackets wide, digits narrow."""
    if len(identifier) > _LONGEST:
        return
    bare = "".join(unicodedata.normalize("NFKC", identifier).split()).strip(_QUOTES)
    seen = {identifier, ""}
    for form in (bare.translate(_ROUND), bare, bare.translate(_BOOK), bare.upper()):
        for whole in (form, f"{form}号"):
            if whole not in seen:
                seen.add(whole)
                yield whole


def _proposals(world: World, lookup: Lookup, identifier: str, *, known: bool) -> list[str]:
    """Identifiers that the agent may have meant, the likeliest first.

    What other tools know is written rightly, and what only looks like it is something else; but a
    court may have its province in one table and not in another.
    """
    if not identifier.strip() or len(identifier) > _LONGEST:
        return []
    names: dict[str, None] = {}
    for name, column in _ALIASES.items():
        known_as = LOOKUP_OF[name]
        for row in world.find(known_as.table, known_as.match, (identifier,), first=True):
            full = row.cells[known_as.table.place[column]]
            if isinstance(full, str):
                names[full] = None
    for column in lookup.match.columns:
        values = _values(world, lookup.table_name, column, identifier)
        if known:
            values = [value for value in values if value in identifier or identifier in value]
        near = process.extract(
            identifier, values, scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH, limit=_PROPOSALS
        )
        names.update(dict.fromkeys(value for value, _, _ in near))
    names.pop(identifier, None)
    return list(names)[:_PROPOSALS]


def _regions(world: World, lookup: Lookup, values: tuple[str, ...]) -> list[dict[str, Cell]]:
    """The nearest regions that the table has."""
    asked = "".join(values)
    if not asked.strip() or len(asked) > _LONGEST:
        return []
    names = ", ".join(map(quote_name, lookup.match.columns))
    sql = f'SELECT DISTINCT {names} FROM "{lookup.table_name}" WHERE id < {FRAGMENTS}'  # noqa: S608
    regions = {"".join(map(str, row)): row for row in world.connection.execute(sql)}
    near = process.extract(
        asked, list(regions), scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH, limit=_PROPOSALS
    )
    return [dict(zip(REGION, regions[name], strict=True)) for name, _, _ in near]


def _values(world: World, table: str, column: str, identifier: str) -> list[str]:
    """What the column holds; in a large table only what begins with the same character."""
    name = quote_name(column)
    sql = f'SELECT DISTINCT {name} FROM "{table}" WHERE id < {FRAGMENTS}'  # noqa: S608 - our names
    bounds: tuple[str, ...] = ()
    if world.count(table) > _MOST_VALUES:
        sql += f" AND {name} >= ? AND {name} < ?"
        bounds = (identifier[:2], identifier[:2] + "\U0010ffff")
    try:
        rows = world.connection.execute(f"{sql} LIMIT {_MOST_VALUES}", bounds).fetchall()
    except UnicodeEncodeError:
        return []
    return [value for (value,) in rows if isinstance(value, str)]


# --- questions over a whole table: filter, order, count, sum, largest, smallest, mean, by group ---
#
# Names of tables and columns are checked against the schema before they become part of a statement;
# whatever is compared with goes as a parameter. Amounts are compared as numbers whatever their
# spelling, dates as the tables write them.


MOST_CONDITIONS: Final = 10
_COMPARISONS: Final = {"=": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
_ADDED: Final = frozenset({"sum", "mean"})
_BLANKS: Final = ", ".join(f"'{sign}'" for sign in sorted(MISSING))

Operator = Literal["=", "!=", ">", ">=", "<", "<=", "contains", "starts_with", "year"]


class Condition(msgspec.Struct, forbid_unknown_fields=True):
    column: str
    operator: Operator
    value: str | int | float


class _Filter(msgspec.Struct, forbid_unknown_fields=True):
    table: str
    where: list[Condition] = []
    columns: list[str] | None = None
    order_by: str | None = None
    descending: bool = False
    limit: Limit = SOME_ROWS
    offset: Offset = 0


class _Aggregate(msgspec.Struct, forbid_unknown_fields=True):
    table: str
    operation: Literal["count", "sum", "max", "min", "mean"]
    column: str | None = None
    where: list[Condition] = []
    group_by: str | None = None
    limit: Limit = SOME_ROWS


def filter_rows(world: World, arguments: Any) -> Observation:
    asked = read(arguments, _Filter)
    table = _table(asked.table, world.schema)
    columns = check_columns(table, asked.columns)
    where, values = _conditions(table, asked.where)
    order = "id"
    if asked.order_by is not None:
        (column,) = check_columns(table, [asked.order_by])
        key = _comparable(table, column)
        direction = "DESC" if asked.descending else "ASC"
        order = f"{key} IS NULL OR {key} IN ({_BLANKS}), {key} {direction}, id"
    cells = ", ".join(map(quote_name, table.names))
    total = _ask(world, f'SELECT count(*) FROM "{table.name}" WHERE {where}', values)[0][0]  # noqa: S608
    stored = _ask(
        world,
        f'SELECT {UNSEEN}, {cells} FROM "{table.name}" WHERE {where} ORDER BY {order}'  # noqa: S608
        f" LIMIT {asked.limit} OFFSET {asked.offset}",
        values,
    )
    page = [FoundRow(row[0], row[1:]) for row in stored]
    rows = tuple(project(table, row, columns) for row in page)
    typed = [type_cells(table, row) for row in rows]
    shown = {"count": total, "offset": asked.offset, "rows": typed}
    if asked.offset + len(rows) < total:
        shown["next_offset"] = asked.offset + len(rows)
    status = Status.OK if total else Status.NO_DATA
    unobserved = sum(count_hidden(table, row.unseen, columns) for row in page)
    return observe(shown | _caution(world), status, rows=rows, unobserved=unobserved)


def aggregate_rows(world: World, arguments: Any) -> Observation:
    """One figure over all rows that fulfil the conditions, or one for each group."""
    asked = read(arguments, _Aggregate)
    table = _table(asked.table, world.schema)
    where, values = _conditions(table, asked.where)
    figure = _figure(table, asked)
    if asked.group_by is None:
        sql = f'SELECT {figure}, count(*) FROM "{table.name}" WHERE {where}'  # noqa: S608
        value, rows = _ask(world, sql, values)[0]
        return observe({"value": _round(value), "rows": rows} | _caution(world))
    (column,) = check_columns(table, [asked.group_by])
    name = quote_name(column)
    sql = (
        f'SELECT {name}, {figure}, count(*), count(*) OVER () FROM "{table.name}" WHERE {where}'  # noqa: S608
        f" GROUP BY {name} ORDER BY 2 DESC, 1 LIMIT {asked.limit}"
    )
    lines = _ask(world, sql, values)
    groups = [{column: key, "value": _round(value), "rows": rows} for key, value, rows, _ in lines]
    total = lines[0][3] if lines else 0
    return observe({"groups": groups, "count": total} | _caution(world))


def _figure(table: WorldTable, asked: _Aggregate) -> str:
    if asked.column is None:
        if asked.operation == "count":
            return "count(*)"
        problem = "参数column：除计数外都要给出列名"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem, columns=_columns_for(table, asked))
    (column,) = check_columns(table, [asked.column])
    key = _comparable(table, column)
    present = f"CASE WHEN {key} IN ({_BLANKS}) THEN NULL ELSE {key} END"
    if asked.operation in _ADDED and not is_number(table.kinds[column]):
        problem = f"参数column：{column}不是数字列"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem, columns=_columns_for(table, asked))
    return {"mean": "avg"}.get(asked.operation, asked.operation) + f"({present})"


def _columns_for(table: WorldTable, asked: _Aggregate) -> list[str]:
    added = asked.operation in _ADDED
    return [name for name in table.names if not added or is_number(table.kinds[name])]


def _table(name: str, schema: Schema) -> WorldTable:
    if name not in schema.table_of:
        problem = f"参数table：没有“{echo(name)}”这张表"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem, tables=list(schema.table_of))
    return schema.table_of[name]


def _comparable(table: WorldTable, column: str) -> str:
    """A column as a number, where it holds numbers."""
    name = quote_name(column)
    return f"amount({name})" if is_number(table.kinds[column]) else name


def _conditions(table: WorldTable, conditions: Sequence[Condition]) -> tuple[str, list[Any]]:
    if len(conditions) > MOST_CONDITIONS:
        raise RefusedCall(Status.BAD_ARGUMENTS, f"参数where：最多{MOST_CONDITIONS}个条件")
    parts, values = [f"id < {FRAGMENTS}"], []
    for condition in conditions:
        part, value = _condition(table, condition)
        parts.append(part)
        values.append(value)
    return " AND ".join(parts), values


def _condition(table: WorldTable, condition: Condition) -> tuple[str, Any]:
    (column,) = check_columns(table, [condition.column])
    kind, name, text = table.kinds[column], quote_name(column), str(condition.value)
    if condition.operator == "contains":
        return f"instr({name}, ?) > 0", text
    if condition.operator == "starts_with":
        return f"substr({name}, 1, {len(text)}) = ?", text
    if condition.operator == "year":
        return f"substr({name}, 1, 4) = ?", text.removesuffix("年")
    sign = _COMPARISONS[condition.operator]
    if is_number(kind):
        number = amount(condition.value)
        if number is None:
            problem = f"{column}是数字列，“{echo(text)}”不是数字"
            raise RefusedCall(Status.BAD_ARGUMENTS, f"参数where：{problem}")
        return f"amount({name}) {sign} ?", number
    if kind == "date":
        on = day(text)
        return f"({name} NOT IN ({_BLANKS}) AND {name} {sign} ?)", write_date(on) if on else text
    return f"{name} {sign} ?", text


def _ask(world: World, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    connection = world.connection
    connection.create_function("amount", 1, amount, deterministic=True)
    try:
        return connection.execute(sql, values).fetchall()
    except (UnicodeEncodeError, OverflowError, sqlite3.DataError) as error:
        raise RefusedCall(Status.BAD_ARGUMENTS, "参数where：这个值无法比较") from error


def _round(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _caution(world: World) -> dict[str, Any]:
    """A recovered world has only some of the rows, so figures over a table are of those only."""
    return {"complete": False} if world.source == RECOVERED else {}
