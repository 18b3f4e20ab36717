"""From the released rows to samples, how they are asked, and the rubric that grades them.

A released file is a JSON array or JSON lines, whatever its suffix says: upstream has both under
both names (plawbench.md 1). Consultations and documents are named by their upstream ids, cases by
their row, counted from 0.

A rubric is prose, which is read once, with its defects: all 280 rows are samples, and `hengfa suite
plawbench lint` says what is wrong with which. What the parsers make of a file is kept as indented
JSON, which a person can read, and evaluations read that: of the sample pack in `sample_rubrics`,
else in `HENGFA_HOME/rubrics`. It is made when the pack is pulled; of data that came otherwise when
it is first asked for, with a notice. A kept file names the version of the reading and the sums of
the file that it was read from and of what was read; where one of them is another, or nobody can
read it, it is made anew.

What can be chosen with `--set NAME=VALUE` is part of a sample. Upstream has two levels of
consultation and uses the harder one from row 50 on, so that each of the 18 public rows is `mid`
(plawbench.md 2 and 7); that is the default here.

The released rubrics of consultations name none of the penalties of the paper's table 10, and the
released judge prompt does not either (plawbench.md 3.1). Each of three kinds has
three degrees: 1 or 2 points, 3 to 6, or all. A range is read as a price for each occurrence, up to
two of them, as the table itself says of one.

Prompts have the roles, requirements and forms of plawbench.md 2 in words of our
own. As upstream, everything is in one message of the user. A question of the data may itself ask
for other headings than the prompt does; both are accepted.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from hengfa.base.data.jsonfile import (
    json_decoder,
    problem_and_field,
    read_json,
    read_toml,
    write_in_folder,
)
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import OrderKind, Penalty, Rubric
from hengfa.evals.suites.base import Chosen, one_of, read_options
from hengfa.evals.suites.plawbench.extract import CONCLUSION, PARTS, REASONING

if TYPE_CHECKING:
    from hengfa.evals.suites.plawbench.rubric_defects import RubricReading

PACK: Final = "plawbench"
TASKS = ("consultation", "case", "plaintiff", "defendant")
CONSULTATION, CASE, PLAINTIFF, DEFENDANT = TASKS
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

VERSION: Final = "1"  # goes up when the same prose is read otherwise
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
        if kept := _read_kept(folder / name_of(released), released):
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
        if _read_kept(place, released) is None:
            keep(derive(released), place)


def derive(released: ReleasedFile) -> KeptRubrics:
    """The rubrics of a file, read out of their prose."""
    rubrics = tuple(parsed.rubric for parsed in readings_of(released))
    return KeptRubrics(VERSION, released.file.name, released.sha256, _digest(rubrics), rubrics)


def _digest(rubrics: tuple[Rubric, ...]) -> str:
    return hashlib.sha256(msgspec.json.encode(rubrics)).hexdigest()


def keep(kept: KeptRubrics, place: Path) -> None:
    """Write rubrics where evaluations find them, as lines that a person can read."""
    write_in_folder(place, msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def at_home() -> Path:
    """Where rubrics are kept on this machine."""
    return home() / "rubrics" / PACK


def name_of(released: ReleasedFile) -> str:
    """What the file is called that has the rubrics of a source."""
    return f"{released.file.stem}-{released.sha256[:16]}.json"


def _read_kept(file: Path, released: ReleasedFile) -> KeptRubrics | None:
    """What a file keeps, if it is of this reading and of this source, and as it was written."""
    if not file.is_file():
        return None
    try:
        kept = read_json(file, KeptRubrics)
    except DataError:
        return None
    read = (kept.version, kept.sha256, kept.digest)
    return kept if read == (VERSION, released.sha256, _digest(kept.rubrics)) else None


def readings_of(released: ReleasedFile) -> Iterator[RubricReading]:
    """The prose of every row as a rubric, with what is wrong with it."""
    # the parsers are imported by those who have prose before them
    from hengfa.evals.suites.plawbench.rubric_case import parse_case  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document  # noqa: PLC0415

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


# --- samples ---

SETTINGS: Final = ("all",)
LEVEL, PENALTIES, LAW, MARKING = "level", "penalties", "law", "marking"
OFF, RELEASED, ON = "off", "released", "on"
DECISIVE: Final = 3  # what a question is worth that asks for a decisive fact


class Range(NamedTuple):
    """How many questions are asked for, of which no more than `most` are graded; or characters."""

    least: int
    most: int


LEVELS: Final[Mapping[str, Range]] = {"mid": Range(10, 25), "hard": Range(25, 50)}
OPTIONS: Final = read_options(
    Path(__file__).with_name("options.toml"),
    {
        LEVEL: one_of(*LEVELS),
        MARKING: one_of(*Way),
        PENALTIES: one_of(OFF, RELEASED, ON),
        LAW: one_of(OFF, ON),
    },
)


class PLawBenchSample(msgspec.Struct, frozen=True):
    """One question. `facts` is what is told, `question` what a case asks; a document has a `label`
    that names the matter, a case one that names the scenario. `asked` is how many questions a
    consultation should have, `law` whether citations are looked up, `marking` the way of steps in
    order."""

    id: str
    task: str
    label: str
    facts: str
    question: str
    rubric: Rubric
    asked: Range
    law: bool
    marking: Way = Way.PAPER

    @property
    def order(self) -> OrderKind:
        """What the rubric of a case says of the order of its reasoning."""
        if self.task != CASE:
            return OrderKind.UNSTATED
        return self.rubric.sections[PARTS.index(REASONING)].order.kind


def load(task: str, root: Path, _setting: str, options: Chosen) -> list[PLawBenchSample]:
    """All samples of a task, with the chosen options in them."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    released = read_released(root, task)
    return [
        PLawBenchSample(
            id=name,
            task=task,
            label=row.label,
            facts=row.facts,
            question=row.question,
            rubric=mark_critical(task, with_penalties(task, rubric, chosen[PENALTIES])),
            asked=LEVELS[chosen[LEVEL]],
            law=chosen[LAW] == ON,
            marking=Way(chosen[MARKING]),
        )
        for (name, row), rubric in zip(released.rows.items(), rubrics_of(released), strict=True)
    ]


def mark_critical(task: str, rubric: Rubric) -> Rubric:
    """The rubric with its critical items marked: of a consultation the decisive facts (3 points,
    table 10 of the paper), of a case the conclusion, which is what the asker acts on. Nothing of a
    document says which of its items decide; there all of them do."""
    if task == CONSULTATION:
        decisive = [item.id for item in rubric.items() if item.maximum >= DECISIVE]
        return rubric.with_critical(decisive)
    if task == CASE:
        conclusion = rubric.sections[PARTS.index(CONCLUSION)]
        return rubric.with_critical([item.id for item in conclusion.items])
    return rubric


class Stock(msgspec.Struct, frozen=True):
    """What can be said without reading the question; a `claim` and a `defence` are forms."""

    questions: tuple[str, ...]
    conclusion: str
    reasoning: str
    statutes: str
    claim: str
    defence: str


class PLawBenchWords(msgspec.Struct, frozen=True):
    """Prompts by task, table 10 by kind from slight to worst, and what the built-in models say."""

    prompts: dict[str, str]
    penalties: dict[str, tuple[str, str, str]]
    lead_in: dict[str, str]
    stock: Stock


WORDS: Final = read_toml(Path(__file__).with_name("words.toml"), PLawBenchWords)


CONSULTATION_PENALTIES: Final = tuple(
    penalty
    for kind, (slight, grave, worst) in WORDS.penalties.items()
    for penalty in (
        Penalty(f"{kind}-slight", slight, 1.0, times=2),
        Penalty(f"{kind}-grave", grave, 3.0, times=2),
        Penalty(f"{kind}-worst", worst, 0.0, all=True),
    )
)
"""For every consultation, where penalties are on."""


def with_penalties(task: str, rubric: Rubric, chosen: str) -> Rubric:
    """With what was chosen of table 10, which the released rubrics of consultations have not, and
    of the unified deductions of documents."""
    if task == CONSULTATION:
        return replace(rubric, penalties=CONSULTATION_PENALTIES if chosen == ON else ())
    return replace(rubric, penalties=()) if chosen == OFF else rubric


LENGTH: Final = Range(2500, 3000)
"""How many characters a document should have; the paper names the unit."""


def prompt(sample: PLawBenchSample, _setting: str) -> tuple[Message, ...]:
    """What is told, and what is asked for: questions, four titled parts, or a document."""
    asked = WORDS.prompts.get(sample.task, WORDS.prompts["document"])
    least, most = sample.asked if sample.task == CONSULTATION else LENGTH
    text = asked.format(least=least, most=most, facts=sample.facts, question=sample.question)
    return (Message("user", text),)
