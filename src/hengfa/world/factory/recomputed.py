"""Every answer a second time, by plain SQL and arithmetic that share nothing with `follow`.

Only the plan and the schema are shared. Rows are those that the cells name: whole cells, and cells
that list several names. The published tools compare whole cells, so an agent that asks for a law
firm does not see the cases in which it is one of two. Where that changes the answer, what the tools
show and what the cells say differ, and the factory makes no task of it.

The same computation without filters and selectors, taking the first row of every list, tells
whether the conditions of a question matter at all.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, Final

import msgspec

from hengfa.world.factory.task import Filter, Hop, Pick, Plan
from hengfa.world.tables.schema import PUBLISHED, Entity, Lookup, Schema, WorldTable
from hengfa.world.tables.world import FRAGMENTS

_Row = dict[str, Any]
_Choose = Callable[[list[_Row], Pick | None], _Row]
_ID: Final = "id"
_MEASURES: Final = {"SubCompanyInfo": "家", "CourtInfo": "家", "LawfirmInfo": "家"}
_SAID: Final = {
    "业务量排名": "第{}名",
    "服务已上市公司": "{}家",
    "报告期间所服务上市公司违规事件": "{}起",
    "报告期所服务上市公司接受立案调查": "{}起",
    "参保人数": "{}人",
    "上市公司参股比例": "{}%",
}
_SEVERAL: Final = frozenset(
    {"原告", "被告", "原告律师事务所", "被告律师事务所", "申请人", "疑似申请执行人"}
)
_BLANK: Final = frozenset({"", "-", "--", "无", "nan", "None"})
# "9000万", "1.06亿元", "740564"; not "约9000万"
_NUMBER: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)([万亿]?)元?\s*")
# "2020年01月31日", "2020-1-31"; not "2020年1月"
_DAY: Final = re.compile(r"\s*([0-9]{4})[年./-]([0-9]{1,2})[月./-]([0-9]{1,2})日?\s*")
# "霜0102" in "（2021）霜0102民初2号"
_COURT: Final = re.compile(r"（[0-9]{4}）(最高法|[一-鿿][0-9]*)")
_MENTIONED: Final = re.compile(r"[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日")
_UNITS: Final = {"": 1, "万": 10**4, "亿": 10**8}


class Unclear(Exception):
    """The rows do not give one answer."""


class Recomputation:
    """Answers plans over the tables of one world."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema = PUBLISHED) -> None:
        self._connection = connection
        self._lookup_of = schema.lookup_of
        self._listed: dict[tuple[str, str], dict[str, list[int]]] = {}

    def keys(self, plan: Plan, *, heedless: bool = False) -> tuple[str, ...] | None:
        """The answer, or None where there is not one. `heedless` passes over all conditions."""
        if heedless:
            bare = tuple(msgspec.structs.replace(hop, filters=()) for hop in plan.hops)
            plan = msgspec.structs.replace(plan, hops=bare)
        try:
            return self._keys(plan, _first if heedless else _choose)
        except (Unclear, ArithmeticError, ValueError):
            return None

    def _keys(self, plan: Plan, choose: _Choose) -> tuple[str, ...]:
        values = plan.start.values
        if plan.start.entity == Entity.CASE and plan.hops[0].tool == "get_court_code":
            values = (_court(values[0]),)
        for hop in plan.hops[:-1]:
            kept = self._counting(hop, values)
            if hop.each:
                names, last = [_name(row[hop.link[0]]) for row in kept], plan.hops[-1].tool
                counts = [len(self._rows(last, (name,))) for name in dict.fromkeys(names)]
                if plan.ask.kind == "each_total":
                    return (f"{sum(counts)}{_measure(self._lookup_of[last])}",)
                return (f"{sum(map(bool, counts))}{_measure(self._lookup_of[hop.tool])}",)
            row = choose(kept, hop.pick)
            values = tuple(_name(row[column]) for column in hop.link)
            values = (_court(values[0]),) if hop.cut else values
        return self._answer(plan, values, choose)

    def _rows(self, tool: str, values: tuple[str, ...]) -> list[_Row]:
        lookup = self._lookup_of[tool]
        table, columns = lookup.table_name, lookup.match.columns
        together = lookup.match.rule == "all"
        wanted = (" AND " if together else " OR ").join(f'"{column}" = ?' for column in columns)
        given = list(values if together else values * len(columns))
        rows = {row[_ID]: row for row in self._select(table, wanted, given)}
        for column in () if together else columns:
            for number in self._in_lists(table, column).get(values[0], ()):
                rows[number] = _only(self._select(table, "id = ?", [number]))
        return [rows[number] for number in sorted(rows)]

    def _select(self, table: str, wanted: str, given: list[Any]) -> list[_Row]:
        sql = f'SELECT * FROM "{table}" WHERE ({wanted}) AND +id < {FRAGMENTS}'  # noqa: S608
        cursor = self._connection.execute(sql, given)
        names = [name for name, *_ in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def _in_lists(self, table: str, column: str) -> dict[str, list[int]]:
        """The rows whose cell lists a name among others; every cell is read, once."""
        found = self._listed.get((table, column))
        if found is None:
            found = self._listed[table, column] = defaultdict(list)
            sql = (
                f'SELECT id, "{column}" FROM "{table}"'  # noqa: S608 - names of our schema
                f""" WHERE instr("{column}", ',') > 0 AND id < {FRAGMENTS}"""
            )
            for number, cell in self._connection.execute(sql):
                for name in _names(cell):
                    found[name].append(number)
        return found

    def _counting(self, hop: Hop, values: tuple[str, ...]) -> list[_Row]:
        found = self._rows(hop.tool, values)
        return [row for row in found if all(_keeps(row, one, values[0]) for one in hop.filters)]

    def _answer(self, plan: Plan, values: tuple[str, ...], choose: _Choose) -> tuple[str, ...]:
        hop, ask = plan.hops[-1], plan.ask
        kept = self._counting(hop, values)
        if ask.kind == "listed":
            return ("已上市" if kept else "未上市",)
        if ask.kind in ("count", "sum", "share", "names"):
            return _of_all(plan, self._lookup_of[hop.tool], kept, values[0])
        row = choose(kept, hop.pick)
        if ask.kind == "mentions":
            return (_only(list(dict.fromkeys(_MENTIONED.findall(str(row["文本摘要"]))))),)
        if ask.kind == "days":
            first, second = (_day(row[column]) for column in ask.columns)
            if first is None or second is None:
                raise Unclear
            return (f"{abs((first - second).days)}天",)
        table = self._lookup_of[hop.tool].table
        return tuple(text for column in ask.columns for text in _cell(table, column, row[column]))


def _choose(rows: list[_Row], pick: Pick | None) -> _Row:
    """The row that a pick means, if it means one."""
    if pick is None:
        only: _Row = _only(rows)
        return only
    if pick.order == "frequent":
        ranked = Counter(name for row in rows for name in _names(row[pick.column])).most_common(2)
        if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            raise Unclear
        return {pick.column: ranked[0][0]}
    read = _day if pick.order in ("latest", "earliest") else _number
    ranked_rows: list[Any] = [
        (value, row) for row in rows if (value := read(row[pick.column])) is not None
    ]
    upwards = pick.order in ("smallest", "earliest")
    ranked_rows.sort(key=lambda pair: pair[0], reverse=not upwards)
    place = 1 if pick.order == "second" else 0
    values = [value for value, _ in ranked_rows]
    if place >= len(values) or values.count(values[place]) > 1:
        raise Unclear
    row: _Row = ranked_rows[place][1]
    return row


def _first(rows: list[_Row], _pick: Pick | None) -> _Row:
    if not rows:
        raise Unclear
    return rows[0]


def has_conditions(plan: Plan) -> bool:
    """Whether a plan chooses among rows anywhere."""
    return any(hop.filters or hop.pick for hop in plan.hops)


def _of_all(plan: Plan, lookup: Lookup, kept: list[_Row], asked: str) -> tuple[str, ...]:
    ask = plan.ask
    if not kept:
        raise Unclear
    if ask.kind == "sum":
        amounts = [_number(row[ask.columns[0]]) for row in kept]
        if None in amounts:
            raise Unclear
        total = sum((amount for amount in amounts if amount is not None), Decimal(0))
        return (_money(lookup.table.kinds[ask.columns[0]], total),)
    if ask.kind == "share" and ask.of is not None:
        part = sum(_keeps(row, ask.of, asked) for row in kept)
        return (f"{Decimal(100 * part) / len(kept):.2f}%",)
    if ask.kind == "names":
        return tuple(dict.fromkeys(_name(row[ask.columns[0]]) for row in kept))
    return (f"{len(kept)}{_measure(lookup)}",)


def _measure(lookup: Lookup) -> str:
    table = lookup.table_name
    counted = "次" if table == "AdministrativeCase" else _MEASURES.get(table, "件")
    return lookup.words.measure or counted


def _cell(table: WorldTable, column: str, value: Any) -> list[str]:
    kind, said = table.kinds[column], table.columns[table.place[column]]
    if said.several if table.declared else column in _SEVERAL:
        return _names(value)
    if kind == "date":
        on = _day(value)
        return [f"{on:%Y}年{on:%m}月{on:%d}日"] if on else []
    if kind == "text":
        return [str(value).strip()]
    amount = _number(value)
    if amount is None:
        raise Unclear
    if kind in ("yuan", "money"):
        return [_money(kind, amount)]
    form = f"{said.before}{{}}{said.unit}" if table.declared else _SAID.get(column, "{}")
    return [form.format(f"{amount.normalize():f}")]


def _money(kind: str, value: Decimal) -> str:
    for unit, name in ((10**8, "亿元"), (10**4, "万元")) if kind == "money" else ():
        if value >= unit and (value * 100) % unit == 0:
            return f"{value / unit:.2f}{name}"
    return f"{value:.2f}元"


def _keeps(row: _Row, one: Filter, asked: str) -> bool:
    value = row[one.column]
    if one.kind == "role":
        return asked in _names(value)
    if one.kind == "year":
        on = _day(value)
        return on is not None and on.year == one.value
    if one.kind == "over":
        return (_number(value) or Decimal(0)) > int(one.value or 0)
    return _number(value) == one.value if isinstance(one.value, int) else value == one.value


def _only(found: list[Any]) -> Any:
    if len(found) != 1:
        raise Unclear
    return found[0]


def _names(cell: object) -> list[str]:
    parts = (part.strip() for part in str(cell or "").split(","))
    return list(dict.fromkeys(part for part in parts if part not in _BLANK))


def _name(cell: object) -> str:
    """A cell with one name, to the letter, as look-ups compare it."""
    if not isinstance(cell, str) or "," in cell or cell.strip() in _BLANK:
        raise Unclear
    return cell


def _number(cell: object) -> Decimal | None:
    found = _NUMBER.fullmatch(str(cell))
    return Decimal(found[1]) * _UNITS[found[2]] if found else None


def _day(cell: object) -> date | None:
    found = _DAY.fullmatch(str(cell))
    return date(*map(int, found.groups())) if found else None


def _court(case: str) -> str:
    found = _COURT.match(case)
    if found is None:
        raise Unclear
    return found[1]
