"""Install a pack from a local folder that has the upstream layout."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from hengfa.data.catalogue import Entry
from hengfa.data.home import packs_folder
from hengfa.data.install import check_space, empty_folder, install, sole_installer
from hengfa.data.packs import Pack
from hengfa.data.paths import disk_errors, inside
from hengfa.data.sums import FileSum
from hengfa.data.watch import Watch, unwatched
from hengfa.errors import ChecksumError, DataError, UsageError

BLOCK = 1 << 20


def add(
    entry: Entry, folder: Path, *, allow_changed: bool = False, watch: Watch = unwatched
) -> Pack:
    """Check every catalogued file of the folder and copy it; other files are left alone.

    With `allow_changed`, files with other contents are taken as they are and optional files may be
    missing; the pack is then marked unverified, and so is every result made with it.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    wanted = _present(entry, folder, allow_changed=allow_changed)
    with sole_installer(entry):
        check_space(entry, sum(_source(folder, file).stat().st_size for file in wanted))
        staged = packs_folder() / f".{entry.name}.add"
        empty_folder(staged)
        try:
            copied = []
            for pinned in wanted:
                copy = _copy(_source(folder, pinned), inside(staged, pinned.path), pinned.path)
                if copy != pinned and not allow_changed:
                    raise _changed(entry, _source(folder, pinned), pinned, copy)
                copied.append(copy)
                watch(copy.path, copy.size)
            return install(entry, staged, tuple(copied), "add", str(folder.absolute()))
        finally:
            # gone already when the pack was installed
            shutil.rmtree(staged, ignore_errors=True)


def _source(folder: Path, file: FileSum) -> Path:
    return inside(folder, file.path)


def _present(entry: Entry, folder: Path, *, allow_changed: bool) -> list[FileSum]:
    """The catalogued files that the folder has; one that it must have and has not is an error."""
    missing = [file for file in entry.files if not _source(folder, file).is_file()]
    refused = [file for file in missing if not (allow_changed and file.path in entry.optional)]
    if refused:
        others = f" (and {len(refused) - 1} more files)" if len(refused) > 1 else ""
        raise DataError(
            f"missing{others}: the folder must be laid out like {entry.origin}",
            file=_source(folder, refused[0]),
        )
    return [file for file in entry.files if file not in missing]


def _copy(source: Path, target: Path, path: str) -> FileSum:
    """Copy contents only, never a link, and measure what was really copied."""
    digest = hashlib.sha256()
    size = 0
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as reader, target.open("xb") as writer:
            while block := reader.read(BLOCK):
                digest.update(block)
                size += writer.write(block)
    return FileSum(path, size, digest.hexdigest())


def _changed(entry: Entry, source: Path, pinned: FileSum, found: FileSum) -> ChecksumError:
    fresh = "Take a fresh copy"
    if entry.url is not None:
        fresh += f" (git: core.autocrlf=false), run `hengfa data pull {entry.name}`"
    return ChecksumError(
        f"differs from {entry.origin}: sha256 is {found.sha256} ({found.size} bytes), pinned is"
        f" {pinned.sha256} ({pinned.size} bytes). {fresh}, or accept it with --allow-changed: the"
        " pack is then marked unverified",
        file=source,
    )
