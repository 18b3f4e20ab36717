"""The SQLite file of a world: its tables, its indexes, and the questions that are put to it.

Cells keep the type they have (columns have no declared type: ``'740564'`` stays a text and
``740564.0`` a float, as the real tables mix them). Sheet order is the order of ``id``. ``_unseen``
has one bit for each column of which nobody knows what the row has there; see
:mod:`hengfa.world.recovered`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from hengfa.world.schema import CORPORA, TABLE_OF, TABLES, Rule, Table

FORMAT: Final = 1
"""A file of another format is built anew."""

APPLICATION: Final = 0x48465744  # "HFWD"; tells `file` and us what this is

FRAGMENTS: Final = 1 << 40
"""Rows from this id on are fragments: seen in one recorded answer, in columns that do not tell
which row it was. Only that answer shows them."""

UNSEEN: Final = "_unseen"

OTHER_TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE recorded (
    "table" TEXT NOT NULL, "columns" TEXT NOT NULL, "values" TEXT NOT NULL, ids TEXT NOT NULL,
    PRIMARY KEY ("table", "columns", "values")) WITHOUT ROWID;
"""
"""``recorded`` holds whole answers that are known: lists as JSON, ``[]`` for a known miss."""


def table_definitions() -> str:
    """All tables, empty."""
    tables = [
        f'CREATE TABLE "{table.name}" (id INTEGER PRIMARY KEY, {UNSEEN},'
        f" {', '.join(map(quoted, table.names))});"
        for table in TABLES
    ]
    corpora = [
        f'CREATE TABLE "{corpus.name}" (id INTEGER PRIMARY KEY, contents);' for corpus in CORPORA
    ]
    return OTHER_TABLES + "\n".join(tables + corpora)


def index_definitions() -> str:
    """An index for every match; made when all rows are in, which is faster."""
    found = []
    for table in TABLES:
        for match in table.matches:
            groups = [match.columns] if match.rule == "all" else [(one,) for one in match.columns]
            for columns in groups:
                name = quoted(f"{table.name}_by_{'_'.join(columns)}")
                listed = ", ".join(map(quoted, columns))
                found.append(f'CREATE INDEX {name} ON "{table.name}" ({listed});')
    return "\n".join(found)


def insertion(table: Table) -> str:
    """The statement that takes id, `_unseen` and the cells."""
    marks = ", ".join("?" * (len(table.names) + 2))
    return f'INSERT INTO "{table.name}" VALUES ({marks})'  # noqa: S608 - a name of our schema


@cache
def selection(table: str, columns: tuple[str, ...], rule: Rule, *, first: bool) -> str:
    """The rows that a match finds in sheet order, or the first of them.

    Values are parameters: one for each column. With several columns of which any may match, each
    index is asked on its own and the ids are put together, because a plain OR with ORDER BY lets
    SQLite walk the table. The plus sign keeps it from walking the table by id as well. Only names
    of the schema are put into a statement.
    """
    limit = " LIMIT 1" if first else ""
    if rule == "all" or len(columns) == 1:
        found = f"{_equal(columns)} AND +id < {FRAGMENTS}"
        return f"{_all_cells(table)} WHERE {found} ORDER BY id{limit}"
    ids = " UNION ".join(
        f'SELECT id FROM "{table}" WHERE {_equal((column,))} AND +id < {FRAGMENTS}'  # noqa: S608
        for column in columns
    )
    wanted = f"= (SELECT min(id) FROM ({ids}))" if first else f"IN ({ids})"  # noqa: S608
    return f"{_all_cells(table)} WHERE id {wanted} ORDER BY id"


@cache
def selection_by_id(table: str) -> str:
    """One row."""
    return f"{_all_cells(table)} WHERE id = ?"


def walk(table: str) -> str:
    """All rows in sheet order."""
    return f"{_all_cells(table)} WHERE id < {FRAGMENTS} ORDER BY id"


def _all_cells(table: str) -> str:
    listed = ", ".join(map(quoted, TABLE_OF[table].names))
    return f'SELECT {UNSEEN}, {listed} FROM "{table}"'  # noqa: S608 - names of our schema


def _equal(columns: tuple[str, ...]) -> str:
    return " AND ".join(f"{quoted(column)} = ?" for column in columns)


def quoted(name: str) -> str:
    """A column of the schema as SQLite writes names; never used on what a caller gave."""
    return f'"{name}"'
