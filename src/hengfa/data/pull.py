"""Install a pack from its own home on the network, at the pinned commit.

Files come one by one, or out of an archive of the repository. An archive says where its members
would like to lie. Nothing here listens to that: a member whose path is a pinned one, below the one
folder that every repository's archive has, and whose size and sum are the pinned ones, is written
where the pack has this file. All others are passed over.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hengfa.data.catalogue import Entry
from hengfa.data.download import (
    PATIENCE,
    HaveBytes,
    PartFile,
    Patience,
    Wanted,
    check_base_url,
    download,
    download_whole,
    open_session,
)
from hengfa.data.install import FileProgress, check_space, install, sole_installer, unwatched
from hengfa.data.packs import Pack, pack_root, pull_folder, status_of
from hengfa.data.paths import disk_errors, inside, packs_folder
from hengfa.data.sums import FileSum, sha256_of
from hengfa.errors import DataError

_DAMAGED = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, UnicodeError)

MANY = 50
"""More missing files than this come as an archive, where the pack has one."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """A complete, verified pack, and how much of it had to be fetched for that."""

    pack: Pack
    fetched: int
    """Files that came over the network; the others were here already."""


def pull(
    entry: Entry,
    *,
    base_url: str | None = None,
    watch: FileProgress = unwatched,
    watch_archive: HaveBytes = lambda _have: None,
    patience: Patience = PATIENCE,
) -> Pulled:
    """Fetch what is missing, check every sum, and install the pack when it is whole.

    `base_url` names a mirror with the upstream layout. Files that are here already with the right
    sum are not fetched again; what an interrupted call left is used by the next one. A pack of many
    files comes as an archive of its repository first, and what that lacks file by file.
    """
    base = check_base_url(base_url) if base_url is not None else None
    source = base or entry.url_of("")
    with sole_installer(entry):
        good = [file for file in entry.files if _is_good(pack_root(entry.name), file)]
        for file in good:
            watch(file.path, file.size)
        status = status_of(entry)
        if status.pack and status.pack.verified and len(good) == len(entry.files):
            return Pulled(status.pack, fetched=0)
        staged = pull_folder(entry)
        _reuse(pack_root(entry.name), staged, good)
        missing = [file for file in entry.files if not _is_good(staged, file)]
        for file in entry.files:
            if file not in missing:
                watch(file.path, file.size)
        check_space(entry, sum(file.size for file in missing) - _already_fetched(staged, missing))
        wanted = [
            Wanted(
                url=entry.url_of(file.path, base),
                part=PartFile(inside(staged, file.path), file),
                label=f"{entry.name}: {file.path}",
            )
            for file in missing
        ]
        if base is None and entry.archive_url and len(wanted) > MANY:
            lacking = _fetch_archive(
                entry, entry.archive_url, wanted, watch, watch_archive, patience
            )
            wanted = [file for file in wanted if file.part.pinned.path in lacking]
            source = entry.archive_url
        asyncio.run(_fetch_all(wanted, base or entry.url_of(""), watch, patience))
        return Pulled(install(entry, staged, entry.files, "pull", source), fetched=len(missing))


async def _fetch_all(
    wanted: list[Wanted], source: str, watch: FileProgress, patience: Patience
) -> None:
    """A few files at a time; the first that fails for good stops the others."""
    turn = asyncio.Semaphore(patience.parallel)

    async def one(file: Wanted) -> None:
        async with turn:
            path = file.part.pinned.path
            await download(session, file, patience, lambda have: watch(path, have))

    try:
        async with open_session(source, patience) as session, asyncio.TaskGroup() as group:
            for file in wanted:
                group.create_task(one(file))
    except BaseExceptionGroup as problems:
        # several may fail at once, one says enough; the others come up again if they persist
        raise problems.exceptions[0] from None


def _fetch_archive(
    entry: Entry,
    url: str,
    wanted: list[Wanted],
    watch: FileProgress,
    watch_archive: HaveBytes,
    patience: Patience,
) -> set[str]:
    """One request for all files; the archive itself is never left behind. What it lacks."""
    label = f"{entry.name}: archive"
    advice = (
        f"try it again, or clone {entry.homepage}, check out {entry.commit} and run"
        f" `hengfa data add {entry.name} DIR`"
    )

    async def fetch() -> None:
        async with open_session(url, patience) as session:
            await download_whole(session, url, label, stream, patience, watch_archive, advice)

    with disk_errors(packs_folder()), tempfile.TemporaryFile(dir=packs_folder()) as stream:
        asyncio.run(fetch())
        stream.seek(0)
        return _unpack(stream, label, [file.part for file in wanted], watch)


def _unpack(
    stream: BinaryIO, label: str, wanted: Iterable[PartFile], watch: FileProgress
) -> set[str]:
    """Bring what the archive has of the wanted files to its place; the paths that it lacks."""
    missing = {part.pinned.path: part for part in wanted}
    try:
        # read from front to back, and no further than the last file that is wanted
        with tarfile.open(fileobj=stream, mode="r|gz") as archive:
            for member in archive:
                path = member.name.partition("/")[2]
                part = missing.get(path)
                if part is not None and _take(archive, member, part):
                    watch(path, part.pinned.size)
                    del missing[path]
                if not missing:
                    break
    except _DAMAGED as error:
        raise DataError(
            f"this archive cannot be read ({error}): the same command fetches it again", file=label
        ) from error
    return set(missing)


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, part: PartFile) -> bool:
    if not member.isreg() or member.size != part.pinned.size:
        return False
    content = archive.extractfile(member)
    if content is None:  # pragma: no cover - a regular member has contents
        return False
    body = content.read()
    if FileSum(part.pinned.path, len(body), hashlib.sha256(body).hexdigest()) != part.pinned:
        return False
    with part.opened():
        part.restart()
        part.append(body)
        part.finish()
    return True


def _is_good(root: Path, file: FileSum) -> bool:
    place = inside(root, file.path)
    return place.is_file() and place.stat().st_size == file.size and sha256_of(place) == file.sha256


def _reuse(root: Path, staged: Path, good: list[FileSum]) -> None:
    """Take over what the installed pack has right, without using the disk twice where possible."""
    with disk_errors(staged):
        staged.mkdir(parents=True, exist_ok=True)
        for file in good:
            source, target = inside(root, file.path), inside(staged, file.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            try:
                os.link(source, target)
            except OSError:
                shutil.copyfile(source, target)


def _already_fetched(staged: Path, files: list[FileSum]) -> int:
    """Bytes that lie in parts and need no more room."""
    parts = (PartFile(inside(staged, file.path), file).path for file in files)
    return sum(part.stat().st_size for part in parts if part.is_file())
