"""What is installed on this machine, whether it can be used, and whether it is still as it was.

A receipt makes a folder a pack: what was installed, from where, and with which sums. It is written
last. A folder without it is never taken for a pack, however many files it holds. Whoever opens a
pack compares sizes; `verify` reads every byte again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from hengfa.base.data.catalogue import Commit, Entry, Name, Repository, load_entry, matching
from hengfa.base.data.jsonfile import read_json
from hengfa.base.data.paths import RECEIPT, inside, packs_folder
from hengfa.base.data.repositories import is_of
from hengfa.base.data.sums import FileSum, fingerprint, sum_of
from hengfa.base.errors import DataError

How = Literal["pull", "add", "update"]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was installed. Unknown fields are ignored: a later version may have written them."""

    name: Name
    repository: Repository | None
    commit: Commit | None
    """Both only where all files are those of one repository as they are there."""
    licence: str
    how: How
    source: str
    """The address or the folder that the files came from."""
    installed: str
    """When, in UTC."""
    verified: bool
    """Every pinned file is there and has the pinned sum."""
    files: tuple[FileSum, ...]
    sources: tuple[str, ...] = ()
    """Every repository with its commit, `OWNER/REPOSITORY@COMMIT`."""
    derivation: str = ""
    """The version of the code that derived the files."""
    parts: tuple[str, ...] = ()
    """The optional parts of its sources that it was pulled with."""


def read_receipt(root: Path) -> Receipt | None:
    """The receipt of an installed pack; None where nothing is installed."""
    file = root / RECEIPT
    if not file.is_file():
        return None
    receipt = read_json(file, Receipt)
    if receipt.name != root.name:
        raise DataError(f"it belongs to the pack {receipt.name!r}", file=file, field="name")
    return receipt


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
            problem = f"not in the pack {self.name!r}: {repair(load_entry(self.name))}"
            raise DataError(problem, file=file)
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
    size: int = 0
    """Bytes of all files that were installed, of a pack that can be used."""


def repair(entry: Entry) -> str:
    """What to do when a pack is not as it should be."""
    add = f"`hengfa data add {entry.name} DIR` with a folder you have"
    return f"run `hengfa data pull {entry.name}`, or {add}" if entry.sources else f"run {add}"


def not_installed(entry: Entry) -> DataError:
    problem = f"the pack {entry.name!r} is not installed ({entry.about}): {repair(entry)}"
    return DataError(problem, file=pack_root(entry.name))


def pack_root(name: str) -> Path:
    return packs_folder() / name


def pull_folder(entry: Entry) -> Path:
    """Where a pull collects files until all are there; the commits keep two versions apart."""
    keys = "".join(source.key for source in entry.sources)
    return packs_folder() / f".{entry.name}.{hashlib.sha256(keys.encode()).hexdigest()[:12]}.pull"


def find_pack(name: str) -> Pack:
    """The installed pack of this name; an error says how to get it. Sizes are compared, sums are
    not: that is `verify`."""
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
        problem = f"this receipt cannot be used; {repair(entry)} ({error})"
        return Status("broken", root, problem=DataError(problem, file=root / RECEIPT))
    if receipt is None:
        state: State = "started" if pull_folder(entry).is_dir() else "absent"
        return Status(state, root, problem=not_installed(entry))
    if stale := _staleness(entry, receipt, root):
        return Status("outdated", root, problem=stale)
    if damaged := _damage(entry, receipt, root):
        return Status("incomplete", root, problem=damaged)
    state = "installed" if receipt.verified else "unverified"
    size = sum(file.size for file in receipt.files)
    return Status(state, root, pack=pack_of(entry, receipt), size=size)


def pack_of(entry: Entry, receipt: Receipt) -> Pack:
    """The pack that a receipt describes. Its name is that of the files that everybody has: results
    do not change with the parts that somebody else lacks."""
    parts = [p for source in entry.sources for named in source.parts.values() for p in named]
    return Pack(
        name=receipt.name,
        root=pack_root(receipt.name),
        commit=receipt.commit or "",
        verified=receipt.verified,
        fingerprint=fingerprint(file for file in receipt.files if not is_of(file.path, parts)),
    )


def folder_pack(name: str, root: Path, also: Sequence[str] = ()) -> Pack:
    """Any folder in upstream layout as a pack, unverified and without installing it.

    Only files that the catalogue knows count, and those named in `also`, which users make: what
    else lies there, such as runs, is no data. It may lack some.
    """
    entry = load_entry(name)
    pinned = [pin.path for pin in entry.pins if not pin.part] or matching(root, entry.patterns)
    known = [path for path in (*pinned, *also) if (root / path).is_file()]
    if not known:
        raise DataError(f"no file of the pack {name!r} is in this folder", file=root)
    sums = [sum_of(root, path) for path in known]
    return Pack(name=name, root=root, commit="", verified=False, fingerprint=fingerprint(sums))


def _staleness(entry: Entry, receipt: Receipt, root: Path) -> DataError | None:
    if receipt.how == "update":  # somebody asked for another commit
        return None
    problem = field = ""
    commits = {source.commit for source in entry.sources}
    if receipt.commit is not None and receipt.commit not in commits:
        needed = " and ".join(commit[:12] for commit in sorted(commits))
        problem = (
            f"installed from commit {receipt.commit[:12]}, this version of hengfa needs {needed}"
        )
        field = "commit"
    elif receipt.verified and (differing := entry.deviations(receipt.files)):
        problem = f"says the pack is verified, but {differing[0]} is not as the catalogue pins it"
        field = "verified"
    if not problem:
        return None
    return DataError(f"{problem}: {repair(entry)}", file=root / RECEIPT, field=field)


def _damage(entry: Entry, receipt: Receipt, root: Path) -> DataError | None:
    for recorded in receipt.files:
        file = inside(root, recorded.path)
        if not file.is_file():
            return DataError(f"this file of the pack is gone: {repair(entry)}", file=file)
        if (size := file.stat().st_size) != recorded.size:
            problem = f"has {size} bytes, was installed with {recorded.size}: {repair(entry)}"
            return DataError(problem, file=file)
    return None


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with an installed pack."""

    path: str
    kind: Literal["missing", "changed", "receipt"]
    detail: str


class Verification(msgspec.Struct, frozen=True):
    """What was found in one pack; without problems it is as it was installed."""

    name: str
    root: str
    commit: str | None = None
    verified: bool = False
    """Equal to upstream: nothing is wrong now, and nothing was changed when it was installed."""
    fingerprint: str | None = None
    files: int = 0
    deviations: list[str] = []
    """Files that were accepted with other contents than upstream's, or without being there."""
    problems: list[Problem] = []


def verify(name: str) -> Verification:
    """Hash every file of an installed pack; a pack that is not there at all is an error."""
    entry = load_entry(name)
    root = pack_root(name)
    try:
        receipt = read_receipt(root)
    except DataError as error:
        broken = Problem(RECEIPT, "receipt", str(error))
        return Verification(name=name, root=str(root), problems=[broken])
    if receipt is None:
        raise not_installed(entry)
    problems = []
    status = status_of(entry)
    if status.problem and status.state == "outdated":
        problems.append(Problem(RECEIPT, "receipt", str(status.problem)))
    for recorded in receipt.files:
        if not inside(root, recorded.path).is_file():
            problems.append(Problem(recorded.path, "missing", "the file is gone"))
            continue
        sums = sum_of(root, recorded.path)
        if (sums.size, sums.sha256) != (recorded.size, recorded.sha256):
            detail = (
                f"sha256 is {sums.sha256} ({sums.size} bytes),"
                f" was installed as {recorded.sha256} ({recorded.size} bytes)"
            )
            problems.append(Problem(recorded.path, "changed", detail))
    pack = pack_of(entry, receipt)
    return Verification(
        name=name,
        root=str(root),
        commit=pack.commit,
        verified=pack.verified and not problems,
        fingerprint=pack.fingerprint,
        files=len(receipt.files),
        deviations=entry.deviations(receipt.files),
        problems=problems,
    )


def sample_root() -> Path:
    return Path(str(resources.files("hengfa.base.data").joinpath("sample_pack")))
