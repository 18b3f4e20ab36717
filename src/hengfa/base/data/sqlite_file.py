"""A SQLite file that is never changed once it is written: written as a whole, opened for reading.

It gets its name when all of it is there (:func:`new_file`), so nobody ever reads half of one. It
opens at once however large it is, and any number of threads and processes may read it: each thread
has a connection of its own, a forked process opens a new one, and to another process it travels as
its path. The law library and the legal world are such files.

A file may come from anybody, and hold views, triggers and values that we would not write: when it
is opened its tables must be ours, and what is read must have the types that we write.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeVar
from urllib.parse import quote

import msgspec

from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, HengfaError

_NEEDED: Final = (3, 34)
"""The version of SQLite that brought the index of runs of three characters."""

LARGEST_VALUE: Final = 256 * 1024 * 1024
"""More bytes no value and no row has."""

_S = TypeVar("_S", bound=msgspec.Struct)


class SqliteFile:
    """What such files have in common; use it in a ``with`` statement, or close it."""

    application: ClassVar[int]
    file_format: ClassVar[int]
    kind: ClassVar[str]
    """What it is called in errors: `a law library`."""
    mend: ClassVar[str]
    """What to do where it cannot be read."""
    statements: ClassVar[int] = 128
    """So many statements stay prepared in each thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        with self.reading():
            self._check()

    def definitions(self) -> str:
        raise NotImplementedError

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's own connection; a process that was forked opens a new one."""
        handle: _Handle | None = getattr(self._local, "handle", None)
        if handle is None or handle.process != os.getpid():
            handle = self._local.handle = _Handle(self.path, self.statements)
        return handle.connection

    def close(self) -> None:
        """Close the connections of all threads; the next use opens one again."""
        self._local = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _at: object) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise self._damaged(error) from error

    @classmethod
    def is_kept_in(cls, file: Path) -> bool:
        """Whether such a file is there, by what SQLite has at its beginning; of any format."""
        if file.is_symlink() or not file.is_file():
            return False
        with disk_errors(file), file.open("rb") as stream:
            head = stream.read(72)
        return head.startswith(b"SQLite format 3\0") and head[68:] == cls.application.to_bytes(4)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Around what makes values of rows: rows that we would not write are damage."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, TypeError, ValueError, LookupError) as error:
            raise self._damaged(error) from error

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        """Goes to another process as its path."""
        return type(self), (self.path,)

    def _check(self) -> None:
        application, version = (
            self.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        if application != self.application:
            raise DataError(f"this is not {self.kind}", file=self.path)
        if version != self.file_format:
            problem = f"written in format {version}, this version of hengfa reads"
            raise DataError(f"{problem} {self.file_format}: {self.mend}", file=self.path)
        ours, tables = _tables_made_by(self.definitions()), _tables(self.connection)
        for name, shape in tables.items():
            if shape is None or (name in ours and shape != ours[name]):
                raise DataError(f"{name} is no table of {self.kind}", file=self.path)
        if missing := sorted(ours.keys() - tables.keys()):
            raise DataError(f"lacks {missing[0]}, a table of {self.kind}", file=self.path)

    def _damaged(self, error: Exception) -> DataError:
        """What is wrong with a file that is not whole, as an error that says what to do."""
        return DataError(f"cannot be read as {self.kind} ({error}): {self.mend}", file=self.path)


def checked(row: _S) -> _S:
    """A row made of cells, if they have the types of its fields."""
    return msgspec.convert(msgspec.structs.asdict(row), type(row))


_Shape = tuple[str, tuple[Any, ...]]


@cache
def _tables_made_by(definitions: str) -> dict[str, _Shape | None]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(definitions)
        return _tables(connection)


def _tables(connection: sqlite3.Connection) -> dict[str, _Shape | None]:
    """Of each table how a virtual one is made, and its columns; of views and triggers None."""
    shapes: dict[str, _Shape | None] = {}
    sql = "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'index'"
    for kind, name, made_by in connection.execute(sql).fetchall():
        columns = connection.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (name,))
        made = " ".join(str(made_by).split()) if "VIRTUAL" in str(made_by).upper() else ""
        shapes[name] = (made, tuple(columns)) if kind == "table" else None
    return shapes


@contextlib.contextmanager
def new_file(file: Path, application: int, file_format: int) -> Iterator[sqlite3.Connection]:
    """A database that takes the place of ``file`` when all went well, and else leaves no trace. It
    is made for one writer and one go: a journal would only cost time."""
    if sqlite3.sqlite_version_info < _NEEDED:
        raise HengfaError(
            f"the full-text index needs SQLite {'.'.join(map(str, _NEEDED))} or newer; this Python"
            f" comes with {sqlite3.sqlite_version}: use a newer one"
        )
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        # nobody else knows the file, and the lock on it is not SQLite's
        with (
            whole_file(file) as new,
            contextlib.closing(_connect(Path(new.name), "nolock=1")) as connection,
        ):
            connection.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
                f"PRAGMA application_id = {application}; PRAGMA user_version = {file_format};"
            )
            yield connection
    except sqlite3.OperationalError as error:
        raise DataError(f"cannot be written: {error}", file=file) from error


def _connect(path: Path, how: str, statements: int = 128) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fsencode(path.absolute()))}?{how}",
        uri=True,
        check_same_thread=False,
        cached_statements=statements,
    )


class _Handle:
    """One connection, closed when nobody holds it any more."""

    def __init__(self, path: Path, statements: int) -> None:
        self.process = os.getpid()
        # immutable: the file is replaced, never changed, so nothing needs to be locked or watched
        self.connection = _connect(path, "mode=ro&immutable=1", statements)
        # not by __del__: in a ring of garbage the connection may go first, unclosed
        weakref.finalize(self, self.connection.close)
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        self.connection.executescript(
            "PRAGMA mmap_size = 268435456; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
        )
