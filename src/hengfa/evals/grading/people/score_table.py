"""One table for people and graders: who gave which item of which submission how many points ("The
table of scores" in docs/grading.md).

Empty points mean *not scored*, which is never zero. Points are as they count, with an item's
deductions and gates in them. People often have nothing but a total: a row without an item is the
total of its submission.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import fsum
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import json_decoder, write_in_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.grading.marking import Choices, Way, mark_verdict
from hengfa.evals.grading.rubric import Flag, Item, ItemMark, Mark, Section, SectionMark, faults_of
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Verdict

COLUMNS: Final = ("submission", "task", "dimension", "item", "maximum", "points", "rater")
"""Those that are always written."""
REQUIRED: Final = ("submission", "maximum", "points", "rater")
OPTIONAL: Final = ("level", "comment", "flags", "evidence", "model")
TOTAL: Final = "total"  # what the column points may be called as well
WHOLE: Final = "*"  # the item of a row about everything, and the beginning of one about a section
NOT_COUNTED: Final = "not counted"
"""Flag of an item that is reported beside the total (CLaw's overall, claw.md 6)."""

# Where a spreadsheet would compute instead of show: "=1+1", " @SUM(A1)", "＝1"; not "a=b" or "1-2".
# Marks that were put there to prevent it count as part of the sign.
_FORMULA: Final = re.compile(r"'*\s*[=+\-@＝＋－＠]|'*[\t\r]")
_BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"


class ScoreRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row; without an item, the total of a submission. ``flags`` are ids of faults and words of
    :class:`~hengfa.evals.grading.rubric.Flag`."""

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
    def is_total(self) -> bool:
        return not self.item

    @property
    def is_item(self) -> bool:
        return not self.is_total and not self.item.startswith(WHOLE)

    @property
    def counts(self) -> bool:
        return NOT_COUNTED not in self.flags


_Wrong: TypeAlias = Callable[..., DataError]  # says what is wrong with which field of a row


def read_scores(file: Path, *, empty: bool = False) -> list[ScoreRow]:
    """All rows of a file; what is wrong with one is said with its line and column. A table without
    any is an error too, unless it may be `empty`."""
    rows = csv_rows(file)
    columns = _columns(file, *next(rows, (1, [])))
    places: dict[tuple[str, str, str], int] = {}
    kinds: dict[tuple[str, str], tuple[bool, int]] = {}
    scores: list[ScoreRow] = []
    for line, cells in rows:
        score = _score(partial(DataError, file=file, row=line), columns, cells)
        key = (score.rater, score.submission, score.item)
        if (first := places.setdefault(key, line)) != line:
            item = f"item {score.item[:60]!r}" if score.item else "total"
            what = f"{score.submission[:60]!r}, {item}"
            problem = f"{what} was scored by {score.rater or 'the same rater'} on line {first}"
            raise DataError(f"{problem} already", file=file, row=line)
        total, first = kinds.setdefault(key[:2], (score.is_total, line))
        if total is not score.is_total:
            problem = f"a total and items of {score.submission[:60]!r} (line {first})"
            advice = "leave one of both out: the total is the sum of the items"
            raise DataError(f"{problem}: {advice}", file=file, row=line, field="item")
        scores.append(score)
    if not scores and not empty:
        raise DataError("holds no scores: only the line of columns, or nothing", file=file)
    return scores


def write_scores(file: Path, scores: Iterable[ScoreRow], texts: Sequence[str] = ()) -> None:
    """The table as spreadsheets open it: UTF-8 with its mark, no cell taken for a formula.
    ``texts`` are what the items say, in a column for the person who fills the table in."""
    write_in_folder(file, format_scores(scores, texts).encode())


def format_scores(scores: Iterable[ScoreRow], texts: Sequence[str] = ()) -> str:
    rows = list(scores)
    used = [name for name in OPTIONAL if any(getattr(row, name) for row in rows)]
    lines = [[*COLUMNS, *used, *(["text"] if texts else [])]]
    for number, row in enumerate(rows):
        cells = [_cell(row, name) for name in (*COLUMNS, *used)]
        lines.append([*cells, *([guarded(texts[number])] if texts else [])])
    return format_csv(lines)


def format_csv(lines: Iterable[Sequence[str]]) -> str:
    """Rows of cells as CSV, with the mark by which spreadsheets know UTF-8."""
    out = io.StringIO(_BYTE_ORDER_MARK, newline="")
    out.seek(0, io.SEEK_END)
    csv.writer(out).writerows(lines)
    return out.getvalue()


def csv_rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The line and the cells of every row that is not blank, the head among them."""
    with disk_errors(file):
        content = file.read_bytes()
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = "is not UTF-8: save it from the spreadsheet as 'CSV UTF-8'"
        raise DataError(problem, file=file, row=line) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1  # a cell may have several lines
            if any(cell.strip() for cell in cells):
                yield line, cells
    except csv.Error as error:
        raise DataError(f"not readable as CSV: {error}", file=file, row=reader.line_num) from error


def _columns(file: Path, line: int, head: Sequence[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in head]
    if "points" not in names:
        names = ["points" if name == TOTAL else name for name in names]
    for name in REQUIRED:
        if name not in names:
            problem = f"has no column {name!r}; needed are {','.join(COLUMNS)}"
            totals = f"of totals {','.join(REQUIRED)}"
            raise DataError(f"{problem}, {totals}", file=file, row=line)
    for name in (*COLUMNS, *OPTIONAL):
        if names.count(name) > 1:
            raise DataError(f"has {names.count(name)} columns {name!r}", file=file, row=line)
    return {name: names.index(name) for name in (*COLUMNS, *OPTIONAL) if name in names}


def _score(wrong: _Wrong, columns: dict[str, int], cells: Sequence[str]) -> ScoreRow:
    def text(name: str) -> str:
        at = columns.get(name)
        return unguarded(cells[at]) if at is not None and at < len(cells) else ""

    for name in ("submission", "maximum"):
        if not text(name).strip():
            raise wrong("is empty", field=name)
    maximum, points = _number(wrong, "maximum", text("maximum")), text("points")
    score = ScoreRow(
        text("submission"),
        text("task"),
        text("dimension"),
        text("item") if text("item").strip() else "",
        maximum,
        _number(wrong, "points", points) if points.strip() else None,
        text("rater"),
        text("level"),
        text("comment"),
        tuple(filter(None, text("flags").split(";"))),
        _quotations(text("evidence")),
        text("model"),
    )
    if score.is_total and score.dimension.strip():
        problem = "is filled, but a row without an item is the total of the whole submission"
        raise wrong(f"{problem}: name the item, or leave it empty", field="dimension")
    if score.is_item or score.is_total:
        _check_range(wrong, score)
    return score


def _check_range(wrong: _Wrong, score: ScoreRow) -> None:
    """Items have no points below 0 but by a gate; totals may, where deductions went so far."""
    points, maximum = score.points, score.maximum
    if maximum < 0 or (score.is_total and not maximum):
        raise wrong(f"{maximum:g} is {'below' if maximum < 0 else 'only'} 0", field="maximum")
    if points is not None and points > maximum:
        raise wrong(f"{points:g} is more than the maximum {maximum:g}", field="points")
    if score.is_item and points is not None and points < 0 and not score.flags:
        problem = f"{points:g} is below 0, and the column flags names no gate that says why"
        raise wrong(problem, field="points")


def _number(wrong: _Wrong, column: str, text: str) -> float:
    try:
        value = float(unicodedata.normalize("NFKC", text).strip())
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise wrong(f"{text[:40]!r} is no number", field=column)
    return value


_listed = json_decoder(tuple[str, ...])


def _quotations(cell: str) -> tuple[str, ...]:
    """A list as it was written here; what somebody typed is one quotation."""
    try:
        return _listed(cell)
    except msgspec.DecodeError:
        return (cell,) if cell else ()


def _cell(score: ScoreRow, name: str) -> str:
    """Flags are words with ``;`` between; quotations may hold anything, so they are a JSON list."""
    value = getattr(score, name)
    if name == "flags":
        return guarded(";".join(value))
    if name == "evidence":
        return msgspec.json.encode(value).decode() if value else ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return "" if value is None else guarded(str(value))


def guarded(text: str) -> str:
    """A text as a cell that no spreadsheet computes."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell, without the mark that kept a spreadsheet from computing it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def task_of(key: str) -> str:
    """The task in a journal's key ``suite/task/setting/id``; none in a key of another form.

    >>> task_of("plawbench/consultation/default/12")
    'consultation'
    >>> task_of("answer 7")
    ''
    """
    parts = key.split("/", 3)
    return parts[1] if len(parts) == 4 else ""


def dimension_of(section: Section) -> str:
    """Its title, which rubrics of one kind share; sections without one go by their id."""
    return section.title or section.id


def blank_scores(submission: Submission) -> Iterator[ScoreRow]:
    """The rows that a person fills in: every item, and ``*`` where more can be taken off."""
    rubric, task = submission.rubric, task_of(submission.key)
    for section in rubric.sections:
        dimension = dimension_of(section)
        flags = () if section.counts else (NOT_COUNTED,)
        rows = [(item.id, item.maximum) for item in section.items]
        beyond = _difference(section.maximum, [item.maximum for item in section.items])
        if beyond or faults_of(section):
            rows.append((WHOLE + section.id, beyond))
        for name, most in rows:
            yield ScoreRow(submission.key, task, dimension, name, most, None, "", flags=flags)
    counted = [section.maximum for section in rubric.sections if section.counts]
    beyond = _difference(rubric.maximum, counted)
    if beyond or rubric.penalties:
        yield ScoreRow(submission.key, task, "", WHOLE, beyond, None, "")


def scores_of(
    submission: Submission, mark: Mark, rater: str, model: str = ""
) -> Iterator[ScoreRow]:
    """A mark as rows; they add up to its points, and ungraded items have none."""
    rubric, key, task = submission.rubric, submission.key, task_of(submission.key)
    sections = {section.id: section for section in rubric.sections}
    for marked in mark.sections:
        section = sections[marked.id]
        dimension = dimension_of(section)
        beside = () if marked.counts else (NOT_COUNTED,)
        items = {item.id: item for item in section.items}
        for graded in marked.items:
            faults = _applied(items[graded.id], mark)
            yield ScoreRow(
                key,
                task,
                dimension,
                graded.id,
                graded.maximum,
                None if graded.awarded is None else graded.points,
                rater,
                graded.level,
                graded.reason,
                (*faults, *graded.flags, *beside),
                tuple(submission.response[span.start : span.end] for span in graded.spans),
                model,
            )
        name, most, points = WHOLE + marked.id, marked.maximum, marked.points
        whole = ScoreRow(key, task, dimension, name, most, points, rater, flags=beside, model=model)
        yield from _rest(whole, marked.items, _applied(section, mark))
    whole = ScoreRow(key, task, "", WHOLE, mark.maximum, mark.points, rater, model=model)
    counted = [section for section in mark.sections if section.counts]
    penalties = tuple(penalty.id for penalty in rubric.penalties if penalty.id in mark.faults)
    yield from _rest(whole, counted, penalties)


def mark_of_person(submission: Submission, verdict: Verdict) -> Mark:
    """The arithmetic of a person's awards: who scores reads the order of steps in the rubric, so it
    is not applied a second time, and penalties are theirs to tick."""
    return mark_verdict(submission, verdict, Choices(order=Way.UNORDERED))


def scores_of_person(submission: Submission, verdict: Verdict, rater: str) -> Iterator[ScoreRow]:
    """A person's verdict as rows: evidence as it was chosen, and no flags but faults."""
    awards = {award.id: award for award in verdict.awards}
    for row in scores_of(submission, mark_of_person(submission, verdict), rater):
        evidence = awards[row.item].evidence if row.item in awards else ()
        flags = tuple(flag for flag in row.flags if flag not in set(Flag))
        yield msgspec.structs.replace(row, evidence=evidence, flags=flags)


def item_texts(submission: Submission) -> dict[str, str]:
    """What each item asks for, with the grades it can have."""
    texts = {}
    for item in submission.rubric.items():
        levels = "、".join(f"{level.name} {level.points:g}" for level in item.levels)
        texts[item.id] = f"{item.text}（{levels}）" if levels else item.text
    return texts


def _rest(
    whole: ScoreRow, parts: Sequence[ItemMark | SectionMark], faults: tuple[str, ...]
) -> Iterator[ScoreRow]:
    """What the whole has beyond its parts, if anything."""
    maximum = _difference(whole.maximum, [part.maximum for part in parts])
    points = _difference(whole.points or 0.0, [part.points for part in parts])
    if maximum or points or faults:
        flags = (*faults, *whole.flags)
        yield msgspec.structs.replace(whole, maximum=maximum, points=points, flags=flags)


def _difference(whole: float, parts: Sequence[float]) -> float:
    return round(whole - fsum(parts), 9) + 0.0


def _applied(holder: Item | Section, mark: Mark) -> tuple[str, ...]:
    return tuple(fault.id for fault in faults_of(holder) if fault.id in mark.faults)
