"""The words in which questions speak of tools and columns.

For the published tables they stand in `words.toml`; for tables and tools that were declared the
declaration has them. The functions give those of either.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.world.tables.cells import is_number
from hengfa.world.tables.schema import Column, Entity, Lookup, Schema, WorldTable


class ColumnWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column as something that is asked for."""

    noun: str
    question: str = "是什么"
    whole: str = ""
    unit: str = ""
    before: str = ""
    several: bool = False


class ListWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of a list tool."""

    all: str
    under: str
    one: str
    noun: str
    measure: str
    first: str = ""
    total: str = ""
    has: str = ""
    role: str = ""


class _Situations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    say: tuple[str, ...]
    tables: tuple[str, ...] = ()
    lookups: tuple[str, ...] = ()


class _Styles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    closings: tuple[str, ...]
    about: tuple[str, ...]
    more: tuple[str, ...]
    goals: tuple[str, ...]


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    own: tuple[str, ...]
    frequent: tuple[str, ...]
    names: tuple[str, ...]
    styles: _Styles
    subjects: dict[str, str]
    days: dict[str, tuple[str, str]]
    texts: dict[str, str]
    amounts: dict[str, str]
    dates: dict[str, str]
    conditions: dict[str, str]
    orders: dict[str, str]
    roles: dict[str, str]
    starts: dict[str, str]
    nouns: dict[str, tuple[str, str, str]]
    rows: dict[str, tuple[str, str]]
    links: dict[str, dict[str, str]]
    lists: dict[str, ListWords]
    asked: dict[str, dict[str, ColumnWords]]
    situations: tuple[_Situations, ...]


WORDS: Final = read_toml(Path(__file__).with_name("words.toml"), _Words)
SITUATIONS: Final = {table: one.say for one in WORDS.situations for table in one.tables}
SITUATIONS_OF_LISTS: Final = {name: one.say for one in WORDS.situations for name in one.lookups}

WHO, WHERE, WHICH, MUCH, DAY = "是谁", "在哪里", "是哪家", "是多少", "是哪一天"
RECORD, ON_RECORD = "记录", "载明的"  # what a record is followed by: 终本记录载明的执行法院
REGISTERED: Final = "工商登记的"  # whose details are meant: a listed company has them in two tables
OF_THE_PARENT: Final = frozenset({"上市公司参股比例", "上市公司投资金额"})
"""Columns that need no owner where the parent itself was asked about."""

WHOLLY_OWNED: Final = "全资"
REGION_OF: Final = "所在区县"
COURT_BY_NUMBER: Final = "受理法院"
SHORT_NAME, STOCK_CODE = "证券简称为“{}”的上市公司", "证券代码为{}的上市公司"
COURT_OF_CASE: Final = "{}案的受理法院"


def asked_columns(table: WorldTable) -> Mapping[str, ColumnWords]:
    return _declared_columns(table) if table.declared else WORDS.asked[table.name]


def list_words(lookup: Lookup) -> ListWords:
    return _declared_list(lookup) if lookup.table.declared else WORDS.lists[lookup.name]


def row_words(lookup: Lookup) -> tuple[str, str] | None:
    """The words for one row, where it is more than what was asked about."""
    if not lookup.table.declared:
        return WORDS.rows.get(lookup.name)
    return (lookup.words.rows, lookup.words.rows) if lookup.words.rows else ("{x}案", "{x}")


@lru_cache(maxsize=256)
def amounts(table: WorldTable) -> Mapping[str, str]:
    """The columns by which rows are ranked, summed and filtered, and what they are called."""
    if not table.declared:
        return {column: noun for column, noun in WORDS.amounts.items() if column in table.place}
    return _by_kind(table, "yuan", "money")


@lru_cache(maxsize=256)
def dates(table: WorldTable) -> Mapping[str, str]:
    """What happened on the days of a table: 裁判, and 签订 of a 签订日期."""
    if not table.declared:
        return {column: verb for column, verb in WORDS.dates.items() if column in table.place}
    nouns = _by_kind(table, "date")
    return {
        name: noun.removesuffix("日期").removesuffix("时间").removesuffix("日")
        for name, noun in nouns.items()
    }


def condition_words(table: WorldTable, column: str) -> str:
    if not table.declared:
        return WORDS.conditions[column]
    return table.columns[table.place[column]].condition.removesuffix("的")


def link_words(table: WorldTable, column: str) -> str:
    """What a cell is to its row; nothing where it is the row itself."""
    if not table.declared:
        return WORDS.links.get(table.name, {}).get(column, "")
    if column == table.key[0]:
        return ""
    noun = _noun(table.columns[table.place[column]]) or column
    return f"{noun}{_MEANT.get(table.identifiers[column], '')}"


def start_words(entity: str, schema: Schema) -> str:
    """How what is named is put."""
    if entity in schema.identifier_of:
        return schema.identifier_of[entity].named
    return WORDS.starts.get(entity, "{}")


def nouns(entity: str, schema: Schema) -> tuple[str, str, str]:
    """What a kind is called, where it is first spoken of, and afterwards."""
    if entity not in schema.identifier_of:
        return WORDS.nouns[entity]
    own = schema.identifier_of[entity]
    return own.title, f"一{own.measure}{own.title}", f"这{own.measure}{own.title}"


def situations(lookup: Lookup) -> tuple[str, ...]:
    """Why somebody asks for rows of this look-up."""
    if lookup.table.declared:
        return WORDS.own
    return SITUATIONS_OF_LISTS.get(lookup.name) or SITUATIONS[lookup.table_name]


@lru_cache(maxsize=256)
def _declared_list(lookup: Lookup) -> ListWords:
    said = lookup.words
    every = said.rows.replace("{f}", "")
    return ListWords(
        all=every,
        under=said.rows,
        one=f"一{said.measure}",
        noun=said.one,
        measure=said.measure,
        total=f"{every}总共有多少{said.measure}",
        has=said.has,
    )


@lru_cache(maxsize=256)
def _declared_columns(table: WorldTable) -> dict[str, ColumnWords]:
    return {
        column.name: ColumnWords(
            noun,
            column.question or _question(column),
            unit=column.unit,
            before=column.before,
            several=column.several,
        )
        for column in table.columns
        if (noun := _noun(column))
    }


def _by_kind(table: WorldTable, *kinds: str) -> dict[str, str]:
    asked = _declared_columns(table)
    return {name: words.noun for name, words in asked.items() if table.kinds[name] in kinds}


def _noun(column: Column) -> str:
    """Its name without a unit where nothing else is said: 合同金额 of 合同金额（元）."""
    return column.name.removesuffix("（元）") if column.noun is None else column.noun


_MEANT: Final[Mapping[str, str]] = {
    Entity.SHORT: "所指的公司",
    Entity.CREDIT: "对应的公司",
    Entity.DECISION: "对应的行政处罚",
    Entity.COURT_CODE: "对应的法院",
}
"""What goes on with a code or number is who or what it stands for."""


def _question(column: Column) -> str:
    if column.kind == "date":
        return DAY
    if is_number(column.kind):
        return MUCH
    return _QUESTIONS.get(column.holds, "是什么")


_QUESTIONS: Final[Mapping[str, str]] = {
    Entity.ADDRESS: WHERE,
    **dict.fromkeys((Entity.COMPANY, Entity.COURT, Entity.FIRM), WHICH),
    Entity.AUTHORITY: "是哪个",
}
