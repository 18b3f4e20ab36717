"""Reading JSON lines, with errors that name the file, the line and the field."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar, cast

import msgspec

from hengfa.data.jsonfile import problem_and_field
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

T = TypeVar("T")

_MARK = b"\xef\xbb\xbf"


def read_lines(file: Path, kind: type[T], *, half_pairs: bool = False) -> Iterator[tuple[int, T]]:
    """The number and value of every line that is not blank, read as they are asked for.

    A file whose name ends in .gz is unpacked on the way. With `half_pairs`, half of a surrogate
    pair is text, as Python writes it into predictions; no strict reader of JSON takes it.
    """
    decoder = msgspec.json.Decoder(kind)
    with disk_errors(file), _damage(file), _open(file) as stream:
        for number, line in enumerate(stream, 1):
            text = line.removeprefix(_MARK) if number == 1 else line
            if not text.strip():
                continue
            try:
                value = decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                if not half_pairs:
                    raise _unreadable(error, file, number) from error
                value = _with_half_pairs(text, kind, _unreadable(error, file, number))
            yield number, value


def first_line(file: Path) -> bytes:
    """The first line that is not blank, to see what kind of file it is; empty if there is none."""
    with disk_errors(file), _damage(file), _open(file) as stream:
        return next((line for line in stream if line.strip()), b"")


def _unreadable(error: Exception, file: Path, number: int) -> DataError:
    if isinstance(error, msgspec.ValidationError):
        problem, field = problem_and_field(str(error))
        return DataError(problem, file=file, row=number, field=field)
    return DataError(f"not readable as JSON: {error}", file=file, row=number)


def _with_half_pairs(text: bytes, kind: type[T], otherwise: DataError) -> T:
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, RecursionError):
        raise otherwise from None


@contextmanager
def _damage(file: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise DataError(f"is damaged: {error}", file=file) from error


def _open(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file)) if file.suffix == ".gz" else file.open("rb")
