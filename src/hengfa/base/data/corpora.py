"""Corpora: files of many documents, one in each row, read as a stream and cut into blocks; or files
that are a document each.

Parquet, or JSON lines, also packed (.gz, .zst); a column holds the text, and another may hold the
name of a document. However large a file is, only a few rows of it are held at a time. A file that
cannot be read ends the reading with an error that names it. A single row without a text does not:
it becomes a document with the reason in its place, so that one of ten million stops no other.

Blocks are cut by the rows alone, so that whoever reads the same files gets the same blocks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.archives import LONGEST_LINE, lines_of
from hengfa.base.data.jsonfile import json_decoder, whole_characters
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, HengfaError, UsageError

BLOCK_ROWS: Final = 1000
BLOCK_CHARACTERS: Final = 2_000_000
"""A block is about a second or two of work: that much is lost where a process is killed."""

_SLICE: Final = 2048
"""So many rows of a Parquet file are held at a time."""
_LINES: Final = (".jsonl", ".ndjson", ".json")
_PACKED: Final = (".gz", ".zst")
_MARK: Final = b"\xef\xbb\xbf"
_MOST_NAMED: Final = 12


class Document(NamedTuple):
    """A row of a file, counted from 1; `unread` says why there is no text, where there is none."""

    id: str
    file: str
    row: int
    text: str
    unread: str = ""


class Block(NamedTuple):
    """Documents that are worked on together."""

    number: int
    documents: tuple[Document, ...]


class Corpus(NamedTuple):
    """Files, and the columns in which a text and perhaps its name stand; or, where `read` is given
    to read them, files that are a document each."""

    files: Sequence[Path]
    column: str
    id_column: str | None = None
    read: Callable[[Path], str] | None = None

    def check(self) -> None:
        """Refuse what can be told from names and first rows, before hours of work."""
        if self.read is not None:
            return
        if self.column == self.id_column:
            raise UsageError(f"--column and --id-column are both {self.column!r}")
        for file in self.files:
            if not is_parquet(file) and not is_lines(file):
                raise UsageError(
                    f"{file} is no corpus: give .parquet or .jsonl files, these also .gz or .zst"
                )
        for file in self.files:
            next(self._rows(file), None)

    def documents(self) -> Iterator[Document]:
        for file in self.files:
            if self.read is None:
                yield from self._rows(file)
                continue
            name = shown_name(file)
            try:
                yield Document(name, name, 1, self.read(file))
            except HengfaError as error:
                yield Document(name, name, 1, "", whole_characters(str(error)))

    def blocks(self) -> Iterator[Block]:
        """The same in blocks; there is one at least."""
        number, held, size = 0, list[Document](), 0
        for document in self.documents():
            size += len(document.text)
            if held and (len(held) == BLOCK_ROWS or size > BLOCK_CHARACTERS):
                yield Block(number, tuple(held))
                number, held, size = number + 1, [], len(document.text)
            held.append(document)
        if held or not number:
            yield Block(number, tuple(held))

    def _rows(self, file: Path) -> Iterator[Document]:
        rows = _parquet_rows if is_parquet(file) else _line_rows
        return rows(file, self.column, self.id_column)


def is_parquet(file: Path) -> bool:
    return file.suffix == ".parquet"


def is_lines(file: Path) -> bool:
    packed = file.suffix in _PACKED
    return (Path(file.stem) if packed else file).suffix in _LINES


def shown_name(file: Path) -> str:
    """A file as results name it; bytes that are no UTF-8 as `\\xff`."""
    return os.fsencode(file.as_posix()).decode("utf-8", "backslashreplace")


def _parquet_rows(file: Path, column: str, id_column: str | None) -> Iterator[Document]:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    name = shown_name(file)
    if name != file.as_posix():
        raise DataError("Parquet files need a name in UTF-8: rename it", file=file)
    with parquet_errors(file):
        table = pl.scan_parquet(file, glob=False, hive_partitioning=False)
        schema = table.collect_schema()
        count = table.select(pl.len()).collect().item()
    for wanted in filter(None, (column, id_column)):
        if wanted not in schema:
            more = ", …" if len(schema) > _MOST_NAMED else ""
            known = ", ".join(list(schema)[:_MOST_NAMED])
            raise DataError(f"has no such column; it has {known}{more}", file=file, field=wanted)
    if schema[column] != pl.String:
        raise DataError(f"is {schema[column]}, not text", file=file, field=column)
    columns = [pl.col(column)]
    if id_column is not None:
        columns.append(pl.col(id_column).cast(pl.String))
    for start in range(0, count, _SLICE):
        with parquet_errors(file):
            cells = table.slice(start, _SLICE).select(columns).collect().rows()
        for row, (text, *named) in enumerate(cells, start + 1):
            id_ = (named[0] if named else None) or f"{name}:{row}"
            yield Document(id_, name, row, text or "", _NOTHING if text is None else "")


@contextmanager
def parquet_errors(file: Path) -> Iterator[None]:
    """Around what reads a Parquet file: it is an error that names the file."""
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    try:
        with disk_errors(file):
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        problem = str(error).partition("\n")[0]
        raise DataError(f"not readable as Parquet: {problem}", file=file) from None


_NOTHING: Final = "there is no text: null"


def _line_rows(file: Path, column: str, id_column: str | None) -> Iterator[Document]:
    """The rows of a file of lines. The first must have the column: else it is a wrong name."""
    read, name = _line_reader(column, id_column), shown_name(file)
    first = True
    for number, line in lines_of(file):
        content = line.removeprefix(_MARK) if number == 1 else line
        if not content.strip():
            continue
        text, id_, unread = read(content)
        if first and unread and unread != _NOTHING:
            raise DataError(unread, file=file, row=number, field=column)
        first = False
        yield Document(id_ or f"{name}:{number}", name, number, text, unread)


def _line_reader(column: str, id_column: str | None) -> Callable[[bytes], tuple[str, str, str]]:
    """Reads two fields of a line, passing over the others: text, id, and why there is no text."""
    names = {"text": column} | ({} if id_column is None else {"id": id_column})
    kind = msgspec.defstruct("Line", [(field, Any, msgspec.UNSET) for field in names], rename=names)
    decode = json_decoder(kind)

    def read(line: bytes) -> tuple[str, str, str]:
        if len(line) > LONGEST_LINE:
            return "", "", f"longer than {LONGEST_LINE:,} bytes"
        try:
            fields = decode(line)
            text, id_ = fields.text, getattr(fields, "id", None)  # type: ignore[attr-defined]
        except msgspec.DecodeError as error:
            try:
                row = json.loads(line)  # which takes half of a surrogate pair
                text, id_ = row.get(column, msgspec.UNSET), row.get(id_column)
            except (ValueError, RecursionError, AttributeError):
                return "", "", f"not readable as a JSON object: {error}"
        name = whole_characters(str(id_)) if isinstance(id_, str | int | float) else ""
        if text is msgspec.UNSET:
            return "", name, "has no such field"
        if text is None:
            return "", name, _NOTHING
        if not isinstance(text, str):
            return "", name, f"expected text, got {_KINDS.get(type(text), 'a number')}"
        return whole_characters(text), name, ""

    return read


_KINDS: Final = {dict: "an object", list: "an array", bool: "true or false"}
