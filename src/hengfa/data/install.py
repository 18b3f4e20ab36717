"""The last step of both ways to install: a finished folder takes the place of the old pack.

Files are gathered in a folder of their own beside the packs. Whatever is installed stays as it is
until the new one is whole, so no reader ever sees a mixture.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from hengfa.data.catalogue import Entry
from hengfa.data.home import packs_folder
from hengfa.data.packs import Pack, pack_of, pack_root
from hengfa.data.paths import disk_errors
from hengfa.data.receipt import How, Receipt, deviations, write_receipt
from hengfa.data.sums import FileSum
from hengfa.errors import DataError


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
            raise DataError(
                f"another process is installing {entry.name!r}: wait until it has ended",
                file=lock.lock_file,
            ) from None
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


def install(entry: Entry, staged: Path, files: tuple[FileSum, ...], how: How, source: str) -> Pack:
    """Write the receipt into the staged folder and put the folder where packs are looked for."""
    receipt = Receipt(
        name=entry.name,
        repository=entry.repository,
        commit=entry.commit,
        licence=entry.licence,
        how=how,
        source=source,
        installed=datetime.now(UTC).isoformat(timespec="seconds"),
        verified=not deviations(entry, files),
        files=files,
    )
    write_receipt(staged, receipt)
    root = pack_root(entry.name)
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
    return pack_of(receipt, root)


def empty_folder(folder: Path) -> None:
    """Make a folder with nothing in it."""
    with disk_errors(folder):
        _remove(folder)
        folder.mkdir(parents=True)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
