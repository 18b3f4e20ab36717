"""Writes a world file: rows as they come, then indexes; it gets its name when it is whole.

The same rows give the same bytes (with the same version of SQLite; the fingerprint does not even
depend on that), whatever the machine and the hour. Rows are streamed: memory does not grow with
their number.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.sqlite_file import new_file
from hengfa.errors import DataError, UsageError
from hengfa.world.file_format import (
    APPLICATION,
    FORMAT,
    FRAGMENTS,
    index_definitions,
    insertion,
    table_definitions,
)
from hengfa.world.schema import CORPORA, CORPUS_OF, TABLE_OF, TABLES, Match, Table

Cell = str | int | float | None
Row = Mapping[str, Cell]
"""Column to cell. None is a blank cell; a column that is not there at all was never observed."""

_AT_ONCE: Final = 2_000
_CACHE_KB: Final = 16_384
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class Recorded(msgspec.Struct, frozen=True):
    """A whole answer that is known, whatever the rows would say.

    `ids` are places in the table, the first row being 1; fragments count from
    :data:`~hengfa.world.file_format.FRAGMENTS` on.
    """

    table: str
    match: Match
    values: tuple[str, ...]
    ids: tuple[int, ...]


def write_world(
    file: Path,
    tables: Mapping[str, Iterable[Row]],
    corpora: Mapping[str, Iterable[str]],
    *,
    source: str,
    note: str = "",
    fragments: Mapping[str, Iterable[Row]] | None = None,
    recorded: Iterable[Recorded] = (),
) -> None:
    """Write all rows in their order; a table or collection that is not given stays empty.

    Tables are read one after the other in the order of the schema, each from start to end.
    `source` says in a word where the rows come from, `note` is for people.
    """
    for name in (*tables, *(fragments or {})):
        if name not in TABLE_OF:
            raise UsageError(f"no table is called {name!r}: {', '.join(TABLE_OF)}")
    for name in corpora:
        if name not in CORPUS_OF:
            raise UsageError(f"no collection of texts is called {name!r}: {', '.join(CORPUS_OF)}")
    with new_file(file, APPLICATION, FORMAT) as connection:
        connection.executescript(f"PRAGMA cache_size = -{_CACHE_KB};{table_definitions()}")
        writer = _Writer(connection, source)
        with connection:
            for table in TABLES:
                writer.rows(table, tables.get(table.name, ()), 1)
                writer.rows(table, (fragments or {}).get(table.name, ()), FRAGMENTS)
            for corpus in CORPORA:
                writer.texts(corpus.name, corpora.get(corpus.name, ()))
            writer.recorded(recorded)
            writer.meta({"source": source, "note": note})
        connection.executescript(index_definitions())


class _Writer:
    """Puts rows into the file and into the fingerprint."""

    def __init__(self, connection: sqlite3.Connection, source: str) -> None:
        self.connection = connection
        self.source = source
        self.digest = hashlib.blake2b(digest_size=16)
        self.encode = msgspec.json.Encoder().encode

    def rows(self, table: Table, rows: Iterable[Row], start: int) -> None:
        statement = insertion(table)
        self._many(table.name, statement, self._cells(table, rows, start))

    def texts(self, name: str, texts: Iterable[str]) -> None:
        statement = f'INSERT INTO "{name}" VALUES (?, ?)'  # noqa: S608 - a name of our schema
        self._many(name, statement, enumerate(texts, 1))

    def recorded(self, answers: Iterable[Recorded]) -> None:
        listed = (
            (
                one.table,
                *(
                    msgspec.json.encode(part).decode()
                    for part in (one.match.columns, one.values, one.ids)
                ),
            )
            for one in answers
        )
        self._many("recorded", "INSERT INTO recorded VALUES (?, ?, ?, ?)", listed)

    def meta(self, said: Mapping[str, str]) -> None:
        rows = {**said, "fingerprint": self.digest.hexdigest()}
        self.connection.executemany("INSERT INTO meta VALUES (?, ?)", rows.items())

    def _many(self, name: str, statement: str, rows: Iterable[tuple[Cell, ...]]) -> None:
        self.digest.update(f"{name}\n".encode())
        stream = iter(rows)
        while chunk := list(islice(stream, _AT_ONCE)):
            try:
                self.digest.update(self.encode(chunk))
                self.connection.executemany(statement, chunk)
            except UnicodeEncodeError as error:
                raise self._wrong("a text with half a character", name, chunk) from error

    def _cells(self, table: Table, rows: Iterable[Row], start: int) -> Iterator[tuple[Cell, ...]]:
        names, place = table.names, table.place
        for number, row in enumerate(rows, start):
            unseen = 0
            if len(row) < len(names):
                unseen = sum(1 << at for at, name in enumerate(names) if name not in row)
            cells = [row.get(name) for name in names]
            if len(row) + unseen.bit_count() > len(names):
                unknown = next(name for name in row if name not in place)
                raise DataError(
                    f"{table.name} has no such column",
                    file=self.source,
                    row=number,
                    field=unknown,
                )
            for at, cell in enumerate(cells):
                kind = type(cell)
                if kind is str or cell is None:
                    continue
                if kind is float:
                    if not math.isfinite(cell):  # type: ignore[arg-type]
                        cells[at] = None
                elif kind is not int or not _SMALLEST <= cell <= _LARGEST:  # type: ignore[operator]
                    raise DataError(
                        f"{table.name} cannot hold this {kind.__name__}",
                        file=self.source,
                        row=number,
                        field=names[at],
                    )
            yield (number, unseen, *cells)

    def _wrong(self, problem: str, name: str, chunk: list[tuple[Cell, ...]]) -> DataError:
        for row in chunk:
            for cell in row:
                try:
                    str(cell).encode()
                except UnicodeEncodeError:
                    return DataError(f"{problem} in {name}", file=self.source, row=row[0])  # type: ignore[arg-type]
        raise AssertionError(name)
