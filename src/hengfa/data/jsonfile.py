"""Reading and writing small typed JSON files, with errors that name the file and the field."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeVar

import msgspec

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

T = TypeVar("T")

# "Expected `int`, got `str` - at `$.files[0].size`" has a place; "Expected `object`" has none
_PLACE = re.compile(r"^(?P<problem>.*) - at `\$\.?(?P<place>.*)`$", re.DOTALL)
# "Object missing required field `sha256`" names one; "Expected `int`, got `str`" does not
_MISSING = re.compile(r"^Object (?:missing required|contains unknown) field `(?P<name>[^`]*)`")


def read_json(file: Path, kind: type[T]) -> T:
    """The file as a value of this type; anything else in it is an error with its place."""
    with disk_errors(file):
        content = file.read_bytes()
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        problem, field = problem_and_field(str(error))
        raise DataError(problem, file=file, field=field) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error


def write_atomically(file: Path, content: bytes) -> None:
    """Put the whole content under this name, or leave what was there."""
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    with disk_errors(file):
        try:
            with new.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)


def problem_and_field(message: str) -> tuple[str, str | None]:
    """What msgspec says is wrong, apart from where: ``Expected `int```, ``files[0].size``."""
    placed = _PLACE.match(message)
    problem, place = (placed["problem"], placed["place"]) if placed else (message, "")
    missing = _MISSING.match(problem)
    if missing:
        place = f"{place}.{missing['name']}" if place else missing["name"]
    return problem, place or None
