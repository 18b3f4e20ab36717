"""Another commit of a source: what changes, the pack made anew, and the law library after it.

Nobody has pinned the files of that commit, so the pack is not verified. All other sources are
pinned as ever. Whatever is installed stays until the new pack is whole and, for the statutes, until
a library could be built of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.catalogue import Entry, Source
from hengfa.base.data.install import empty_folder, install, sole_installer
from hengfa.base.data.output import files_below
from hengfa.base.data.packs import Pack, find_pack, pull_folder, read_receipt
from hengfa.base.data.paths import RECEIPT, inside
from hengfa.base.data.pull import Where, bring, derivation_of, put_together, take_matching
from hengfa.base.data.repositories import ENDINGS
from hengfa.base.data.sums import measure
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Watch
from hengfa.law.library.building.build import PACK as STATUTES
from hengfa.law.library.building.build import build_library
from hengfa.law.library.building.sources import SourceFolder
from hengfa.law.library.changes import changed_laws
from hengfa.law.library.store import Library, default_file

_SHA: Final = 40


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update changes, or would change; `pack` and `library` are what was made anew."""

    source: str
    changes: dict[str, list[str]]
    pack: Pack | None = None
    library: Path | None = None

    def lines(self) -> Iterator[str]:
        """For the terminal: how many of each kind, and which."""
        for kind, names in self.changes.items():
            yield f"{kind}: {len(names)}"
            yield from (f"  {name}" for name in names)
        if not any(self.changes.values()):
            yield "nothing changes"


def update(
    entry: Entry, commit: str | None, where: Where, *, watch: Watch, dry_run: bool = False
) -> Updated:
    """Make the pack of another commit of one of its sources, and install it."""
    pinned, new = _other_commit(entry, commit, where.folder)
    sources = tuple(new if known is pinned else known for known in entry.sources)
    renewed = msgspec.structs.replace(entry, sources=sources)
    with sole_installer(entry):
        old = find_pack(entry.name).root
        receipt = read_receipt(old)
        parts = [part for part in entry.parts if receipt and part in receipt.parts]
        staged = pull_folder(entry)
        derivation = derivation_of(entry.name)
        folders = _gather(renewed, new, staged, parts, where, watch)
        made, files = put_together(entry, folders, derivation)
        changes = _changes(entry, old, made)
        if dry_run:
            shutil.rmtree(staged, ignore_errors=True)
            shutil.rmtree(made, ignore_errors=True)
            return Updated(new.key, changes)
        library = _build(entry, made)
        try:
            origin = str(where.folder.absolute()) if where.folder else new.repository
            version = derivation.version if derivation else ""
            pack = install(renewed, made, files, "update", origin, version, parts)
            if library is not None:
                library.replace(default_file())
        finally:
            if library is not None:
                library.unlink(missing_ok=True)
        return Updated(new.key, changes, pack, library and default_file())


def _gather(
    entry: Entry, new: Source, staged: Path, parts: list[str], where: Where, watch: Watch
) -> dict[str, Path]:
    """A folder for each source that is needed; what is new is taken as it comes."""
    folders = {}
    for source in entry.sources:
        offered = ("", *source.parts) if source.patterns else tuple(source.parts)
        chosen = {"", *parts}.intersection(offered)
        folder = staged / source.folder
        if source is new:
            empty_folder(folder)
            patterns = (*new.patterns, *(p for part in parts for p in new.parts.get(part, ())))
            # a derivation knows itself what it cannot do without
            take_matching(new, patterns, folder, where, watch, all_match=not entry.derived)
        elif chosen:
            bring(entry, source, folder, chosen, where, watch)
        if chosen:
            folders[source.key] = folder
    return folders


def _other_commit(entry: Entry, commit: str | None, folder: Path | None) -> tuple[Source, Source]:
    """The source that is meant, and the same at the other commit."""
    if commit is None:
        if folder is None:
            raise UsageError("name a commit with --commit, or a folder with copies with --from")
        return _find_copy(entry, folder)
    repository, _, sha = commit.rpartition("@")
    if len(sha) != _SHA or not set(sha) <= set("0123456789abcdef"):
        problem = "is not the full SHA of a commit, 40 hexadecimal digits"
        raise UsageError(f"--commit: {sha!r} {problem}")
    live = _live(entry)
    if repository not in live and (repository or len(live) > 1):
        problem = "name one of the sources, such as OWNER/REPOSITORY@SHA"
        raise UsageError(f"--commit: {problem}: {', '.join(live)}")
    source = live[repository or next(iter(live))]
    if any(known.key == f"{source.repository}@{sha}" for known in entry.sources):
        pull = f"`hengfa data pull {entry.name}` takes it"
        raise UsageError(f"--commit: {sha} is a pinned commit: {pull}")
    return source, msgspec.structs.replace(source, commit=sha, files=())


def _live(entry: Entry) -> dict[str, Source]:
    """The sources that go on: of a repository that stands for several commits, the first."""
    live: dict[str, Source] = {}
    for source in entry.sources:
        if source.patterns:
            live.setdefault(source.repository, source)
    if not live:
        raise UsageError(f"{entry.name!r} is the pack of a private suite: it has no sources")
    return live


def _find_copy(entry: Entry, folder: Path) -> tuple[Source, Source]:
    """The one copy in a folder that is of another commit than the pinned one."""
    pinned = {source.commit for source in entry.sources}
    found = [
        (source, sha)
        for source in _live(entry).values()
        for sha in sorted(_commits_in(folder, source.repository.partition("/")[2]))
        if sha not in pinned
    ]
    if len(found) != 1:
        which = ", ".join(f"{source.repository}@{sha}" for source, sha in found)
        several = f"several copies are here ({which})"
        problem = several if found else "no copy of another commit is here"
        raise UsageError(f"{folder}: {problem}; name one with --commit OWNER/REPOSITORY@SHA")
    source, sha = found[0]
    return source, msgspec.structs.replace(source, commit=sha, files=())


def _commits_in(folder: Path, repository: str) -> Iterator[str]:
    for place in folder.glob(f"{repository}-*"):
        name = place.name
        for ending in ENDINGS:
            name = name.removesuffix(ending)
        sha = name.removeprefix(f"{repository}-")
        if len(sha) == _SHA:
            yield sha


def _changes(entry: Entry, old: Path, made: Path) -> dict[str, list[str]]:
    """Laws, where the pack is of laws; else files."""
    if entry.name == STATUTES:
        return changed_laws(old, made)
    before = {path: measure(inside(old, path), path).sha256 for path in _files(old)}
    after = {path: measure(inside(made, path), path).sha256 for path in _files(made)}
    return {
        "added": sorted(after.keys() - before.keys()),
        "changed": sorted(p for p in after.keys() & before.keys() if after[p] != before[p]),
        "removed": sorted(before.keys() - after.keys()),
    }


def _files(root: Path) -> list[str]:
    return [path for path in files_below(root) if path != RECEIPT]


def _own_texts() -> list[SourceFolder]:
    """What `law build --with` has put into the library; one of another format has none."""
    try:
        with Library.open() as library:
            return [SourceFolder(path, own=True) for path in library.own_folders if path.exists()]
    except DataError:
        return []


def _build(entry: Entry, made: Path) -> Path | None:
    """The library of the new statutes, where there is one of the old: a pack of which none can be
    built is not installed."""
    if entry.name != STATUTES or not Library.is_kept_in(default_file()):
        return None
    file = default_file().with_suffix(".new")
    build_library([SourceFolder(made), *_own_texts()], file)
    with Library.open(file) as library:
        if not library.versions():
            raise DataError("no law could be read out of it", file=made)
    return file
