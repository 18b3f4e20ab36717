"""The files of a repository out of an archive or a folder of it, wherever that comes from.

An archive says where its members would like to lie. Nothing here listens to that: a member is
offered by its path below the one folder that every repository's archive has, and whoever takes it
writes it where the pack has this file. Links, devices and paths that lead outside are passed over.
"""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Final, NamedTuple, cast

from hengfa.base.data.paths import disk_errors, path_problem
from hengfa.base.errors import DataError

_BLOCK: Final = 1 << 16

ENDINGS: Final = (".tar.gz", ".tar.xz", ".zip")

_DAMAGED: Final = (
    *(tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile),
    *(EOFError, UnicodeError, NotImplementedError, RuntimeError, ValueError, OverflowError),
)


class _TarInfo(tarfile.TarInfo):
    """A head of a member; Python reads what extends it whole, whatever size that claims."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        extends = self.type in _EXTENDING
        if self.type == tarfile.GNUTYPE_SPARSE or (extends and self.size > _LONGEST_HEAD):
            raise tarfile.ReadError("a member has a head that no repository needs")
        head: tarfile.TarInfo | None = super()._proc_member(archive)  # type: ignore[misc]
        return head


_LONGEST_HEAD: Final = 1 << 20
_EXTENDING: Final = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
    | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)


class Member(NamedTuple):
    """One file of a repository."""

    path: str
    size: int
    content: IO[bytes]
    place: Path | str
    """The archive or file that it is read from, as messages call it."""

    def blocks(self) -> Iterator[bytes]:
        """What it holds; it can be read once, before the next member is asked for."""
        with disk_errors(Path(self.place)), _readable(self.place):
            while block := self.content.read(_BLOCK):
                yield block


def find_copy(folder: Path, name: str) -> Path | None:
    """The folder or archive of a repository (`REPOSITORY-COMMIT`) in a folder of such."""
    places = (folder / name, *(folder / f"{name}{ending}" for ending in ENDINGS))
    return next((place for place in places if place.exists()), None)


def members(place: Path) -> Iterator[Member]:
    """Every plain file of an archive, or of an unpacked folder."""
    if place.is_dir():
        for file in sorted(place.rglob("*")):
            if file.is_file() and not file.is_symlink():
                with disk_errors(file), file.open("rb") as stream:
                    path = file.relative_to(place).as_posix()
                    yield Member(path, file.stat().st_size, cast("IO[bytes]", stream), file)
    elif place.suffix == ".zip":
        yield from _of_zip(place)
    else:
        with disk_errors(place), place.open("rb") as stream:
            yield from of_tar(stream, place)


def is_of(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names this path; a * stays within its part of it, a last ** does not."""
    place = PurePosixPath(path)
    return any(
        place.match(pattern) and len(place.parts) == len(PurePosixPath(pattern).parts)
        if not pattern.endswith("/**")
        else path.startswith(pattern.removesuffix("**"))
        for pattern in patterns
    )


def of_tar(stream: BinaryIO, label: Path | str) -> Iterator[Member]:
    """The files of a packed tar, read from front to back."""
    with _readable(label), tarfile.open(fileobj=stream, mode="r|*", tarinfo=_TarInfo) as archive:
        for member in archive:
            path = _below(member.name)
            content = archive.extractfile(member) if path and member.isreg() else None
            if content is not None:
                yield Member(path, member.size, content, label)


def _of_zip(file: Path) -> Iterator[Member]:
    with disk_errors(file), _readable(file), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            path = _below(member.filename)
            if path and not member.is_dir():
                with archive.open(member) as content:
                    yield Member(path, member.file_size, content, file)


def _below(name: str) -> str:
    """The path below the archive's own folder; empty where there is none that a pack can have."""
    name = name.removeprefix("./")
    path = name.partition("/")[2]
    return "" if path_problem(name) or path_problem(path) else path


@contextmanager
def _readable(label: Path | str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise DataError(f"this archive cannot be read ({error})", file=label) from error
