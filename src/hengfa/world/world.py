"""A legal world, opened for reading: rows by the value of a column, texts by their place.

A file is written once and then only replaced as a whole, so readers need no locks: any number of
threads and processes may use one :class:`World`. Whatever is looked for goes to SQLite as a
parameter; nothing a caller gives becomes part of a statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hengfa.data.sqlite_file import SqliteFile
from hengfa.errors import DataError, UsageError
from hengfa.world.file_format import (
    APPLICATION,
    FORMAT,
    FRAGMENTS,
    selection,
    selection_by_id,
    walk,
)
from hengfa.world.schema import CORPUS_OF, TABLE_OF, TABLES, Match, Table
from hengfa.world.write import Cell


class Found(NamedTuple):
    """A row that was found; bit n of `unseen` says that its column n was never observed."""

    unseen: int
    cells: tuple[Cell, ...]


class World(SqliteFile):
    """14 tables and 3 collections of texts. Use :meth:`open`; close it, or use ``with``."""

    application = APPLICATION
    file_format = FORMAT
    kind = "a world"
    mend = "make it anew with `hengfa world build` or `hengfa world import`"
    statements = 256  # more than there are matches

    @classmethod
    def open(cls, path: Path) -> World:
        """The world in this file; opens at once, however large it is."""
        if not path.is_file():
            raise DataError(
                "there is no world here: `hengfa world build` or `hengfa world import` makes one",
                file=path,
            )
        return cls(path)

    # --- rows ---

    def rows(self, table: str, column: str, value: Cell) -> list[dict[str, Cell]]:
        """All rows whose cell in this column equals the value, in sheet order.

        Cells that were never observed are None here; :meth:`find` tells them from blank ones.
        """
        kind = _table(table)
        if column not in kind.place:
            raise UsageError(f"{table} has no column {column!r}: {', '.join(kind.names)}")
        found = self.find(kind, Match((column,)), (value,))
        return [dict(zip(kind.names, row.cells, strict=True)) for row in found]

    def find(
        self, table: Table, match: Match, values: Sequence[Cell], *, first: bool = False
    ) -> list[Found]:
        """The rows that a match finds in sheet order, or only the first.

        One value is looked for in any of the columns; with the rule "all" there is one for each.
        """
        if self.recorded:
            known = self.recorded.get((table.name, match.columns, tuple(values)))
            if known is not None:
                return self._by_id(table, known[:1] if first else known)
        each = values if match.rule == "all" else (values[0],) * len(match.columns)
        statement = selection(table.name, match.columns, match.rule, first=first)
        try:
            rows = self.connection.execute(statement, each).fetchall()
        except (UnicodeEncodeError, OverflowError, sqlite3.DataError):
            return []  # no cell holds half a character, or more than SQLite can
        return [Found(row[0], row[1:]) for row in rows]

    def all_rows(self, table: str) -> Iterator[dict[str, Cell]]:
        """Every row of a table in sheet order."""
        kind = _table(table)
        for row in self.connection.execute(walk(kind.name)):
            yield dict(zip(kind.names, row[1:], strict=True))

    def count(self, table: str) -> int:
        """How many rows a table has, or texts a collection."""
        name = table if table in CORPUS_OF else _table(table).name
        # ids run from 1 without a gap, so the last one is the number, however many there are
        sql = f'SELECT max(id) FROM "{name}" WHERE id < {FRAGMENTS}'  # noqa: S608 - our own name
        return int(self.connection.execute(sql).fetchone()[0] or 0)

    def unobserved(self, table: str) -> int:
        """How many cells of a table were never observed."""
        sql = f'SELECT _unseen FROM "{_table(table).name}" WHERE _unseen AND id < {FRAGMENTS}'  # noqa: S608
        return sum(int(mask).bit_count() for (mask,) in self.connection.execute(sql))

    # --- texts ---

    def texts(self, corpus: str) -> Iterator[str]:
        """The texts of a collection in their order."""
        if corpus not in CORPUS_OF:
            raise UsageError(f"no collection of texts is called {corpus!r}")
        sql = f'SELECT contents FROM "{corpus}" ORDER BY id'  # noqa: S608 - our own name
        for (text,) in self.connection.execute(sql):
            yield text

    # --- about the file ---

    @cached_property
    def meta(self) -> dict[str, str]:
        """Where the rows come from."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these rows; equal fingerprints mean equal worlds."""
        return self.meta["fingerprint"]

    @property
    def source(self) -> str:
        """`recovered`, `generated`, or what else the rows were made from."""
        return self.meta["source"]

    @cached_property
    def recorded(self) -> dict[tuple[str, tuple[str, ...], tuple[Any, ...]], tuple[int, ...]]:
        """Whole answers that are known, by table, columns and values; empty in most worlds."""
        decode = msgspec.json.Decoder(tuple[str, ...]).decode
        ids = msgspec.json.Decoder(tuple[int, ...]).decode
        return {
            (row[0], decode(row[1]), decode(row[2])): ids(row[3])
            for row in self.connection.execute("SELECT * FROM recorded")
        }

    def _by_id(self, table: Table, ids: Sequence[int]) -> list[Found]:
        sql = selection_by_id(table.name)
        rows = (self.connection.execute(sql, (one,)).fetchone() for one in ids)
        return [Found(row[0], row[1:]) for row in rows]


def unobserved_columns(table: Table, unseen: int) -> tuple[str, ...]:
    """The names of the columns that a row's bits mark."""
    return tuple(name for at, name in enumerate(table.names) if unseen >> at & 1)


def _table(name: str) -> Table:
    if name not in TABLE_OF:
        raise UsageError(f"no table is called {name!r}: {', '.join(t.name for t in TABLES)}")
    return TABLE_OF[name]
