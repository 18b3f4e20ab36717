"""The released files as typed rows, with their upstream fields (plawbench.md 1).

A file is a JSON array or JSON lines, whatever its suffix says: upstream has both under both names.
Consultations and documents are named by their upstream ids, cases by their row, counted from 0.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import json_decoder, problem_and_field
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError

PACK: Final = "plawbench"
CONSULTATION, CASE, PLAINTIFF, DEFENDANT = TASKS = (
    "consultation",
    "case",
    "plaintiff",
    "defendant",
)
FILES: Final[Mapping[str, str]] = {
    CONSULTATION: "public_legal_consultation_18.json",
    CASE: "practical_case_analysis_250.jsonl",
    PLAINTIFF: "Plantiffs_Statement.json",
    DEFENDANT: "Defendants_Statement.json",
}
TAGS: Final = ("结论得分", "案情简述得分", "分析过程得分", "法条依据得分")
"""What the four sections of a case are called in the data, in their order."""
Text = Annotated[str, msgspec.Meta(min_length=1)]


class ConsultationRow(msgspec.Struct, frozen=True):
    """A client's narrative. ``score`` is empty in every released row."""

    id: int
    facts: Text = msgspec.field(name="conversation")
    rubrics: Text
    score: str = ""
    label: ClassVar[str] = ""
    question: ClassVar[str] = ""


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
    facts: Text = msgspec.field(name="context")
    question: Text
    rubrics: tuple[CriterionRow, ...]

    def __post_init__(self) -> None:
        if tuple(criterion.tags for criterion in self.rubrics) != TAGS:
            raise ValueError(f"the rubrics are not the four sections {', '.join(TAGS)}")


class DocumentRow(msgspec.Struct, frozen=True):
    """A matter in which a document is to be written; the capital of ``Rubrics`` is upstream's."""

    id: int
    label: str = msgspec.field(name="tag")
    facts: Text = msgspec.field(name="conversation")
    rubrics: Text = msgspec.field(name="Rubrics")
    score: Annotated[float, msgspec.Meta(gt=0)]
    question: ClassVar[str] = ""


Row: TypeAlias = ConsultationRow | CaseRow | DocumentRow
_KINDS: Final[Mapping[str, type[Row]]] = {
    CONSULTATION: ConsultationRow,
    CASE: CaseRow,
    PLAINTIFF: DocumentRow,
    DEFENDANT: DocumentRow,
}


class Released(NamedTuple):
    """The file of a task: the checksum of its bytes, and its rows by their names."""

    file: Path
    sha256: str
    rows: dict[str, Row]


def read_released(root: Path, task: str) -> Released:
    """The rows of a task; a bad row is named, and a name that is there twice."""
    file = root / FILES[task]
    with disk_errors(file):
        content = file.read_bytes()
    decode: Callable[[bytes | str], Row] = json_decoder(_KINDS[task])
    rows: dict[str, Row] = {}
    for number, text in enumerate(_contents(content, file)):
        try:
            row = decode(text)
        except msgspec.ValidationError as error:
            problem, field = problem_and_field(str(error))
            raise DataError(problem, file=file, row=number, field=field) from error
        except msgspec.DecodeError as error:
            raise DataError(f"not readable as JSON: {error}", file=file, row=number) from error
        name = str(number if isinstance(row, CaseRow) else row.id)
        if name in rows:
            raise DataError(f"the id {name} is there twice", file=file, row=number, field="id")
        rows[name] = row
    if not rows:
        raise DataError("there is no row in this file", file=file)
    return Released(file, hashlib.sha256(content).hexdigest(), rows)


def _contents(content: bytes, file: Path) -> Iterator[bytes]:
    content = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not content.startswith(b"["):
        yield from (line for line in content.splitlines() if line.strip())
        return
    try:
        yield from map(bytes, json_decoder(list[msgspec.Raw])(content))
    except msgspec.DecodeError as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error
