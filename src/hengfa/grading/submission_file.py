"""Files of submissions: JSON lines, one :class:`~hengfa.grading.submission.Submission` each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_lines, write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError
from hengfa.grading.submission import Submission


def read_submissions(file: Path) -> list[Submission]:
    """All lines of a file; keys are unique, so that scores can be put to what they are of."""
    found: dict[str, tuple[int, Submission]] = {}
    for number, one in read_lines(file, Submission):
        if one.key in found:
            problem = f"{one.key[:80]!r} stands on line {found[one.key][0]} already"
            advice = "give each response a key of its own, such as MODEL:KEY"
            raise DataError(f"{problem}: {advice}", file=file, row=number, field="key")
        found[one.key] = number, one
    if not found:
        raise DataError("holds no submissions", file=file)
    return [one for _, one in found.values()]


def write_submissions(file: Path, submissions: Iterable[Submission]) -> None:
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in submissions)
    write_atomically(file, lines)
