"""What is installed on this machine, and whether it can be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hengfa.data.catalogue import Entry, load_entry
from hengfa.data.home import packs_folder
from hengfa.data.paths import RECEIPT, inside
from hengfa.data.receipt import Receipt, deviations, read_receipt
from hengfa.data.sums import fingerprint, sum_of
from hengfa.errors import DataError

State = Literal["installed", "unverified", "absent", "started", "incomplete", "outdated", "broken"]


@dataclass(frozen=True, slots=True)
class Pack:
    """Upstream data in a local folder, with what a result must say about it."""

    name: str
    root: Path
    commit: str
    verified: bool
    """All files are the pinned ones. False: somebody accepted a changed copy, say so."""
    fingerprint: str
    """A short name for exactly these files; equal fingerprints mean equal data."""

    def file(self, path: str) -> Path:
        """One file of the pack, by its upstream path."""
        file = inside(self.root, path)
        if not file.is_file():
            raise DataError(f"not in the pack {self.name!r}: {repair(self.name)}", file=file)
        return file


@dataclass(frozen=True, slots=True)
class Status:
    """How an entry of the catalogue stands on this machine.

    `installed` and `unverified` can be used. `absent`: nothing is here. `started`: a pull was
    interrupted. `incomplete`: a file is gone or has another size. `outdated`: made for another
    version of the catalogue. `broken`: the receipt cannot be read.
    """

    state: State
    root: Path
    pack: Pack | None = None
    problem: DataError | None = None


def repair(name: str) -> str:
    """What to do when a pack is not as it should be."""
    return f"run `hengfa data pull {name}`, or `hengfa data add {name} DIR` with a folder you have"


def not_installed(name: str) -> DataError:
    """The error of whoever needs a pack that is not here."""
    return DataError(f"the pack {name!r} is not installed: {repair(name)}", file=pack_root(name))


def pack_root(name: str) -> Path:
    """Where a pack lies once it is installed."""
    return packs_folder() / name


def pull_folder(entry: Entry) -> Path:
    """Where a pull collects files until all are there; the commit keeps two versions apart."""
    return packs_folder() / f".{entry.name}.{entry.commit[:12]}.pull"


def find_pack(name: str) -> Pack:
    """The installed pack of this name; an error says how to get it.

    Sizes are compared, sums are not: that is `hengfa.data.verify`.
    """
    return open_pack(load_entry(name))


def open_pack(entry: Entry) -> Pack:
    """Like `find_pack`, for an entry that is already at hand."""
    status = status_of(entry)
    if status.problem:
        raise status.problem
    if status.pack is None:  # pragma: no cover - a status has one or the other
        raise AssertionError(status)
    return status.pack


def status_of(entry: Entry) -> Status:
    """Look at the receipt and at the sizes of the files."""
    root = pack_root(entry.name)
    try:
        receipt = read_receipt(root)
    except DataError as error:
        return Status(
            "broken",
            root,
            problem=DataError(
                f"this receipt cannot be used; {repair(entry.name)} ({error})", file=root / RECEIPT
            ),
        )
    if receipt is None:
        state: State = "started" if pull_folder(entry).is_dir() else "absent"
        return Status(state, root, problem=not_installed(entry.name))
    stale = _stale(entry, receipt, root)
    if stale:
        return Status("outdated", root, problem=stale)
    damaged = _damaged(receipt, root)
    if damaged:
        return Status("incomplete", root, problem=damaged)
    return Status(
        "installed" if receipt.verified else "unverified", root, pack=pack_of(receipt, root)
    )


def pack_of(receipt: Receipt, root: Path) -> Pack:
    """The pack that a receipt describes."""
    return Pack(
        name=receipt.name,
        root=root,
        commit=receipt.commit,
        verified=receipt.verified,
        fingerprint=fingerprint(receipt.files),
    )


def folder_pack(name: str, root: Path, commit: str = "") -> Pack:
    """Any folder in upstream layout as a pack, unverified and without installing it.

    Only files that the catalogue knows count: what else lies there, such as runs, is no data.
    """
    known = [file.path for file in load_entry(name).files if (root / file.path).is_file()]
    if not known:
        raise DataError(f"no file of the pack {name!r} is in this folder", file=root)
    sums = [sum_of(root, path) for path in known]
    return Pack(name=name, root=root, commit=commit, verified=False, fingerprint=fingerprint(sums))


def _stale(entry: Entry, receipt: Receipt, root: Path) -> DataError | None:
    if receipt.commit != entry.commit:
        return DataError(
            f"installed from commit {receipt.commit[:12]}, this version of hengfa needs"
            f" {entry.commit[:12]}: {repair(entry.name)}",
            file=root / RECEIPT,
            field="commit",
        )
    differing = deviations(entry, receipt.files) if receipt.verified else []
    if differing:
        return DataError(
            f"says the pack is verified, but {differing[0]} is not as the catalogue pins it:"
            f" {repair(entry.name)}",
            file=root / RECEIPT,
            field="verified",
        )
    return None


def _damaged(receipt: Receipt, root: Path) -> DataError | None:
    for recorded in receipt.files:
        file = inside(root, recorded.path)
        if not file.is_file():
            return DataError(f"this file of the pack is gone: {repair(receipt.name)}", file=file)
        size = file.stat().st_size
        if size != recorded.size:
            return DataError(
                f"has {size} bytes, was installed with {recorded.size}: {repair(receipt.name)}",
                file=file,
            )
    return None
