"""One table for people and graders: who gave which item of which submission how many points.

Columns: submission, task, dimension, item, maximum, points, rater; and, where there is something to
say, level, comment, flags, evidence, model. Other columns are left alone. Empty points mean *not
scored*, which is never zero. Points are as they count, with an item's deductions and gates in them.

What is taken from a section or from the whole has a row of its own, with the item ``*`` and the id
of the section, or ``*`` alone, so that the rows of a submission add up to its total. ``maximum`` is
there what the rubric has beyond or short of the sum of the items: usually 0.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

REQUIRED: Final = ("submission", "task", "dimension", "item", "maximum", "points", "rater")
OPTIONAL: Final = ("level", "comment", "flags", "evidence", "model")
WHOLE: Final = "*"
"""The item of a row about everything, and the beginning of one about a section."""
NOT_COUNTED: Final = "not counted"
"""Flag of an item that is reported beside the total (CLaw's overall, spec 6)."""

# Where a spreadsheet would compute instead of show: "=1+1", " @SUM(A1)", "＝1"; not "a=b" or "1-2".
# Marks that were put there to prevent it count as part of the sign.
_FORMULA: Final = re.compile(r"'*\s*[=+\-@＝＋－＠]|'*[\t\r]")
_BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row. ``flags`` are ids of faults and words of :class:`~hengfa.grading.marks.Flag`."""

    submission: str
    task: str
    dimension: str
    item: str
    maximum: float
    points: float | None
    rater: str
    level: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    model: str = ""

    @property
    def is_item(self) -> bool:
        return not self.item.startswith(WHOLE)

    @property
    def counts(self) -> bool:
        return NOT_COUNTED not in self.flags


def read_scores(file: Path) -> list[Score]:
    """All rows of a file; what is wrong with one is said with its line and column."""
    reader = csv.reader(io.StringIO(_text(file), newline=""), strict=True)
    places: dict[tuple[str, str, str], int] = {}
    scores: list[Score] = []
    try:
        columns = _columns(file, next(reader, []))
        start = reader.line_num + 1
        for cells in reader:
            line, start = start, reader.line_num + 1  # a cell may have several lines
            if not any(cell.strip() for cell in cells):
                continue
            score = _score(_Place(file, line), columns, cells)
            key = (score.rater, score.submission, score.item)
            if (first := places.setdefault(key, line)) != line:
                what = f"{score.submission[:60]!r}, item {score.item[:60]!r}"
                problem = f"{what} was scored by {score.rater or 'the same rater'} on line {first}"
                raise DataError(f"{problem} already", file=file, row=line)
            scores.append(score)
    except csv.Error as error:
        raise DataError(f"not readable as CSV: {error}", file=file, row=reader.line_num) from error
    if not scores:
        raise DataError("holds no scores: only the line of columns, or nothing", file=file)
    return scores


def write_scores(file: Path, scores: Iterable[Score], texts: Sequence[str] = ()) -> None:
    """The table as spreadsheets open it: UTF-8 with its mark, no cell taken for a formula.

    ``texts`` are what the items say, in a column for the person who fills the table in.
    """
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, format_scores(scores, texts).encode())


def format_scores(scores: Iterable[Score], texts: Sequence[str] = ()) -> str:
    rows = list(scores)
    used = [name for name in OPTIONAL if any(getattr(one, name) for one in rows)]
    out = io.StringIO(_BYTE_ORDER_MARK, newline="")
    out.seek(0, io.SEEK_END)
    writer = csv.writer(out)
    writer.writerow([*REQUIRED, *used, *(["text"] if texts else [])])
    for number, one in enumerate(rows):
        cells = [_cell(getattr(one, name)) for name in REQUIRED]
        cells += [_optional_cell(one, name) for name in used]
        writer.writerow([*cells, *([_guarded(texts[number])] if texts else [])])
    return out.getvalue()


class _Place(msgspec.Struct, frozen=True):
    file: Path
    line: int

    def error(self, problem: str, column: str) -> DataError:
        return DataError(problem, file=self.file, row=self.line, field=column)


def _text(file: Path) -> str:
    with disk_errors(file):
        content = file.read_bytes()
    try:
        return content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = "is not UTF-8: save it from the spreadsheet as 'CSV UTF-8'"
        raise DataError(problem, file=file, row=line) from error


def _columns(file: Path, head: Sequence[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in head]
    for name in REQUIRED:
        if name not in names:
            problem = f"has no column {name!r}; needed are {','.join(REQUIRED)}"
            raise DataError(problem, file=file, row=1)
    for name in (*REQUIRED, *OPTIONAL):
        if names.count(name) > 1:
            raise DataError(f"has {names.count(name)} columns {name!r}", file=file, row=1)
    return {name: names.index(name) for name in (*REQUIRED, *OPTIONAL) if name in names}


def _score(place: _Place, columns: dict[str, int], cells: Sequence[str]) -> Score:
    def text(name: str) -> str:
        at = columns.get(name)
        return unguarded(cells[at]) if at is not None and at < len(cells) else ""

    for name in ("submission", "item", "maximum"):
        if not text(name).strip():
            raise place.error("is empty", name)
    maximum, points = _number(place, "maximum", text("maximum")), text("points")
    score = Score(
        text("submission"),
        text("task"),
        text("dimension"),
        text("item"),
        maximum,
        _number(place, "points", points) if points.strip() else None,
        text("rater"),
        text("level"),
        text("comment"),
        tuple(filter(None, text("flags").split(";"))),
        _quotations(text("evidence")),
        text("model"),
    )
    if score.is_item:
        _check_range(place, score)
    return score


def _check_range(place: _Place, score: Score) -> None:
    points, maximum = score.points, score.maximum
    if maximum < 0:
        raise place.error(f"{maximum:g} is below 0", "maximum")
    if points is not None and points > maximum:
        raise place.error(f"{points:g} is more than the maximum {maximum:g}", "points")
    if points is not None and points < 0 and not score.flags:
        problem = f"{points:g} is below 0, and the column flags names no gate that says why"
        raise place.error(problem, "points")


def _number(place: _Place, column: str, text: str) -> float:
    try:
        value = float(unicodedata.normalize("NFKC", text).strip())
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise place.error(f"{text[:40]!r} is no number", column)
    return value


def _quotations(cell: str) -> tuple[str, ...]:
    """A list as it was written here; what somebody typed is one quotation."""
    try:
        return msgspec.json.decode(cell, type=tuple[str, ...])
    except msgspec.DecodeError:
        return (cell,) if cell else ()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return _guarded(str(value))


def _optional_cell(score: Score, name: str) -> str:
    """Flags are words with ``;`` between; quotations may hold anything, so they are a JSON list."""
    value = getattr(score, name)
    if name == "flags":
        return _guarded(";".join(value))
    if name == "evidence":
        return msgspec.json.encode(value).decode() if value else ""
    return _guarded(value)


def _guarded(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell, without the mark that kept a spreadsheet from computing it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
