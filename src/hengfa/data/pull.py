"""Install a pack from its own home on the network, at the pinned commit."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hengfa.data.addresses import check_base_url
from hengfa.data.archive import unpack
from hengfa.data.catalogue import Entry
from hengfa.data.download import (
    PATIENCE,
    HaveBytes,
    Patience,
    Wanted,
    download,
    download_whole,
    open_session,
)
from hengfa.data.home import packs_folder
from hengfa.data.install import check_space, install, sole_installer
from hengfa.data.packs import Pack, pack_root, pull_folder, status_of
from hengfa.data.partfile import PartFile
from hengfa.data.paths import disk_errors, inside
from hengfa.data.sums import FileSum, sha256_of
from hengfa.data.watch import Watch, unwatched

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
    watch: Watch = unwatched,
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


def _fetch_archive(
    entry: Entry,
    url: str,
    wanted: list[Wanted],
    watch: Watch,
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
        return unpack(stream, label, [file.part for file in wanted], watch)


async def _fetch_all(wanted: list[Wanted], source: str, watch: Watch, patience: Patience) -> None:
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
