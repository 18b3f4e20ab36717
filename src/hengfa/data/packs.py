"""What is installed on this machine, and whether it can be used."""

from __future__ import annotations

from collections.abc import Sequence
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
    """Empty for a pack that is no copy of one repository."""
    verified: bool
    """All files are the pinned ones. False: somebody accepted a changed copy, say so."""
    fingerprint: str
    """A short name for exactly these files; equal fingerprints mean equal data."""

    def file(self, path: str) -> Path:
        """One file of the pack, by its upstream path."""
        file = inside(self.root, path)
        if not file.is_file():
            raise DataError(
                f"not in the pack {self.name!r}: {repair(load_entry(self.name))}", file=file
            )
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


def repair(entry: Entry) -> str:
    """What to do when a pack is not as it should be."""
    add = f"`hengfa data add {entry.name} DIR` with a folder you have"
    return f"run {add}" if entry.url is None else f"run `hengfa data pull {entry.name}`, or {add}"


def not_installed(entry: Entry) -> DataError:
    """The error of whoever needs a pack that is not here."""
    others = " and ".join(entry.pull_instead)
    instead = f"; `hengfa data pull {entry.name}` fetches {others} instead" if others else ""
    return DataError(
        f"the pack {entry.name!r} is not installed: {repair(entry)}{instead}",
        file=pack_root(entry.name),
    )


def pack_root(name: str) -> Path:
    """Where a pack lies once it is installed."""
    return packs_folder() / name


def pull_folder(entry: Entry) -> Path:
    """Where a pull collects files until all are there; the commit keeps two versions apart."""
    return packs_folder() / f".{entry.name}.{_short(entry.commit)}.pull"


def find_pack(name: str) -> Pack:
    """The installed pack of this name; an error says how to get it.

    Sizes are compared, sums are not: that is `hengfa.data.verify`.
    """
    return open_pack(load_entry(name))


def find_packs(name: str) -> list[Pack]:
    """Where the data of this name is on this machine, richest first.

    That is the pack itself; where it is not installed, the packs that a pull of its name fetches,
    as far as they are. None of them, or a damaged one, is an error that says what to do.
    """
    if not _has_receipt(name):
        others = [other for other in load_entry(name).pull_instead if _has_receipt(other)]
        if others:
            return [find_pack(other) for other in others]
    return [find_pack(name)]


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
                f"this receipt cannot be used; {repair(entry)} ({error})", file=root / RECEIPT
            ),
        )
    if receipt is None:
        state: State = "started" if pull_folder(entry).is_dir() else "absent"
        return Status(state, root, problem=not_installed(entry))
    stale = _stale(entry, receipt, root)
    if stale:
        return Status("outdated", root, problem=stale)
    damaged = _damaged(entry, receipt, root)
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
        commit=receipt.commit or "",
        verified=receipt.verified,
        fingerprint=fingerprint(receipt.files),
    )


def folder_pack(name: str, root: Path, commit: str = "", also: Sequence[str] = ()) -> Pack:
    """Any folder in upstream layout as a pack, unverified and without installing it.

    Only files that the catalogue knows count, and those named in `also`, which users make: what
    else lies there, such as runs, is no data.
    """
    paths = [*(file.path for file in load_entry(name).files), *also]
    known = [path for path in paths if (root / path).is_file()]
    if not known:
        raise DataError(f"no file of the pack {name!r} is in this folder", file=root)
    sums = [sum_of(root, path) for path in known]
    return Pack(name=name, root=root, commit=commit, verified=False, fingerprint=fingerprint(sums))


def _stale(entry: Entry, receipt: Receipt, root: Path) -> DataError | None:
    if receipt.commit != entry.commit:
        return DataError(
            f"installed from commit {_short(receipt.commit)}, this version of hengfa needs"
            f" {_short(entry.commit)}: {repair(entry)}",
            file=root / RECEIPT,
            field="commit",
        )
    differing = deviations(entry, receipt.files) if receipt.verified else []
    if differing:
        return DataError(
            f"says the pack is verified, but {differing[0]} is not as the catalogue pins it:"
            f" {repair(entry)}",
            file=root / RECEIPT,
            field="verified",
        )
    return None


def _short(commit: str | None) -> str:
    return (commit or "none")[:12]


def _has_receipt(name: str) -> bool:
    return (pack_root(name) / RECEIPT).is_file()


def _damaged(entry: Entry, receipt: Receipt, root: Path) -> DataError | None:
    for recorded in receipt.files:
        file = inside(root, recorded.path)
        if not file.is_file():
            return DataError(f"this file of the pack is gone: {repair(entry)}", file=file)
        size = file.stat().st_size
        if size != recorded.size:
            return DataError(
                f"has {size} bytes, was installed with {recorded.size}: {repair(entry)}",
                file=file,
            )
    return None
