"""A SQLite file that is never changed once it is written: written as a whole, opened for reading.

It gets its name when all of it is there (:func:`new_file`), so nobody ever reads half of one. It
opens at once however large it is, and any number of threads and processes may read it: each thread
has a connection of its own, a forked process opens a new one, and to another process it travels as
its path. The law library and the legal world are such files.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self
from urllib.parse import quote

from hengfa.data.output import whole_file
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError, HengfaError

_NEEDED: Final = (3, 34)
"""The version of SQLite that brought the index of runs of three characters."""


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
        try:
            self._check()
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

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

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _at: TracebackType | None,
    ) -> None:
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
            raise DataError(
                f"written in format {version}, this version of hengfa reads {self.file_format}: "
                f"{self.mend}",
                file=self.path,
            )

    def _damaged(self, error: sqlite3.DatabaseError) -> DataError:
        """What SQLite says of a file that is not whole, as an error that says what to do."""
        return DataError(f"cannot be read as {self.kind} ({error}): {self.mend}", file=self.path)


@contextlib.contextmanager
def new_file(file: Path, application: int, file_format: int) -> Iterator[sqlite3.Connection]:
    """A database that takes the place of ``file`` when all went well, and else leaves no trace.

    It is made for one writer and one go: a journal would only cost time.
    """
    if sqlite3.sqlite_version_info < _NEEDED:
        raise HengfaError(
            f"the full-text index needs SQLite {'.'.join(map(str, _NEEDED))} or newer; this Python"
            f" comes with {sqlite3.sqlite_version}: use a newer one"
        )
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with whole_file(file) as new, contextlib.closing(sqlite3.connect(new.name)) as connection:
            connection.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
                f"PRAGMA application_id = {application}; PRAGMA user_version = {file_format};"
            )
            yield connection
    except sqlite3.OperationalError as error:
        raise DataError(f"cannot be written: {error}", file=file) from error


class _Handle:
    """One connection, closed when nobody holds it any more."""

    def __init__(self, path: Path, statements: int) -> None:
        self.process = os.getpid()
        # immutable: the file is replaced, never changed, so nothing needs to be locked or watched
        self.connection = sqlite3.connect(
            f"file:{quote(os.fsencode(path.absolute()))}?mode=ro&immutable=1",
            uri=True,
            check_same_thread=False,
            cached_statements=statements,
        )
        self.connection.execute("PRAGMA mmap_size = 268435456")

    def __del__(self) -> None:
        if connection := getattr(self, "connection", None):
            connection.close()
