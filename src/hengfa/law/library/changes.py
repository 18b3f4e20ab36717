"""What two collections of statutes differ in, law by law."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import DataError

_NAMES = ("statutes.jsonl", "statutes.jsonl.gz")


class _Row(msgspec.Struct):
    law: str
    version: str
    valid_to_db: str | None = None
    role: str = "primary"
    text: str = ""


class _Law(msgspec.Struct):
    versions: dict[str, int] = msgspec.field(default_factory=dict)
    """The day of each, and the hash of its primary text."""
    ended: str | None = None


def changed_laws(old: Path, new: Path) -> dict[str, list[str]]:
    """Which laws are added, amended (they have a version that they had not), repealed: no longer
    there, or said to have ended; and of which a version is no longer there or reads otherwise."""
    before, after = _laws(old), _laws(new)
    kept = sorted(after.keys() & before.keys())
    amended = {law: after[law].versions.keys() - before[law].versions.keys() for law in kept}
    lost = {law: before[law].versions.keys() - after[law].versions.keys() for law in kept}
    reworded = {
        law: {
            day
            for day, text in after[law].versions.items()
            if before[law].versions.get(day, text) != text
        }
        for law in kept
    }
    repealed = [law for law in sorted(before) if law not in after]
    repealed += [
        f"{law} ({after[law].ended})" for law in kept if after[law].ended and not before[law].ended
    ]
    return {
        "added": sorted(after.keys() - before.keys()),
        "amended": _with_days(amended),
        "repealed": repealed,
        "versions lost": _with_days(lost),
        "reworded": _with_days(reworded),
    }


def _with_days(versions: dict[str, set[str]]) -> list[str]:
    return [f"{law} ({', '.join(sorted(days))})" for law, days in versions.items() if days]


def _laws(folder: Path) -> dict[str, _Law]:
    """The versions of each law, and the day on which its last one is said to have ended."""
    file = next((folder / name for name in _NAMES if (folder / name).is_file()), None)
    if file is None:
        raise DataError(f"neither {' nor '.join(_NAMES)} is here", file=folder)
    laws: defaultdict[str, _Law] = defaultdict(_Law)
    for _, row in read_lines(file, _Row):
        law = laws[row.law]
        if row.version >= max(law.versions, default=""):
            law.ended = row.valid_to_db
        if row.role == "primary" or row.version not in law.versions:
            law.versions[row.version] = hash(row.text)
    return dict(laws)
