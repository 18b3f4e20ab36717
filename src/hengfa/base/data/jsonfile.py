"""Typed JSON on disk: small files, files of lines, and settings in TOML, with errors that name the
place.

The place is the file, of lines the row, and the field.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from hengfa.base.data.archives import LONGEST_LINE, lines_of
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError

T = TypeVar("T")

_MARK = b"\xef\xbb\xbf"

# "Expected `int`, got `str` - at `$.files[0].size`" has a place; "Expected `object`" has none
_PLACE = re.compile(r"^(?P<problem>.*) - at `\$\.?(?P<place>.*)`$", re.DOTALL)

# "Object missing required field `sha256`" names one; "Expected `int`, got `str`" does not
_MISSING = re.compile(r"^Object (?:missing required|contains unknown) field `(?P<name>[^`]*)`")


def json_decoder(kind: type[T]) -> Callable[[bytes | str], T]:
    """A reader of JSON; whatever is wrong with a text, it raises `msgspec.DecodeError`.

    All JSON of others is read by it: bare msgspec raises other errors for bytes that are no UTF-8,
    half a surrogate pair, and nesting beyond what Python can follow.
    """
    decode = msgspec.json.Decoder(kind).decode

    def decoded(text: bytes | str) -> T:
        try:
            return decode(text)
        except UnicodeError as error:
            raise msgspec.DecodeError(f"not UTF-8: {error}") from error
        except RecursionError as error:
            raise msgspec.DecodeError("nested too deep") from error

    return decoded


decode_json: Callable[[bytes | str], Any] = json_decoder(object)
"""Any JSON value, read with the errors of `json_decoder`."""


def encode_json(value: object, *, order: Literal["sorted"] | None = None) -> bytes:
    """JSON of whatever Python holds as text: half of a surrogate pair is written as its escape."""
    try:
        return msgspec.json.encode(value, order=order, enc_hook=_text)
    except UnicodeEncodeError:
        return json.dumps(builtins_of(value, order=order)).encode()


def builtins_of(value: object, *, order: Literal["sorted"] | None = None) -> Any:
    return msgspec.to_builtins(value, order=order, enc_hook=_text)


def _text(value: object) -> str:
    """Text of a class of its own, which msgspec leaves to us, is text."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")


def whole_characters(text: str) -> str:
    """Half of a surrogate pair, which no file of ours can hold, as `\\ud83d`; else the text."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def cell_decoder(kind: type[T], column: str) -> Callable[[str], T]:
    """A reader of the JSON in a column of a run's responses."""
    decode = json_decoder(kind)

    def decoded(text: str) -> T:
        try:
            return decode(text)
        except msgspec.DecodeError as error:
            place = f"the responses of a run, column {column!r}"
            raise DataError(f"not readable as JSON: {error}", file=place) from error

    return decoded


def read_json(file: Path, kind: type[T]) -> T:
    """The file as a value of this type; anything else in it is an error with its place."""
    with disk_errors(file):
        content = file.read_bytes()
    try:
        return json_decoder(kind)(content)
    except msgspec.DecodeError as error:
        raise unreadable(error, file) from error


def read_toml(file: Path, kind: type[T]) -> T:
    """Settings that a person wrote, as a value of this type; errors show nothing of them: there
    may be keys in it."""
    with disk_errors(file):
        content = file.read_bytes()
    return parse_toml(content, kind, file)


def parse_toml(content: bytes, kind: type[T], file: Path) -> T:
    try:
        return msgspec.convert(tomllib.loads(content.decode()), kind)
    except msgspec.ValidationError as error:
        raise unreadable(error, file) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start}", file=file) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not readable as TOML: {error}", file=file) from None


Words = str | list[str]
"""A list matches where one of it does."""


class Patterns(msgspec.Struct, frozen=True):
    """Regular expressions that are facts, in TOML beside the code that looks for them. They are
    found by their names; in them `<NAME>` stands for a fragment."""

    patterns: dict[str, Words]
    fragments: dict[str, Words] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return self.compiled(self.patterns[name])

    def compiled(self, words: Words) -> re.Pattern[str]:
        return re.compile(self.filled(words))

    def filled(self, words: Words) -> str:
        """A pattern with its fragments in their places, of which later ones may have earlier."""
        pattern = _join(words)
        for name, fragment in reversed(self.fragments.items()):
            pattern = pattern.replace(f"<{name}>", _join(fragment))
        return pattern


def _join(words: Words) -> str:
    return words if isinstance(words, str) else "|".join(words)


def read_lines(file: Path, kind: type[T], *, half_pairs: bool = False) -> Iterator[tuple[int, T]]:
    """The number and value of every line that is not blank, read as they are asked for.

    A file whose name ends in .gz is unpacked on the way. With `half_pairs`, half of a surrogate
    pair is text, as Python writes it into predictions; no strict reader of JSON takes it.
    """
    decode = json_decoder(kind)
    for number, line in lines_of(file):
        text = line.removeprefix(_MARK) if number == 1 else line
        if len(text) > LONGEST_LINE:
            raise DataError(f"longer than {LONGEST_LINE:,} bytes", file=file, row=number)
        if not text.strip():
            continue
        try:
            value = decode(text)
        except msgspec.DecodeError as error:
            if not half_pairs:
                raise unreadable(error, file, number) from error
            try:
                value = msgspec.convert(json.loads(text), kind)
            except (ValueError, RecursionError):
                raise unreadable(error, file, number) from None
        yield number, value


def read_rows(file: Path, kind: type[T]) -> Iterator[tuple[str, int, T]]:
    """The rows of a file of lines, of an array, or of an object whose keys name its rows: key,
    number and value of each. Where the file has no keys, they count from 0.

    An object is read with Python's own reader: others keep the last of two equal keys without a
    word, and refuse half a surrogate pair, which Python writes.
    """
    if not file.name.endswith(".json"):
        for place, (number, row) in enumerate(read_lines(file, kind, half_pairs=True)):
            yield str(place), number, row
        return
    with disk_errors(file):
        content = file.read_bytes()
    try:
        document = json.loads(content, object_pairs_hook=partial(_once, file))
    except (ValueError, RecursionError) as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error
    if not isinstance(document, list | dict) or not document:
        raise DataError("expected an array of rows, or an object of them", file=file)
    keyed = document.items() if isinstance(document, dict) else enumerate(document)
    for number, (key, value) in enumerate(keyed):
        try:
            yield str(key), number, msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise unreadable(error, file, key) from error


def _once(file: Path, pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise DataError(f"the key {twice!r} is there twice", file=file)
    return values


def first_line(file: Path) -> bytes:
    """The first line that is not blank, to see what kind of file it is; empty if there is none."""
    return next((line for _, line in lines_of(file) if line.strip()), b"")


def write_lines(file: Path, values: Iterable[object]) -> None:
    """Put a line for each value into a file, whose folder is made; or leave what was there."""
    write_in_folder(file, b"".join(encode_json(value) + b"\n" for value in values))


def write_in_folder(file: Path, content: bytes) -> None:
    """Put the whole content under this name, in a folder that is made for it; or leave what was
    there."""
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)


def write_atomically(file: Path, content: bytes) -> None:
    """Put the whole content under this name, or leave what was there."""
    with whole_file(file) as stream:
        stream.write(content)


def problem_and_field(message: str) -> tuple[str, str | None]:
    """What msgspec says is wrong, apart from where: ``Expected `int```, ``files[0].size``."""
    placed = _PLACE.match(message)
    problem, place = (placed["problem"], placed["place"]) if placed else (message, "")
    missing = _MISSING.match(problem)
    if missing:
        place = f"{place}.{missing['name']}" if place else missing["name"]
    return problem, place or None


def unreadable(error: Exception, file: Path | str, row: int | str | None = None) -> DataError:
    """What msgspec found wrong with the JSON of a file, or of a row of it, as an error of ours."""
    if isinstance(error, msgspec.ValidationError):
        problem, field = problem_and_field(str(error))
        return DataError(problem, file=file, row=row, field=field)
    return DataError(f"not readable as JSON: {error}", file=file, row=row)
