"""Read an installed pack again, byte by byte, and say what is no longer as it was installed."""

from __future__ import annotations

from typing import Literal

import msgspec

from hengfa.data.catalogue import load_entry
from hengfa.data.packs import not_installed, pack_of, pack_root, status_of
from hengfa.data.paths import RECEIPT, inside
from hengfa.data.receipt import deviations, read_receipt
from hengfa.data.sums import sum_of
from hengfa.errors import DataError


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with an installed pack."""

    path: str
    kind: Literal["missing", "changed", "receipt"]
    detail: str


class Verification(msgspec.Struct, frozen=True):
    """What was found in one pack; without problems it is as it was installed."""

    name: str
    root: str
    commit: str | None
    verified: bool
    """Equal to upstream: nothing is wrong now, and nothing was changed when it was installed."""
    fingerprint: str | None
    files: int
    deviations: list[str]
    """Files that were accepted with other contents than upstream's, or without being there."""
    problems: list[Problem]


def verify(name: str) -> Verification:
    """Hash every file of an installed pack; a pack that is not there at all is an error."""
    entry = load_entry(name)
    root = pack_root(name)
    try:
        receipt = read_receipt(root)
    except DataError as error:
        return _unusable(name, Problem(RECEIPT, "receipt", str(error)))
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
        found = sum_of(root, recorded.path)
        if found != recorded:
            detail = (
                f"sha256 is {found.sha256} ({found.size} bytes),"
                f" was installed as {recorded.sha256} ({recorded.size} bytes)"
            )
            problems.append(Problem(recorded.path, "changed", detail))
    pack = pack_of(receipt, root)
    return Verification(
        name=name,
        root=str(root),
        commit=pack.commit,
        verified=pack.verified and not problems,
        fingerprint=pack.fingerprint,
        files=len(receipt.files),
        deviations=deviations(entry, receipt.files),
        problems=problems,
    )


def _unusable(name: str, problem: Problem) -> Verification:
    return Verification(
        name=name,
        root=str(pack_root(name)),
        commit=None,
        verified=False,
        fingerprint=None,
        files=0,
        deviations=[],
        problems=[problem],
    )
