"""What we put on disk: whole or not at all, and never over what is not ours.

Permissions follow the umask, for every file alike: a run is as open or as private as whatever else
its owner makes.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from hengfa.data.paths import disk_errors
from hengfa.errors import HengfaError, UsageError

Listed = Callable[[Path], Mapping[str, int]]
"""What the manifest in a folder says is ours: paths below the folder with their sizes."""

MANIFEST = "manifest.json"
"""The file of a folder that lists what is ours in it."""

_NAMED = 3
"""So many files are named in an error."""


@contextmanager
def whole_file(file: Path) -> Iterator[BinaryIO]:
    """A file that takes its name once all of it is written, and else leaves no trace.

    Until then it has a name beside it that nobody can foresee, and it is created, never opened: a
    link planted there is not followed. A link that has the name itself is replaced; where it leads
    to, nothing changes.
    """
    new = _beside(file, "new")
    with disk_errors(file):
        try:
            with new.open("x+b") as stream:
                yield cast("BinaryIO", stream)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)
        except OSError as error:
            if error.filename == os.fspath(new):
                error.filename = os.fspath(file)
            raise
        finally:
            new.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path, listed: Listed, *, force: bool = False) -> Iterator[Path]:
    """A folder to write into, which takes the place of `target` once everything is written.

    Of an older one only what its manifest lists is removed. Anything else in it, and what was
    changed since, is refused before the work and again after it. With `force` it stays where it is
    instead, and the new files are put beside it one by one, each whole; only a file that has the
    name of a new one is replaced.
    """
    target = target.absolute()
    _check(target, listed, force=force)
    new = _beside(target, "new")
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        new.mkdir()
        try:
            yield new
            _check(target, listed, force=force)
            if foreign(target, listed):
                _put_beside(new, target, listed)
            else:
                _exchange(new, target, listed)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def foreign(folder: Path, listed: Listed) -> list[str]:
    """What is in a folder that its manifest does not list, or lists with another size."""
    return _told_apart(folder, listed)[1]


def files_below(folder: Path) -> dict[str, int]:
    """All files in a folder with their sizes: what its manifest has to list."""
    return {
        path: (folder / path).stat().st_size for path in _below(folder) if (folder / path).is_file()
    }


def _told_apart(folder: Path, listed: Listed) -> tuple[list[str], list[str]]:
    """The files that are ours, and all else; a manifest cannot name what is not in the folder."""
    said = listed(folder) if folder.is_dir() else {}
    parents = {parent.as_posix() for path in said for parent in Path(path).parents}
    ours, others = list[str](), list[str]()
    for path in _below(folder):
        place = folder / path
        if place.is_dir() and not place.is_symlink():
            if path not in parents:
                others.append(path)
        elif place.is_symlink() or said.get(path) != place.stat().st_size:
            others.append(path)
        else:
            ours.append(path)
    return ours, others


def _below(folder: Path) -> list[str]:
    """Files, links and folders below a folder, as a manifest writes them; no link is followed."""
    return sorted(
        Path(root, name).relative_to(folder).as_posix()
        for root, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )


def _beside(place: Path, ending: str) -> Path:
    return place.parent / f".{place.name[:40]}.{secrets.token_hex(8)}.{ending}"


def _check(target: Path, listed: Listed, *, force: bool) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is not a folder; choose another place")
    others = [] if force else foreign(target, listed)
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        raise UsageError(
            f"{target} holds what is not ours, or was changed since: {', '.join(others[:_NAMED])}"
            f"{more}. Choose another folder or move it away; --force writes beside it and replaces"
            " only files of the same name"
        )


def _exchange(new: Path, target: Path, listed: Listed) -> None:
    """Put the new folder where the old one is; of that, only what is listed is removed."""
    old = _beside(target, "old")
    if target.exists():
        target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        raise
    if old.exists():
        _remove(old, _told_apart(old, listed)[0])
        if any(old.iterdir()):
            raise HengfaError(f"{target} is written; {old} keeps what was put into it meanwhile")
        old.rmdir()


def _put_beside(new: Path, target: Path, listed: Listed) -> None:
    """Put new files among those of others, the manifest last, and remove what was ours before."""
    fresh = sorted(files_below(new), key=lambda path: (path == MANIFEST, path))
    for path in fresh:
        for folder in Path(path).parents:
            if (target / folder).is_symlink():
                raise UsageError(f"{target / folder} is a link: nothing is written through it")
    gone = [path for path in _told_apart(target, listed)[0] if path not in fresh]
    for path in fresh:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).replace(target / path)
    _remove(target, gone)


def _remove(folder: Path, paths: list[str]) -> None:
    """Remove files below a folder, and the folders that have nothing in them after that."""
    for path in paths:
        (folder / path).unlink(missing_ok=True)
    parents = {parent for path in paths for parent in Path(path).parents if parent.name}
    for parent in sorted(parents, reverse=True):
        if not any((folder / parent).iterdir()):
            (folder / parent).rmdir()
