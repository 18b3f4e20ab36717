"""What we put on disk: whole or not at all, and never over what is not ours.

What is being written has a name that nobody can foresee, and is held by a lock that ends with the
process, however it ends. What a killed process left is removed by the next that writes to the same
place; what a living one writes is not. (Where the system has no such locks, nothing is removed.)

Permissions follow the umask, for every file alike: a run is as open or as private as whatever else
its owner makes.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal, cast

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import HengfaError, UsageError

Listed = Callable[[Path], Mapping[str, int]]
"""What the manifest in a folder says is ours: paths below the folder with their sizes."""

MANIFEST = "manifest.json"
"""The file of a folder that lists what is ours in it."""

Ending = Literal["new", "old"]
"""Of what is being written, and of a folder that is being replaced."""

_NAMED = 3
"""So many files are named in an error."""


@contextmanager
def whole_file(file: Path) -> Iterator[BinaryIO]:
    """A file that takes its name once all of it is written, and else leaves no trace.

    Until then it lies beside it, and it is created, never opened: a link planted there is not
    followed. A link that has the name itself is replaced; where it leads to, nothing changes.
    """
    with disk_errors(file):
        clear_leavings(file, "new")
        new, stream = _new_file(file)
        try:
            with stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                if fcntl is None:  # pragma: no cover - Windows renames no open file
                    stream.close()
                new.replace(file)
        except OSError as error:
            if error.filename == os.fspath(new):
                error.filename = os.fspath(file)
            raise
        finally:
            new.unlink(missing_ok=True)


def _new_file(file: Path) -> tuple[Path, BinaryIO]:
    """A file beside the place, held; anew where another process took it for left in between."""
    while True:
        new = _beside(file, "new")
        try:
            stream = new.open("x+b")
        except OSError as error:
            error.filename = os.fspath(file)
            raise
        if _hold(stream.fileno(), new, wait=True):
            return new, cast("BinaryIO", stream)
        stream.close()


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
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(target) as new:
            yield new
            _check(target, listed, force=force)
            if foreign(target, listed):
                _put_beside(new, target, listed)
            else:
                _exchange(new, target, listed)
            clear_leavings(target, "old", listed)


@contextmanager
def scratch_folder(place: Path, mode: int = 0o777) -> Iterator[Path]:
    """A folder beside a place, for what is to take it; gone in the end, at the latest when the
    next process asks for one there."""
    clear_leavings(place, "new")
    while True:
        new = _beside(place, "new")
        new.mkdir(mode)
        with _opened(new) as held:
            if not _hold(held, new, wait=True):
                continue
            try:
                yield new
            finally:
                shutil.rmtree(new, ignore_errors=True)
            return


def private_folder() -> AbstractContextManager[Path]:
    """A folder for this process alone, in the system's place for what does not last."""
    return scratch_folder(Path(tempfile.gettempdir(), "hengfa"), 0o700)


def clear_leavings(place: Path, ending: Ending, listed: Listed | None = None) -> None:
    """Remove what killed processes left beside a place; of an old folder, what its manifest lists.

    An old folder may be all that there is until a new one has taken its place, and is cleared then.
    """
    if fcntl is None:  # pragma: no cover - Windows
        return
    with suppress(OSError):  # what cannot be read or removed stays
        for left in _leavings(place, ending):
            with suppress(OSError), _opened(left) as held:
                if not _hold(held, left, wait=False):
                    continue
                if listed is not None:
                    _remove(left, _tell_apart(left, listed)[0])
                    left.rmdir()
                elif left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink()


def _leavings(place: Path, ending: Ending) -> list[Path]:
    """Files and folders that have such a name; no links."""
    name = re.compile(re.escape(f".{place.name[:40]}.") + f"[0-9a-f]{{16}}\\.{ending}")
    with os.scandir(place.parent) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if name.fullmatch(entry.name)
            and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
        ]


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A file or folder, opened only to be held; a link is an error."""
    held = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        yield held
    finally:
        os.close(held)


def _hold(opened: int, path: Path, *, wait: bool) -> bool:
    """Lock what is open until it is closed; False if another holds it, or has removed it."""
    if fcntl is None:  # pragma: no cover - Windows
        return True
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # held, or a disk without locks: then nothing on it is taken for left
        return wait
    try:
        return os.path.samestat(os.fstat(opened), path.lstat())
    except FileNotFoundError:
        return False


def foreign(folder: Path, listed: Listed) -> list[str]:
    """What is in a folder that its manifest does not list, or lists with another size."""
    return _tell_apart(folder, listed)[1]


def files_below(folder: Path) -> dict[str, int]:
    """All files in a folder with their sizes: what its manifest has to list."""
    return {
        path: (folder / path).stat().st_size for path in _below(folder) if (folder / path).is_file()
    }


def _tell_apart(folder: Path, listed: Listed) -> tuple[list[str], list[str]]:
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


def _beside(place: Path, ending: Ending) -> Path:
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
    if not target.exists():
        new.rename(target)
        return
    old = _beside(target, "old")
    with _opened(target) as held:
        _hold(held, target, wait=True)
        target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            old.rename(target)
            raise
        _remove(old, _tell_apart(old, listed)[0])
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
    gone = [path for path in _tell_apart(target, listed)[0] if path not in fresh]
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
