"""Upstream files to samples (LawBench spec 0): typed, checked, and a bad row is named."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_json
from hengfa.errors import DataError, UsageError

SETTINGS = ("zero_shot", "one_shot")


class LawBenchSample(msgspec.Struct, frozen=True):
    """One row. The id is its number in the file; the worked example is inside `instruction`."""

    id: str
    instruction: str
    question: str
    answer: str


def load(task: str, root: Path, setting: str) -> list[LawBenchSample]:
    """All samples of `data/<setting>/<task>.json` below `root`."""
    if setting not in SETTINGS:
        raise UsageError(f"LawBench has no setting {setting!r}; there is: {', '.join(SETTINGS)}")
    file = root / "data" / setting / f"{task}.json"
    rows = read_json(file, object)
    if not isinstance(rows, list) or not rows:
        raise DataError("expected a JSON array with at least one row", file=file)
    return [_sample(file, number, row) for number, row in enumerate(rows)]


def _sample(file: Path, number: int, row: object) -> LawBenchSample:
    if not isinstance(row, dict):
        raise DataError("expected an object", file=file, row=number)
    for field in ("instruction", "question", "answer"):
        if not isinstance(row.get(field), str):
            raise DataError("expected text", file=file, row=number, field=field)
    return LawBenchSample(str(number), row["instruction"], row["question"], row["answer"])
