"""Reading JSON lines, with errors that name the file, the line and the field."""

from __future__ import annotations

import gzip
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


def read_lines(file: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """The number and value of every line that is not blank, read as they are asked for.

    A file whose name ends in .gz is unpacked on the way.
    """
    decoder = msgspec.json.Decoder(kind)
    with disk_errors(file), _damage(file), _open(file) as stream:
        for number, line in enumerate(stream, 1):
            text = line.removeprefix(_MARK) if number == 1 else line
            if not text.strip():
                continue
            try:
                value = decoder.decode(text)
            except msgspec.ValidationError as error:
                problem, field = problem_and_field(str(error))
                raise DataError(problem, file=file, row=number, field=field) from error
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise DataError(f"not readable as JSON: {error}", file=file, row=number) from error
            yield number, value


@contextmanager
def _damage(file: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise DataError(f"is damaged: {error}", file=file) from error


def _open(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file)) if file.suffix == ".gz" else file.open("rb")
