"""The released files as typed rows with their upstream fields (PLawBench spec 1).

Rows are counted from 0, as the specification counts them. A file is a JSON array or JSON lines,
whatever its suffix says: upstream has both under both names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import msgspec

from hengfa.data.jsonfile import problem_and_field
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

Side: TypeAlias = Literal["plaintiff", "defendant"]

CONSULTATION_FILE: Final = "public_legal_consultation_18.json"
CASE_FILE: Final = "practical_case_analysis_250.jsonl"
DOCUMENT_FILES: Final[dict[Side, str]] = {
    "plaintiff": "Plantiffs_Statement.json",
    "defendant": "Defendants_Statement.json",
}
TAGS: Final = ("结论得分", "案情简述得分", "分析过程得分", "法条依据得分")
"""What the four sections of a case are called in the data, in their order."""

Text = Annotated[str, msgspec.Meta(min_length=1)]
Row = TypeVar("Row", bound=msgspec.Struct)


class ConsultationRow(msgspec.Struct, frozen=True):
    """A client's narrative. ``score`` is empty in every released row."""

    id: int
    conversation: Text
    rubrics: Text
    score: str = ""


class CriterionRow(msgspec.Struct, frozen=True):
    """One of the four sections of a case's rubric; ``points`` is a number written as text."""

    criterion: str
    points: str
    tags: str

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise ValueError(f"the tag is none of {', '.join(TAGS)}")
        if not 0 < self.maximum < math.inf:
            raise ValueError("points are not a number above 0")

    @property
    def maximum(self) -> float:
        """The points as a number, NaN where they are none."""
        try:
            return float(self.points)
        except ValueError:
            return math.nan


class CaseRow(msgspec.Struct, frozen=True):
    """Facts, a question and four criteria. It has no id upstream: its row is its name."""

    label: Text
    context: Text
    question: Text
    rubrics: tuple[CriterionRow, ...]

    def __post_init__(self) -> None:
        if tuple(one.tags for one in self.rubrics) != TAGS:
            raise ValueError(f"the rubrics are not the four sections {', '.join(TAGS)}")


class DocumentRow(msgspec.Struct, frozen=True, rename={"rubrics": "Rubrics"}):
    """A matter in which a document is to be written; the capital of ``Rubrics`` is upstream's."""

    id: int
    tag: str
    conversation: Text
    rubrics: Text
    score: Annotated[float, msgspec.Meta(gt=0)]


def read_consultation(root: Path) -> list[ConsultationRow]:
    """The narratives of task 1, with ids that are there once."""
    file = root / CONSULTATION_FILE
    rows = _read(file, ConsultationRow)
    _check_ids(file, [row.id for row in rows])
    return rows


def read_cases(root: Path) -> list[CaseRow]:
    """The cases of task 2."""
    return _read(root / CASE_FILE, CaseRow)


def read_documents(root: Path, side: Side) -> list[DocumentRow]:
    """The matters of task 3 on one side, with ids that are there once."""
    file = root / DOCUMENT_FILES[side]
    rows = _read(file, DocumentRow)
    _check_ids(file, [row.id for row in rows])
    return rows


def _read(file: Path, kind: type[Row]) -> list[Row]:
    decoder = msgspec.json.Decoder(kind)
    rows: list[Row] = []
    for number, content in enumerate(_contents(file)):
        try:
            rows.append(decoder.decode(content))
        except msgspec.ValidationError as error:
            problem, field = problem_and_field(str(error))
            raise DataError(problem, file=file, row=number, field=field) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DataError(f"not readable as JSON: {error}", file=file, row=number) from error
    if not rows:
        raise DataError("there is no row in this file", file=file)
    return rows


def _contents(file: Path) -> Iterator[bytes | msgspec.Raw]:
    with disk_errors(file):
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf").strip()
    if not content.startswith(b"["):
        yield from (line for line in content.splitlines() if line.strip())
        return
    try:
        yield from msgspec.json.decode(content, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error


def _check_ids(file: Path, ids: list[int]) -> None:
    seen: set[int] = set()
    for number, id_ in enumerate(ids):
        if id_ in seen:
            raise DataError(f"the id {id_} is there twice", file=file, row=number, field="id")
        seen.add(id_)
