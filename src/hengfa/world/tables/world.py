"""A legal world in one SQLite file: opened for reading, and written.

Cells keep the type they have (columns have no declared type: ``'740564'`` stays a text and
``740564.0`` a float, as the real tables mix them). Sheet order is the order of ``id``. ``_unseen``
has one bit for each column of which nobody knows what the row has there; see
:mod:`hengfa.world.published.recovered`.

A file is written once and then only replaced as a whole, so readers need no locks: any number of
threads and processes may use one :class:`World`. Whatever is looked for goes to SQLite as a
parameter; nothing a caller gives becomes part of a statement. Names of tables and columns that a
declaration brings do, after :mod:`hengfa.world.tables.declaration` has looked at them; the
declaration is kept in the file, in ``meta``, so that whoever opens it has its tables and tools.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.data.sqlite_file import SqliteFile, new_file
from hengfa.base.errors import DataError, UsageError
from hengfa.world.tables.schema import (
    CORPORA,
    CORPUS_OF,
    PUBLISHED,
    Match,
    Rule,
    Schema,
    WorldTable,
)

if TYPE_CHECKING:
    from hengfa.world.tables.declaration import Declaration

Cell = str | int | float | None
Row = Mapping[str, Cell]
"""Column to cell. None is a blank cell; a column that is not there at all was never observed."""

FORMAT: Final = 1  # a file of another format is built anew
RECOVERED: Final = "recovered"  # the source of the benchmark's own world, and what people call it
APPLICATION: Final = 0x48465744  # "HFWD"; tells `file` and us what this is
FRAGMENTS: Final = 1 << 40
"""Rows from this id on are fragments: seen in one recorded answer, in columns that do not tell
which row it was. Only that answer shows them."""

UNSEEN: Final = "_unseen"

Call = tuple[str, tuple[str, ...], tuple[Any, ...]]
"""A table, the columns in which is looked, and the values."""


class FoundRow(NamedTuple):
    """A row that was found; bit n of `unseen` says that its column n was never observed."""

    unseen: int
    cells: tuple[Cell, ...]


class World(SqliteFile):
    """14 tables, 3 collections of texts, and what was declared. Use :meth:`open`; close it, or use
    ``with``."""

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

    def definitions(self) -> str:
        return _table_definitions(self.schema) + _index_definitions(self.schema)

    @cached_property
    def schema(self) -> Schema:
        """The published tables and look-ups, and those that its declaration brings."""
        connection = self.connection
        is_ours = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"
        if connection.execute(is_ours).fetchone() is None:  # said when tables are checked
            return PUBLISHED
        sql = "SELECT value FROM meta WHERE key = ?"
        found = connection.execute(sql, (_DECLARATION,)).fetchone()
        if found is None:
            return PUBLISHED
        # its tools are made over worlds
        from hengfa.world.tables.declaration import decode_declaration  # noqa: PLC0415

        return decode_declaration(found[0], self.path).schema

    def rows(self, table: str, column: str, value: Cell) -> list[dict[str, Cell]]:
        """All rows whose cell in this column equals the value, in sheet order. Cells that were
        never observed are None here; :meth:`find` tells them from blank ones."""
        kind = _find_table(table, self.schema)
        if column not in kind.place:
            raise UsageError(f"{table} has no column {column!r}: {', '.join(kind.names)}")
        rows = self.find(kind, Match((column,)), (value,))
        return [dict(zip(kind.names, row.cells, strict=True)) for row in rows]

    def find(
        self, table: WorldTable, match: Match, values: Sequence[Cell], *, first: bool = False
    ) -> list[FoundRow]:
        """The rows that a match finds in sheet order, or only the first. One value is looked for in
        any of the columns; with the rule "all" there is one for each."""
        if self.recorded_answers:
            known = self.recorded_answers.get((table.name, match.columns, tuple(values)))
            if known is not None:
                sql = selection_by_id(table.name, table.names)
                ids = known[:1] if first else known
                return [self._row(self.connection.execute(sql, (at,)).fetchone()) for at in ids]
        each = values if match.rule == "all" else (values[0],) * len(match.columns)
        statement = selection(table.name, table.names, match.columns, match.rule, first=first)
        try:
            rows = self.connection.execute(statement, each).fetchall()
        except (UnicodeEncodeError, OverflowError, sqlite3.DataError):
            return []  # no cell holds half a character, or more than SQLite can
        return [self._row(row) for row in rows]

    def all_rows(self, table: str) -> Iterator[dict[str, Cell]]:
        """Every row of a table in sheet order."""
        kind = _find_table(table, self.schema)
        sql = f"{_all_cells(kind.name, kind.names)} WHERE id < {FRAGMENTS} ORDER BY id"
        for row in self.connection.execute(sql):
            yield dict(zip(kind.names, self._row(row).cells, strict=True))

    def count(self, table: str) -> int:
        """How many rows a table has, or texts a collection."""
        name = table if table in CORPUS_OF else _find_table(table, self.schema).name
        # ids run from 1 without a gap, so the last one is the number, however many there are
        sql = f'SELECT max(id) FROM "{name}" WHERE id < {FRAGMENTS}'  # noqa: S608 - our own name
        with self.reading():
            return int(self.connection.execute(sql).fetchone()[0] or 0)

    def unobserved(self, table: str) -> int:
        """How many cells of a table were never observed."""
        name = _find_table(table, self.schema).name
        sql = f'SELECT _unseen FROM "{name}" WHERE _unseen AND id < {FRAGMENTS}'  # noqa: S608
        with self.reading():
            return sum(int(mask).bit_count() for (mask,) in self.connection.execute(sql))

    def texts(self, corpus: str) -> Iterator[str]:
        """The texts of a collection in their order."""
        if corpus not in CORPUS_OF:
            raise UsageError(f"no collection of texts is called {corpus!r}")
        sql = f'SELECT contents FROM "{corpus}" ORDER BY id'  # noqa: S608 - our own name
        for (text,) in self.connection.execute(sql):
            if not isinstance(text, str):
                raise self._damaged(TypeError(f"{corpus} holds what is no text"))
            yield text

    @cached_property
    def meta(self) -> dict[str, str]:
        """Where the rows come from."""
        with self.reading():
            rows = self.connection.execute("SELECT key, value FROM meta").fetchall()
            return msgspec.convert(dict(rows), dict[str, str])

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these rows; equal fingerprints mean equal worlds."""
        with self.reading():
            return self.meta["fingerprint"]

    @property
    def source(self) -> str:
        """`recovered`, `generated`, or what else the rows were made from."""
        with self.reading():
            return self.meta["source"]

    @cached_property
    def recorded_answers(self) -> dict[Call, tuple[int, ...]]:
        """Whole answers that are known, by table, columns and values; empty in most worlds."""
        decode = json_decoder(tuple[str, ...])
        ids = json_decoder(tuple[int, ...])
        with self.reading():
            return {
                (row[0], decode(row[1]), decode(row[2])): ids(row[3])
                for row in self.connection.execute("SELECT * FROM recorded")
            }

    def _row(self, row: tuple[Any, ...] | None) -> FoundRow:
        """The row, if it is there and has cells such as we write."""
        if row is None or type(row[0]) is not int or any(type(cell) is bytes for cell in row):
            raise self._damaged(TypeError("a row that no table has"))
        return FoundRow(row[0], row[1:])


def unobserved_columns(table: WorldTable, unseen: int) -> tuple[str, ...]:
    """The names of the columns that a row's bits mark."""
    return tuple(name for at, name in enumerate(table.names) if unseen >> at & 1)


def _find_table(name: str, schema: Schema) -> WorldTable:
    if name not in schema.table_of:
        raise UsageError(f"no table is called {name!r}: {', '.join(schema.table_of)}")
    return schema.table_of[name]


# --- writing ---

_DECLARATION: Final = "declaration"

_AT_ONCE: Final = 2_000
_CACHE_KB: Final = 16_384
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class RecordedAnswer(msgspec.Struct, frozen=True):
    """A whole answer that is known, whatever the rows would say. `ids` are places in the table, the
    first row being 1; fragments count from :data:`~hengfa.world.tables.world.FRAGMENTS` on."""

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
    recorded: Iterable[RecordedAnswer] = (),
    declared: Declaration | None = None,
) -> None:
    """Write all rows in their order; a table or collection that is not given stays empty.

    The same rows give the same bytes (with the same version of SQLite; the fingerprint does not
    even depend on that), whatever the machine and the hour. Rows are streamed: memory does not grow
    with their number. The file gets its name when it is whole.

    Tables are read one after the other in the order of the schema, each from start to end.
    `source` says in a word where the rows come from, `note` is for people. `declared` brings tables
    beyond the published ones, whose rows are given like theirs.
    """
    schema = declared.schema if declared else PUBLISHED
    for name in (*tables, *(fragments or {})):
        _find_table(name, schema)
    for name in corpora:
        if name not in CORPUS_OF:
            raise UsageError(f"no collection of texts is called {name!r}: {', '.join(CORPUS_OF)}")
    with new_file(file, APPLICATION, FORMAT) as connection:
        connection.executescript(f"PRAGMA cache_size = -{_CACHE_KB};{_table_definitions(schema)}")
        writer = _Writer(connection, source)
        with connection:
            for table in schema.tables:
                writer.rows(table, tables.get(table.name, ()), 1)
                writer.rows(table, (fragments or {}).get(table.name, ()), FRAGMENTS)
            for corpus in CORPORA:
                writer.texts(corpus.name, corpora.get(corpus.name, ()))
            writer.write_answers(recorded)
            said = {_DECLARATION: declared.to_json()} if declared else {}
            writer.meta({"source": source, "note": note}, said)
        connection.executescript(_index_definitions(schema))


class _Writer:
    """Puts rows into the file and into the fingerprint."""

    def __init__(self, connection: sqlite3.Connection, source: str) -> None:
        self.connection = connection
        self.source = source
        self.digest = hashlib.blake2b(digest_size=16)
        self.encode = msgspec.json.Encoder().encode

    def rows(self, table: WorldTable, rows: Iterable[Row], start: int) -> None:
        marks = ", ".join("?" * (len(table.names) + 2))  # id, `_unseen` and the cells
        statement = f'INSERT INTO "{table.name}" VALUES ({marks})'  # noqa: S608 - a name of our schema
        self._many(table.name, statement, self._cells(table, rows, start))

    def texts(self, name: str, texts: Iterable[str]) -> None:
        statement = f'INSERT INTO "{name}" VALUES (?, ?)'  # noqa: S608 - a name of our schema
        self._many(name, statement, enumerate(texts, 1))

    def write_answers(self, answers: Iterable[RecordedAnswer]) -> None:
        def text(part: object) -> str:
            return self.encode(part).decode()

        listed = (
            (one.table, text(one.match.columns), text(one.values), text(one.ids)) for one in answers
        )
        self._many("recorded", "INSERT INTO recorded VALUES (?, ?, ?, ?)", listed)

    def meta(self, said: Mapping[str, str], counting: Mapping[str, str]) -> None:
        """What is said of the file; what is `counting` makes it another one."""
        for name, value in counting.items():
            self.digest.update(f"{name}\n{value}\n".encode())
        rows = {**said, **counting, "fingerprint": self.digest.hexdigest()}
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

    def _cells(
        self, table: WorldTable, rows: Iterable[Row], start: int
    ) -> Iterator[tuple[Cell, ...]]:
        names, place = table.names, table.place
        for number, row in enumerate(rows, start):
            unseen = 0
            if len(row) < len(names):
                unseen = sum(1 << at for at, name in enumerate(names) if name not in row)
            cells = [row.get(name) for name in names]
            if len(row) + unseen.bit_count() > len(names):
                unknown = next(name for name in row if name not in place)
                problem = f"{table.name} has no such column"
                raise DataError(problem, file=self.source, row=number, field=unknown)
            for at, cell in enumerate(cells):
                kind = type(cell)
                if kind is str or cell is None:
                    continue
                if kind is float:
                    if not math.isfinite(cell):  # type: ignore[arg-type]
                        cells[at] = None
                elif kind is not int or not _SMALLEST <= cell <= _LARGEST:  # type: ignore[operator]
                    problem = f"{table.name} cannot hold this {kind.__name__}"
                    raise DataError(problem, file=self.source, row=number, field=names[at])
            yield (number, unseen, *cells)

    def _wrong(self, problem: str, name: str, chunk: list[tuple[Cell, ...]]) -> DataError:
        for row in chunk:
            for cell in row:
                try:
                    str(cell).encode()
                except UnicodeEncodeError:
                    return DataError(f"{problem} in {name}", file=self.source, row=row[0])  # type: ignore[arg-type]
        raise AssertionError(name)


# --- statements ---

_OTHER_TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE recorded (
    "table" TEXT NOT NULL, "columns" TEXT NOT NULL, "values" TEXT NOT NULL, ids TEXT NOT NULL,
    PRIMARY KEY ("table", "columns", "values")) WITHOUT ROWID;
"""
"""``recorded`` holds whole answers that are known: lists as JSON, ``[]`` for a known miss."""


def _table_definitions(schema: Schema) -> str:
    """All tables, empty."""
    tables = [
        f'CREATE TABLE "{table.name}" (id INTEGER PRIMARY KEY, {UNSEEN},'
        f" {', '.join(map(quote_name, table.names))});"
        for table in schema.tables
    ]
    corpora = [
        f'CREATE TABLE "{corpus.name}" (id INTEGER PRIMARY KEY, contents);' for corpus in CORPORA
    ]
    return _OTHER_TABLES + "\n".join(tables + corpora)


def _index_definitions(schema: Schema) -> str:
    """An index for every match; made when all rows are in, which is faster."""
    statements = []
    for table in schema.tables:
        for match in table.matches:
            each = ((column,) for column in match.columns)
            for columns in (match.columns,) if match.rule == "all" else each:
                name = quote_name(f"{table.name}_by_{'_'.join(columns)}")
                listed = ", ".join(map(quote_name, columns))
                statements.append(f'CREATE INDEX {name} ON "{table.name}" ({listed});')
    return "\n".join(dict.fromkeys(statements))  # tools of a declaration may share a column


@cache
def selection(
    table: str, names: tuple[str, ...], columns: tuple[str, ...], rule: Rule, *, first: bool
) -> str:
    """The rows that a match finds in sheet order, or the first of them; `names` are all columns.

    Values are parameters: one for each column. With several columns of which any may match, each
    index is asked on its own and the ids are put together, because a plain OR with ORDER BY lets
    SQLite walk the table. The plus sign keeps it from walking the table by id as well. Only names
    of the schema are put into a statement.
    """
    limit = " LIMIT 1" if first else ""
    if rule == "all" or len(columns) == 1:
        wanted = f"{_equal(columns)} AND +id < {FRAGMENTS}"
        return f"{_all_cells(table, names)} WHERE {wanted} ORDER BY id{limit}"
    ids = " UNION ".join(
        f'SELECT id FROM "{table}" WHERE {_equal((column,))} AND +id < {FRAGMENTS}'  # noqa: S608
        for column in columns
    )
    wanted = f"= (SELECT min(id) FROM ({ids}))" if first else f"IN ({ids})"  # noqa: S608
    return f"{_all_cells(table, names)} WHERE id {wanted} ORDER BY id"


@cache
def selection_by_id(table: str, names: tuple[str, ...]) -> str:
    """One row."""
    return f"{_all_cells(table, names)} WHERE id = ?"


def _all_cells(table: str, names: tuple[str, ...]) -> str:
    listed = ", ".join(map(quote_name, names))
    return f'SELECT {UNSEEN}, {listed} FROM "{table}"'  # noqa: S608 - names of our schema


def _equal(columns: tuple[str, ...]) -> str:
    return " AND ".join(f"{quote_name(column)} = ?" for column in columns)


def quote_name(name: str) -> str:
    """A column of the schema as SQLite writes names; never used on what a caller gave."""
    return f'"{name}"'
