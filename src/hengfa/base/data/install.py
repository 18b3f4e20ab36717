"""Install a pack from a local folder, and the last step of all installing.

Files are gathered in a folder of their own beside the packs. Whatever is installed stays as it is
until the new one is whole and takes its place, so no reader ever sees a mixture.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from hengfa.base.data.catalogue import Entry
from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.output import files_below
from hengfa.base.data.packs import How, Pack, Receipt, pack_of, pack_root, read_receipt
from hengfa.base.data.paths import RECEIPT, disk_errors, inside, packs_folder
from hengfa.base.data.sums import FileSum, Pin, measure
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.base.progress import FileProgress, unwatched

BLOCK = 1 << 20


def add(
    entry: Entry, folder: Path, *, allow_changed: bool = False, watch: FileProgress = unwatched
) -> Pack:
    """Check every catalogued file of the folder and copy it; other files are left alone.

    With `allow_changed`, files with other contents are taken as they are and optional files may be
    missing; the pack is then marked unverified, and so is every result made with it.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    wanted = _files_at_hand(entry, folder, allow_changed=allow_changed)
    with sole_installer(entry):
        check_space(entry, sum(_source(folder, file).stat().st_size for file in wanted))
        staged = packs_folder() / f".{entry.name}.add"
        empty_folder(staged)
        try:
            copied = []
            for pinned in wanted:
                copy = _copy(_source(folder, pinned), inside(staged, pinned.path), pinned.path)
                if not pinned.fits(copy) and not allow_changed:
                    raise _change_error(entry, _source(folder, pinned), pinned, copy)
                copied.append(copy)
                watch(copy.path, copy.size)
            parts = dict.fromkeys(pinned.part for pinned in wanted if pinned.part)
            return install(entry, staged, copied, "add", str(folder.absolute()), parts=parts)
        finally:
            # gone already when the pack was installed
            shutil.rmtree(staged, ignore_errors=True)


def _files_at_hand(entry: Entry, folder: Path, *, allow_changed: bool) -> list[Pin]:
    """The catalogued files that the folder has; one that it must have and has not is an error."""
    files = entry.files_in(folder)
    missing = [file for file in files if not _source(folder, file).is_file()]
    refused = [file for file in missing if not (allow_changed and file.path in entry.optional)]
    if refused:
        others = f" (and {len(refused) - 1} more files)" if len(refused) > 1 else ""
        problem = f"missing{others}: the folder must be laid out like {entry.origin}"
        raise DataError(problem, file=_source(folder, refused[0]))
    return [file for file in files if file not in missing]


def _source(folder: Path, file: Pin) -> Path:
    return inside(folder, file.path)


def _copy(source: Path, target: Path, path: str) -> FileSum:
    """Copy contents only, never a link, and measure what was really copied."""
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as reader, target.open("xb") as writer:
            shutil.copyfileobj(reader, writer, BLOCK)
    return measure(target, path)


def _change_error(entry: Entry, source: Path, pinned: Pin, sums: FileSum) -> ChecksumError:
    fresh = "Take a fresh copy"
    if entry.sources:
        fresh += f" (git: core.autocrlf=false), run `hengfa data pull {entry.name}`"
    return ChecksumError(
        f"differs from {entry.origin}: sha256 is {sums.sha256} ({sums.size} bytes), pinned is"
        f" {pinned}. {fresh}, or accept it with --allow-changed: the"
        " pack is then marked unverified",
        file=source,
    )


def install(
    entry: Entry,
    staged: Path,
    files: Iterable[FileSum],
    how: How,
    source: str,
    derivation: str = "",
    parts: Iterable[str] = (),
) -> Pack:
    """Write the receipt into the staged folder and put the folder where packs are looked for."""
    measured = tuple(files)
    receipt = Receipt(
        name=entry.name,
        repository=entry.home.repository if entry.home else None,
        commit=entry.home.commit if entry.home else None,
        licence=entry.licence,
        how=how,
        source=source,
        installed=datetime.now(UTC).isoformat(timespec="seconds"),
        verified=bool(entry.pins) and not entry.deviations(measured),
        files=measured,
        sources=tuple(source.key for source in entry.sources),
        derivation=derivation,
        parts=tuple(parts),
    )
    content = msgspec.json.format(msgspec.json.encode(receipt), indent=2)
    write_atomically(staged / RECEIPT, content + b"\n")
    root = pack_root(entry.name)
    _refuse_others(entry, root)
    old = packs_folder() / f".{entry.name}.old"
    with disk_errors(root):
        _remove(old)
        if root.is_symlink() or root.exists():
            root.rename(old)
        try:
            staged.rename(root)
        except OSError:
            if old.exists():
                old.rename(root)
            raise
        for left in packs_folder().glob(f".{entry.name}.*"):
            if left.is_symlink() or left.is_dir():
                _remove(left)
    return pack_of(entry, receipt)


def _refuse_others(entry: Entry, root: Path) -> None:
    """A pack is replaced as a folder: what somebody put into it must not go with it."""
    try:
        receipt = read_receipt(root)
    except DataError:  # a broken one is replaced
        receipt = None
    known = {RECEIPT, *(pin.path for pin in entry.pins)}
    known |= {file.path for file in receipt.files} if receipt else set()
    others = [path for path in files_below(root) if path not in known]
    if others:
        raise DataError(
            f"is no file of the pack {entry.name!r}: move it away, the pack is replaced as a whole",
            file=root / others[0],
        )


@contextmanager
def sole_installer(entry: Entry) -> Iterator[None]:
    """Only one process at a time installs a pack."""
    folder = packs_folder()
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f".{entry.name}.lock", timeout=0)
    with disk_errors(folder):
        try:
            lock.acquire()
        except Timeout:
            problem = f"another process is installing {entry.name!r}: wait until it has ended"
            raise DataError(problem, file=lock.lock_file) from None
    try:
        yield
    finally:
        lock.release()


def check_space(entry: Entry, needed: int) -> None:
    """Refuse to begin what cannot fit."""
    folder = packs_folder()
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DataError(
            f"{entry.name!r} needs {needed} bytes, this disk has {free} free: make room, or set"
            " HENGFA_HOME to a larger disk",
            file=folder,
        )


def empty_folder(folder: Path) -> None:
    with disk_errors(folder):
        _remove(folder)
        folder.mkdir(parents=True)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
