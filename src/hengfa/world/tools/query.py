"""Questions over a whole table: filter, order, count, sum, largest, smallest, mean, by group.

Names of tables and columns are checked against the schema before they become part of a statement;
whatever is compared with goes as a parameter. Amounts are compared as numbers whatever their
spelling, dates as the tables write them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from hengfa.world.tables.cells import MISSING, amount, day, is_number, typed, written
from hengfa.world.tables.schema import Schema, WorldTable
from hengfa.world.tables.world import FRAGMENTS, RECOVERED, UNSEEN, FoundRow, World, quoted
from hengfa.world.tools.catalogue import SOME_ROWS
from hengfa.world.tools.lookups import Limit, Offset, chosen, hidden, project
from hengfa.world.tools.observation import (
    Observation,
    RefusedCall,
    Status,
    echo,
    observe,
    read,
)

MOST_CONDITIONS: Final = 10
_COMPARISONS: Final = {"=": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
_ADDED: Final = frozenset({"sum", "mean"})
_BLANKS: Final = ", ".join(f"'{sign}'" for sign in sorted(MISSING))

Operator = Literal["=", "!=", ">", ">=", "<", "<=", "contains", "starts_with", "year"]


class Condition(msgspec.Struct, forbid_unknown_fields=True):
    """One comparison of a column with a value."""

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
    """The rows that fulfil all conditions."""
    asked = read(arguments, _Filter)
    table = _table(asked.table, world.schema)
    columns = chosen(table, asked.columns)
    where, values = _conditions(table, asked.where)
    order = "id"
    if asked.order_by is not None:
        (column,) = chosen(table, [asked.order_by])
        key = _comparable(table, column)
        direction = "DESC" if asked.descending else "ASC"
        order = f"{key} IS NULL OR {key} IN ({_BLANKS}), {key} {direction}, id"
    cells = ", ".join(map(quoted, table.names))
    total = _ask(world, f'SELECT count(*) FROM "{table.name}" WHERE {where}', values)[0][0]  # noqa: S608
    stored = _ask(
        world,
        f'SELECT {UNSEEN}, {cells} FROM "{table.name}" WHERE {where} ORDER BY {order}'  # noqa: S608
        f" LIMIT {asked.limit} OFFSET {asked.offset}",
        values,
    )
    page = [FoundRow(row[0], row[1:]) for row in stored]
    rows = tuple(project(table, row, columns) for row in page)
    shown = {"count": total, "offset": asked.offset, "rows": [typed(table, row) for row in rows]}
    if asked.offset + len(rows) < total:
        shown["next_offset"] = asked.offset + len(rows)
    status = Status.OK if total else Status.NO_DATA
    unobserved = sum(hidden(table, row.unseen, columns) for row in page)
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
    (column,) = chosen(table, [asked.group_by])
    name = quoted(column)
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
    (column,) = chosen(table, [asked.column])
    key = _comparable(table, column)
    present = f"CASE WHEN {key} IN ({_BLANKS}) THEN NULL ELSE {key} END"
    if asked.operation in _ADDED and not is_number(table.kinds[column]):
        problem = f"参数column：{column}不是数字列"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem, columns=_columns_for(table, asked))
    return {"mean": "avg"}.get(asked.operation, asked.operation) + f"({present})"


def _columns_for(table: WorldTable, asked: _Aggregate) -> list[str]:
    """Those of which there is such a figure."""
    added = asked.operation in _ADDED
    return [name for name in table.names if not added or is_number(table.kinds[name])]


def _table(name: str, schema: Schema) -> WorldTable:
    if name not in schema.table_of:
        problem = f"参数table：没有“{echo(name)}”这张表"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem, tables=list(schema.table_of))
    return schema.table_of[name]


def _comparable(table: WorldTable, column: str) -> str:
    """A column as a number, where it holds numbers."""
    name = quoted(column)
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
    (column,) = chosen(table, [condition.column])
    kind, name, text = table.kinds[column], quoted(column), str(condition.value)
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
        return f"({name} NOT IN ({_BLANKS}) AND {name} {sign} ?)", written(on) if on else text
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
