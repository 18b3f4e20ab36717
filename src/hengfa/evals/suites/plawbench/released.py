"""The released files as typed rows, with their upstream fields (plawbench.md 1).

A file is a JSON array or JSON lines, whatever its suffix says: upstream has both under both names.
Consultations and documents are named by their upstream ids, cases by their row, counted from 0.

Their rubrics are prose, which is read once. What the parsers make of a file is kept as indented
JSON, which a person can read, and evaluations read that: of the sample pack in `sample_rubrics`,
else in `HENGFA_HOME/rubrics`. It is made when the pack is pulled; of data that came otherwise when
it is first asked for, with a notice. A kept file names the version of the reading and the sums of
the file that it was read from and of what was read; where one of them is another, or nobody can
read it, it is made anew.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import (
    json_decoder,
    problem_and_field,
    read_json,
    write_atomically,
)
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric

if TYPE_CHECKING:
    from hengfa.evals.suites.plawbench.rubric_defects import Parsed

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


class ReleasedFile(NamedTuple):
    """The file of a task: the checksum of its bytes, and its rows by their names."""

    file: Path
    sha256: str
    rows: dict[str, Row]


def read_released(root: Path, task: str) -> ReleasedFile:
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
    return ReleasedFile(file, hashlib.sha256(content).hexdigest(), rows)


def _contents(content: bytes, file: Path) -> Iterator[bytes]:
    content = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not content.startswith(b"["):
        yield from (line for line in content.splitlines() if line.strip())
        return
    try:
        yield from map(bytes, json_decoder(list[msgspec.Raw])(content))
    except msgspec.DecodeError as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error


# --- rubrics, read out of their prose once ---

VERSION: Final = "1"
"""Goes up when the same prose is read otherwise."""
SHIPPED: Final = Path(__file__).with_name("sample_rubrics")
_LOG: Final = logging.getLogger(__name__)


class KeptRubrics(msgspec.Struct, frozen=True):
    """The rubrics of one file in the order of its rows; `source` is its name, `sha256` its sum,
    `digest` that of the rubrics."""

    version: str
    source: str
    sha256: str
    digest: str
    rubrics: tuple[Rubric, ...]


def rubrics_of(released: ReleasedFile) -> tuple[Rubric, ...]:
    """The rubric of every row, as it is kept; what is not is read here, and kept from now on."""
    for folder in (SHIPPED, at_home()):
        if kept := _kept(folder / name_of(released), released):
            return kept.rubrics
    derived = derive(released)
    place = at_home() / name_of(released)
    try:
        keep(derived, place)
        where = f"kept in {place}"
    except DataError as error:
        where = f"not kept, and read again next time: {error}"
    _LOG.warning("rubrics of %s: read out of their prose, %s", released.file, where)
    return derived.rubrics


def prepare(root: Path) -> None:
    """Keep the rubrics of a pack that was just pulled."""
    for task in TASKS:
        released = read_released(root, task)
        place = at_home() / name_of(released)
        if _kept(place, released) is None:
            keep(derive(released), place)


def derive(released: ReleasedFile) -> KeptRubrics:
    """The rubrics of a file, read out of their prose."""
    rubrics = tuple(parsed.rubric for parsed in parsed_of(released))
    return KeptRubrics(VERSION, released.file.name, released.sha256, _digest(rubrics), rubrics)


def _digest(rubrics: tuple[Rubric, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode(rubrics)).hexdigest()


def keep(kept: KeptRubrics, place: Path) -> None:
    """Write rubrics where evaluations find them, as lines that a person can read."""
    with disk_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(place, msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def at_home() -> Path:
    """Where rubrics are kept on this machine."""
    return home() / "rubrics" / PACK


def name_of(released: ReleasedFile) -> str:
    """What the file is called that has the rubrics of a source."""
    return f"{released.file.stem}-{released.sha256[:16]}.json"


def _kept(file: Path, released: ReleasedFile) -> KeptRubrics | None:
    """What a file keeps, if it is of this reading and of this source, and as it was written."""
    if not file.is_file():
        return None
    try:
        kept = read_json(file, KeptRubrics)
    except DataError:
        return None
    read = (kept.version, kept.sha256, kept.digest)
    return kept if read == (VERSION, released.sha256, _digest(kept.rubrics)) else None


def parsed_of(released: ReleasedFile) -> Iterator[Parsed]:
    """The prose of every row as a rubric, with what is wrong with it."""
    # the parsers are imported by those who have prose before them
    from hengfa.evals.suites.plawbench.rubric_case import parse_case  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.rubric_text import (  # noqa: PLC0415
        parse_consultation,
        parse_document,
    )

    for name, row in released.rows.items():
        try:
            if isinstance(row, CaseRow):
                yield parse_case(row.rubrics, name)
            elif isinstance(row, DocumentRow):
                yield parse_document(row.rubrics, row.score, name)
            else:
                yield parse_consultation(row.rubrics, name)
        except DataError as error:  # parsers know no file
            raise DataError(str(error), file=released.file) from error
