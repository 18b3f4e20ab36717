"""Files of predictions read with every doubt said: damaged, no JSON, ids missing or twice."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError


class Line(NamedTuple):
    """A prediction and the row of the file it stands in."""

    text: str
    row: int


class _Row(msgspec.Struct, frozen=True):
    task: str
    id: int | str
    prediction: str


def read_rows(file: Path) -> dict[str, Any]:
    """An object keyed "0", "1", …; a key that comes twice is an error.

    Read with Python's own reader: others keep the last of two equal keys without a word, and refuse
    half a surrogate pair, which Python writes.
    """

    def once(found: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(found)
        if len(values) < len(found):
            twice = next(key for key, times in Counter(k for k, _ in found).items() if times > 1)
            raise DataError(f"the key {twice!r} is there twice", file=file)
        return values

    with disk_errors(file):
        content = file.read_bytes()
    try:
        rows = json.loads(content, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error
    if not isinstance(rows, dict) or not rows:
        raise DataError('expected an object keyed "0", "1", …', file=file)
    return rows


def read_lines(file: Path) -> Mapping[str, Mapping[str, Line]]:
    """Predictions by task and id; a file that has not changed is read once."""
    with disk_errors(file):
        seen = file.stat()
    return _read_lines(file, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=4)
def _read_lines(file: Path, _changed: int, _size: int) -> Mapping[str, Mapping[str, Line]]:
    texts: dict[str, dict[str, Line]] = {}
    decoder = msgspec.json.Decoder(_Row)
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            lines = stream.read().splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be read: {error}", file=file) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            row = _surrogates_allowed(line, file, number, error)
        of_task = texts.setdefault(row.task, {})
        if str(row.id) in of_task:
            raise DataError(f"task {row.task} has id {row.id} twice", file=file, row=number)
        of_task[str(row.id)] = Line(row.prediction, number)
    if not texts:
        raise DataError("there is nothing in this file", file=file)
    return texts


def _surrogates_allowed(line: bytes, file: Path, number: int, error: Exception) -> _Row:
    """Half a surrogate pair, as Python writes it, is text; anything else stays an error."""
    try:
        return msgspec.convert(json.loads(line), _Row)
    except (ValueError, RecursionError):
        raise DataError(str(error), file=file, row=number) from error
