"""Packed files that others made: ZIP archives and lines, plain or packed, read up to limits.

A few bytes can be made to unpack into gigabytes, and every number in an archive can lie. All limits
are here, and count what is really unpacked. Nothing is written to disk.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, cast

from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, MissingExtra

LARGEST: Final = 64 * 1024 * 1024
"""So many bytes of a ZIP archive are unpacked, of all members together."""

MOST_MEMBERS: Final = 10_000

LONGEST_LINE: Final = 64 * 1024 * 1024

MOST_UNPACKED: Final = 200
"""Texts become ten times as large, and repeated prompts fifty times; a bomb a thousand times."""

_ENTRY: Final = b"PK\x01\x02"

_PACKED: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError,
    ArithmeticError, RuntimeError,
)  # fmt: skip
"""What the standard library raises over an archive whose numbers or names are wrong."""


class Refused(Exception):
    """What is wrong with an archive, or with a part of it."""


class ZipParts:
    """The members of a ZIP archive of the kind that documents are, by their names."""

    def __init__(self, content: bytes) -> None:
        if (entries := content.count(_ENTRY)) > MOST_MEMBERS:
            raise Refused(f"its archive has {entries:,} members")
        self._left = LARGEST
        with _damage():
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        self.names: set[str] = set()
        for member in self.members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or ":" in member.filename:
                raise Refused("a member of its archive leads outside")
            if member.filename in self.names:
                raise Refused("its archive has two members of one name")
            if member.flag_bits & 0x1:
                raise Refused("it is protected by a password")
            if member.compress_type not in _PACKED:
                raise Refused("its archive is packed in a way that documents are not")
            self.names.add(member.filename)

    @property
    def members(self) -> list[zipfile.ZipInfo]:
        """In the order of the archive."""
        return self._archive.infolist()

    def read(self, name: str) -> bytes:
        """The contents of a member, as far as the limit for all of them allows."""
        with _damage(), self._archive.open(name) as stream:
            content = stream.read(self._left + 1)
        if len(content) > self._left:
            raise Refused(f"{name} and what it needs are larger than {LARGEST >> 20} MB")
        self._left -= len(content)
        return content


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        problem = f"its archive is damaged ({error}); save it again, or as text"
        raise Refused(problem) from error


def lines_of(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; what ends in .gz or .zst is unpacked on the way.

    A line that is too long is cut behind the limit, so that whoever reads it can tell. Damage is
    an error that names the file and the line.
    """
    number = unpacked = 0
    opened, damage = _packing(file)
    with disk_errors(file):
        most = MOST_UNPACKED * file.stat().st_size if damage else None
        try:
            with opened(file) as stream:
                for line in iter(partial(stream.readline, LONGEST_LINE + 1), b""):
                    unpacked += len(line)
                    number += 1
                    yield number, line
                    if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                        unpacked += _skip_line(stream, most)
                    if most is not None and unpacked > max(most, LONGEST_LINE):
                        problem = f"unpacks into more than {MOST_UNPACKED} times its size"
                        raise DataError(f"{problem}, as no text does", file=file, row=number)
        except damage as error:
            raise DataError(f"is damaged: {error}", file=file, row=number + 1) from error


def _skip_line(stream: IO[bytes], most: int | None) -> int:
    """Read on to the end of a line; how far that was."""
    skipped = 0
    while rest := stream.readline(1 << 20):
        skipped += len(rest)
        if rest.endswith(b"\n") or (most is not None and skipped > most):
            break
    return skipped


def _packing(file: Path) -> tuple[Callable[[Path], IO[bytes]], tuple[type[Exception], ...]]:
    """How a file is opened, by its ending, and what is raised where it is damaged."""
    if file.suffix == ".gz":
        return cast("Any", gzip.open), (EOFError, zlib.error, gzip.BadGzipFile)
    if file.suffix == ".zst":
        zstd = _zstd()
        return zstd.open, (EOFError, zstd.ZstdError)
    return lambda plain: plain.open("rb"), ()


def _zstd() -> Any:
    """The module of Python 3.14, or the same for older ones."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name)
    raise MissingExtra("zstd", "reading a .zst file")
