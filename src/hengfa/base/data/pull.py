"""Install a pack from its public homes, or from copies of them, at the pinned commits.

Files come one by one, or out of an archive of their repository, or from a folder of archives on
this machine. Whatever the way, every file is compared with its pin before it counts. A derived
pack is then made from them, and what was made is compared with its pins as well.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hengfa.base.data.catalogue import Entry, Source
from hengfa.base.data.download import (
    ELSEWHERE,
    LARGEST_ARCHIVE,
    PATIENCE,
    HaveBytes,
    PartFile,
    Patience,
    TooLongError,
    Wanted,
    check_base_url,
    download,
    download_whole,
    open_session,
)
from hengfa.base.data.install import check_space, empty_folder, install, sole_installer
from hengfa.base.data.output import files_below
from hengfa.base.data.packs import Pack, Receipt, pack_root, pull_folder, read_receipt, status_of
from hengfa.base.data.paths import PART, disk_errors, inside, packs_folder
from hengfa.base.data.repositories import Member, find_copy, is_of, members, of_tar
from hengfa.base.data.sums import FileSum, Pin, measure
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.base.hooks import load, offered
from hengfa.base.progress import FileProgress, Watch

MANY = 50
"""More missing files of a repository than this come as an archive."""


class Derivation(NamedTuple):
    """How the files of a pack are made: folders of its sources by their keys, to a folder."""

    version: str
    derive: Callable[[Mapping[str, Path], Path], None]


def derivation_of(pack: str) -> Derivation | None:
    """How a pack that no repository has as it is is made, by the wing that owns the thing; None if
    its files are taken as they are."""
    rooms = offered("derivations")
    if pack not in rooms:
        return None
    room = load(rooms[pack])
    return Derivation(room.VERSION, room.derive)


@dataclass(frozen=True, slots=True)
class Pulled:
    """A complete, verified pack, and how much of it had to be fetched for that."""

    pack: Pack
    fetched: int
    """Files that were brought here; the others were here already."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where files are taken from: their homes, a mirror, or a folder with copies."""

    base_url: str | None = None
    folder: Path | None = None
    patience: Patience = PATIENCE


def pull(
    entry: Entry,
    *,
    where: Where = Where(),  # noqa: B008 - it cannot be changed
    derivation: Derivation | None = None,
    parts: Collection[str] = (),
    watch: Watch = Watch(),  # noqa: B008 - nor can this
) -> Pulled:
    """Fetch what is missing, check every sum, derive, and install the pack when it is whole.

    Files that are here already with the right sum are not fetched again; what an interrupted call
    left is used by the next one. Parts that are installed stay; `parts` are those that join them.
    """
    for part in parts:
        if part not in entry.parts:
            there_is = ", ".join(entry.parts) or "none"
            raise UsageError(f"{entry.name!r} has no part {part!r}; there is: {there_is}")
    if where.base_url is not None:
        check_base_url(where.base_url)
    with sole_installer(entry):
        try:
            receipt = read_receipt(pack_root(entry.name))
        except DataError:  # a broken one is replaced
            receipt = None
        chosen = {"", *parts, *set(receipt.parts if receipt else ()).intersection(entry.parts)}
        status = status_of(entry)
        if receipt and status.pack and status.pack.verified and _has_all(receipt, chosen):
            return Pulled(status.pack, fetched=0)
        staged = pull_folder(entry)
        fetched = sum(
            bring(entry, source, staged / source.folder, chosen, where, watch)
            for source in entry.sources
        )
        folders = _chosen(entry, staged, chosen)
        made, files = put_together(entry, folders, derivation)
        version = derivation.version if derivation else ""
        if entry.derived and (differing := entry.deviations(files)):
            raise ChecksumError(
                f"derivation {version} made it otherwise than it is pinned: please report it, with"
                " the versions of Python and Hengfa",
                file=differing[0],
            )
        homes = " and ".join(dict.fromkeys(source.repository for source in entry.sources))
        origin = where.base_url or (str(where.folder.absolute()) if where.folder else homes)
        with_parts = [part for part in entry.parts if part in chosen]
        pack = install(entry, made, files, "pull", origin, version, with_parts)
        return Pulled(pack, fetched)


def _has_all(receipt: Receipt, chosen: Collection[str]) -> bool:
    """Every file of a pack is as it was installed, and no chosen part is missing."""
    root = pack_root(receipt.name)
    return {"", *receipt.parts}.issuperset(chosen) and all(
        measure(inside(root, file.path), file.path).sha256 == file.sha256 for file in receipt.files
    )


def bring(
    entry: Entry, source: Source, folder: Path, chosen: Collection[str], where: Where, watch: Watch
) -> int:
    """Fill a folder with the wanted files of a source; how many had to be brought."""
    pins = [pin for pin in source.files if pin.part in chosen]
    taken = 0
    if patterns := source.unpinned(chosen):
        taken = take_matching(source, patterns, folder, where, watch)
    if not pins:
        return taken
    if not entry.derived:
        _reuse(pack_root(entry.name), folder, pins)
    missing = [pin for pin in pins if not _is_good(folder, pin)]
    for pin in pins:
        if pin not in missing:
            watch.files(f"{source.folder}/{pin.path}", pin.size or 0)
    if not missing:
        return taken
    parts = [PartFile(inside(folder, pin.path), pin) for pin in missing]
    fetched = sum(part.path.stat().st_size for part in parts if part.path.is_file())
    check_space(entry, sum(pin.size or 0 for pin in missing) - fetched)
    told = Watch(lambda path, have: watch.files(f"{source.folder}/{path}", have), watch.archive)
    if where.folder is not None:
        _take_copy(entry, source, where.folder, parts, told.files)
    else:
        _fetch(entry, source, parts, where, told)
    return taken + len(missing)


def _take_copy(
    entry: Entry, source: Source, folder: Path, parts: list[PartFile], watch: FileProgress
) -> None:
    place = find_copy(folder, source.folder)
    if place is None:
        raise DataError(
            f"neither a folder {source.folder} nor an archive of that name (.tar.gz, .tar.xz, .zip)"
            f" is here; {entry.name!r} needs it",
            file=folder,
        )
    if lacking := _unpack(members(place), parts, watch):
        part = lacking[0]
        others = f" (and {len(lacking) - 1} more files)" if len(lacking) > 1 else ""
        problem = f"has no {part.pinned.path}{others} with {part.pinned}, as {source.key} has it"
        raise ChecksumError(problem, file=place)


def _fetch(entry: Entry, source: Source, parts: list[PartFile], where: Where, watch: Watch) -> None:
    if where.base_url is None and len(parts) > MANY:
        label = f"{entry.name}: archive of {source.repository}"
        archive = _of_archive(source, label, watch.archive, where.patience)
        parts = _unpack(archive, parts, watch.files)  # those that it lacks
    base = where.base_url and where.base_url.rstrip("/")
    if base and len(entry.sources) > 1:
        base = f"{base}/{source.folder}"
    paths = ((part, part.pinned.path) for part in parts)
    wanted = [
        Wanted(source.url_of(path, base), part, f"{entry.name}: {path}") for part, path in paths
    ]
    asyncio.run(_fetch_all(wanted, base or source.url_of(""), watch.files, where.patience))


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


def take_matching(
    source: Source,
    patterns: tuple[str, ...],
    folder: Path,
    where: Where,
    watch: Watch,
    *,
    all_match: bool = True,
) -> int:
    """What patterns name of a repository, though nobody has pinned it; how many files that were.
    With `all_match` a pattern that names nothing is an error."""
    if where.base_url is not None:
        raise UsageError(
            f"what nobody pinned of {source.key} comes out of its archive, which a mirror of files"
            " has not: take it from its home, or from a copy with --from"
        )
    if where.folder is None:
        offered = _of_archive(source, f"archive of {source.key}", watch.archive, where.patience)
    elif place := find_copy(where.folder, source.folder):
        offered = members(place)
    else:
        raise DataError(f"there is no copy {source.folder} here", file=where.folder)
    _write(offered, patterns, folder)
    taken = [path for path in files_below(folder) if is_of(path, patterns)]
    for pattern in patterns if all_match else ():
        if not any(is_of(path, [pattern]) for path in taken):
            raise DataError(f"nothing matches the pattern {pattern!r}", file=source.key)
    return len(taken)


def _write(offered: Iterable[Member], patterns: tuple[str, ...], folder: Path) -> None:
    left = LARGEST_ARCHIVE
    for member in offered:
        if is_of(member.path, patterns):
            file = inside(folder, member.path)
            with disk_errors(file):
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("wb") as stream:
                    for block in member.blocks():
                        left -= stream.write(block)
                        if left < 0:
                            raise DataError(f"more than {LARGEST_ARCHIVE} bytes", file=file)


def _of_archive(
    source: Source, label: str, watch: HaveBytes, patience: Patience
) -> Iterator[Member]:
    """The whole repository at its commit; the archive itself is never left behind."""
    advice = f"try it again, or take {source.folder}.tar.gz by other means: {ELSEWHERE}"
    with disk_errors(packs_folder()), tempfile.TemporaryFile(dir=packs_folder()) as stream:
        asyncio.run(download_whole(source.archive_url, label, stream, patience, watch, advice))
        stream.seek(0)
        yield from of_tar(stream, label)


def _unpack(
    offered: Iterable[Member], wanted: Iterable[PartFile], watch: FileProgress
) -> list[PartFile]:
    """Bring what is offered of the wanted files to its place; those that are not there."""
    missing = {part.pinned.path: part for part in wanted}
    for member in offered:  # read no further than the last file that is wanted
        part = missing.get(member.path)
        if part is not None and _take(member, part):
            watch(member.path, member.size)
            del missing[member.path]
        if not missing:
            break
    return list(missing.values())


def _take(member: Member, part: PartFile) -> bool:
    """Write a member to its place; a wrong one leaves nothing behind."""
    if part.pinned.size not in {None, member.size}:
        return False
    with part.opened():
        part.restart()
        try:
            for block in member.blocks():
                part.append(block)
        except TooLongError:
            return False
        if not part.pinned.fits(part.measured()):
            part.delete()
            return False
        part.finish()
    return True


def _chosen(entry: Entry, staged: Path, chosen: Collection[str]) -> dict[str, Path]:
    """The folders of the sources that are wanted, without what an earlier call wanted besides."""
    folders = {}
    for source in entry.sources:
        folder = staged / source.folder
        for pin in source.files:
            if pin.part not in chosen:
                inside(folder, pin.path).unlink(missing_ok=True)
        if source.unpinned(chosen) or any(pin.part in chosen for pin in source.files):
            folders[source.key] = folder
    return folders


def put_together(
    entry: Entry, folders: Mapping[str, Path], derivation: Derivation | None
) -> tuple[Path, list[FileSum]]:
    """The files of a pack in a folder of its own, derived or as the sources have them, measured."""
    made = packs_folder() / f".{entry.name}.made"
    empty_folder(made)
    if entry.derived:
        if derivation is None:
            raise UsageError(f"{entry.name!r} is derived, and nobody said how")
        derivation.derive(folders, made)
    else:
        unfinished = shutil.ignore_patterns(f"*{PART}")
        for folder in folders.values():
            with disk_errors(made):
                shutil.copytree(folder, made, ignore=unfinished, dirs_exist_ok=True)
    return made, [measure(inside(made, path), path) for path in sorted(files_below(made))]


def _is_good(root: Path, pin: Pin) -> bool:
    place = inside(root, pin.path)
    return (
        place.is_file()
        and pin.size in {None, place.stat().st_size}
        and pin.fits(measure(place, pin.path))
    )


def _reuse(root: Path, target: Path, pins: Iterable[Pin]) -> None:
    """Take over what is right in a folder, without using the disk twice where possible."""
    with disk_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        for pin in pins:
            source, place = inside(root, pin.path), inside(target, pin.path)
            if place.is_file() or not _is_good(root, pin):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, place)
            except OSError:
                shutil.copyfile(source, place)
