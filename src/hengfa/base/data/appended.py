"""Files of JSON objects that are only ever appended to: no entry and no byte of one is lost.

One object per line is how they are written. Whoever copied or edited one may have changed what
stands between the objects (CR for LF, blank lines, nothing, one array around them all): they are
read all the same. A crash tears one write, the last; when the file is opened for writing again,
what is torn is moved into a file beside it. Any other damage is refused by its place and left
untouched.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import JournalError

T = TypeVar("T")

_CHUNK = 1 << 20

_SCAN = json.JSONDecoder().raw_decode

# What may stand before, between and after objects: "\r\n", "},\n{", "[{"; not "x" or a zero byte.
_BETWEEN = re.compile(r"(?:[ \t\r\n,\[\]]|\xef\xbb\xbf)*")

# Where an object can begin: '{"key"', '{ "key"'; in a text it is written '{\"key\"'.
_BEGINNING = re.compile(r'\{\s*"')


class Place(NamedTuple):
    """Where an entry stands in its file."""

    line: int
    offset: int
    length: int


class Appended(Generic[T]):
    """Such a file, open for writing. Iterate over it once, before anything is appended.

    `decode` makes an entry of an object, or raises `msgspec.DecodeError`. `otherwise` says what a
    user can do about a file that is refused. `notices` say what was mended. Who opens it holds a
    lock.
    """

    def __init__(self, path: Path, decode: Callable[[bytes], T], otherwise: str) -> None:
        self.path = path
        self.notices: list[str] = []
        self._scan = _Scan(path, decode, otherwise)
        with disk_errors(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)

    def __iter__(self) -> Iterator[tuple[Place, T]]:
        """All entries in order; then what is torn behind the last is moved where it is kept."""
        yield from self._scan.entries(self._file)
        with disk_errors(self.path):
            end = self._scan.end
            if torn := os.fstat(self._file).st_size - end:
                kept = self.path.with_name(f"{self.path.name}.torn")
                _copy(self.path, end, kept)
                os.ftruncate(self._file, end)
                self.notices.append(
                    f"{self.path}: the last write was torn: {torn} bytes moved to {kept.name}"
                )
            self.end_line()

    def end_line(self) -> None:
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            self.append(b"\n")

    def read(self, place: Place) -> bytes:
        return os.pread(self._file, place.length, place.offset)

    def append(self, line: bytes) -> None:
        """The whole line, or nothing of it; survives a kill, and after `flush` a power cut."""
        rest = line
        try:
            while rest:  # a short write comes just before the disk is full
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            written = len(line) - len(rest)
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise

    def flush(self) -> None:
        os.fsync(self._file)

    def is_empty(self) -> bool:
        return not os.fstat(self._file).st_size

    def close(self) -> None:
        """Closing twice does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_appended(path: Path, decode: Callable[[bytes], T], otherwise: str) -> Iterator[T]:
    """All entries in order, also beside a writer; a torn end is passed over, nothing is changed."""
    scan = _Scan(path, decode, otherwise)
    with path.open("rb") as file:
        for _, entry in scan.entries(file.fileno()):
            yield entry
    if scan.damage is not None and scan.ended:
        raise scan.refusal(scan.damage, "its line has an end")


@dataclass
class _Scan(Generic[T]):
    """Finds the entries of a file. `end` is where the last of them ends, with its line; `damage` is
    what stands behind it, and `ended` says whether the file ends with a line end."""

    path: Path
    decode: Callable[[bytes], T]
    otherwise: str
    end: int = 0
    damage: Place | None = None
    ended: bool = False

    def entries(self, file: int) -> Iterator[tuple[Place, T]]:
        for number, (offset, line) in enumerate(_lines(file), start=1):
            if self.damage is not None:
                raise self.refusal(self.damage, "more follows it")
            self.ended = line.endswith(b"\n")
            whole = Place(number, offset, len(line))
            try:
                entry = self.decode(line)
            except msgspec.DecodeError:
                yield from self._in_pieces(whole, line)
            else:
                self.end = offset + len(line)
                yield whole, entry

    def _in_pieces(self, whole: Place, line: bytes) -> Iterator[tuple[Place, T]]:
        """The entries of a line that is not just one."""
        # One character per byte, so that places are those of the bytes.
        text = line.decode("latin-1")
        start = _after(text, 0)
        while start < len(text):
            stop = self._end_of_object(text, start, whole)
            place = Place(whole.line, whole.offset + start, stop - start)
            if stop == start:
                self._check_torn(text[start:], place)
                return
            try:
                entry = self.decode(line[start:stop])
            except msgspec.DecodeError as error:  # whole, but of another kind
                raise self.refusal(place, str(error)) from error
            yield place, entry
            start = _after(text, stop)
            self.end = whole.offset + start
        self.end = whole.offset + len(line)

    def _end_of_object(self, text: str, start: int, whole: Place) -> int:
        """Where the object ends that begins here; where it begins, if there is none."""
        try:
            return _SCAN(text, start)[1] if text[start] == "{" else start
        except ValueError:
            return start
        except RecursionError as error:
            raise self.refusal(whole, "nested too deep") from error

    def _check_torn(self, rest: str, place: Place) -> None:
        """What follows the last entry can only be torn if there is no entry in it."""
        self.damage = place
        for beginning in _BEGINNING.finditer(rest, 1):
            start = beginning.start()
            stop = self._end_of_object(rest, start, place)
            try:
                self.decode(rest[start:stop].encode("latin-1"))
            except msgspec.DecodeError:
                continue
            raise self.refusal(place, "more follows it")

    def refusal(self, place: Place, problem: str) -> JournalError:
        return JournalError(
            f"{self.path}, line {place.line}: not a journal entry (at byte {place.offset}): "
            f"{problem}. Nothing was changed; {self.otherwise}"
        )


def _after(text: str, start: int) -> int:
    """Where what stands between objects ends."""
    between = _BETWEEN.match(text, start)
    return between.end() if between else start


def _copy(journal: Path, start: int, file: Path) -> None:
    """Put what was torn behind what was torn before, on disk for good; no link is followed."""
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666)
    with os.fdopen(opened, "ab") as kept, journal.open("rb") as source:
        source.seek(start)
        shutil.copyfileobj(source, kept)
        kept.write(b"\n")
        kept.flush()
        os.fsync(kept.fileno())


def _lines(file: int) -> Iterator[tuple[int, bytes]]:
    """(offset, line) of an open file, read in chunks so that its size does not matter."""
    offset, parts, position = 0, list[bytes](), 0
    while chunk := os.pread(file, _CHUNK, position):
        position += len(chunk)
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            line = b"".join((*parts, piece, b"\n"))
            parts.clear()
            yield offset, line
            offset += len(line)
        parts.append(rest)
    if line := b"".join(parts):
        yield offset, line
