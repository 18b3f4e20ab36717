"""Files of recited provisions: which provision was asked for, and what was answered.

JSON lines, each either ``{"id": "民法典/2020-05-28/27.2.1", "prediction": "…"}``, as predictions of
CLaw are saved, or ``{"law": …, "version": …, "position": …, "answer": …}``. A version is named by
the day on which it was promulgated (claw.md 2); laws may have short names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.corpora import Block, Document
from hengfa.base.data.findings import Columns, Findings, Part, part_of
from hengfa.base.data.jsonfile import encode_json, read_lines
from hengfa.base.errors import DataError, UsageError
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position, parse_position
from hengfa.law.library.diagnosis.classes import Diagnosis, diagnose
from hengfa.law.library.diagnosis.cover import SOURCES, Place
from hengfa.law.library.lookup import existing, why_not
from hengfa.law.library.names import find_law
from hengfa.law.library.store import Library
from hengfa.law.library.versions import FoundVersion, promulgated_on

_LAYOUTS: Final = (
    "expected an object with the fields id and prediction, or law, version, position and answer"
)
_ID: Final = "is no LAW/VERSION/POSITION such as 民法典/2020-05-28/27.2.1"


class Recitation(msgspec.Struct, frozen=True):
    """One line of a file: an answer to the question for a provision.

    `unanswered` says why there is none where a model was asked and gave none.
    """

    row: int
    law: str
    version: date
    position: Position
    answer: str
    unanswered: str = ""


class Diagnosed(msgspec.Struct, frozen=True):
    """A recitation with what is wrong with it, or with why that cannot be said."""

    recitation: Recitation
    law: str
    """The full name; as it was given where the library has no such law."""
    diagnosis: Diagnosis | None
    problem: str = ""


class _Row(msgspec.Struct):
    """The fields that are read; a line may have others."""

    id: str | None = None
    prediction: str | None = None
    law: str | None = None
    version: str | None = None
    position: str | None = None
    answer: str | None = None


def read_recitations(file: Path) -> list[Recitation]:
    """All lines of a file; one that cannot be understood is an error that names it."""
    recitations = [_recitation(row, file, number) for number, row in read_lines(file, _Row)]
    if not recitations:
        raise DataError(f"holds no answers: {_LAYOUTS}", file=file)
    return recitations


def recitation_of(
    asked: str, answer: str, file: Path, number: int, unanswered: str = ""
) -> Recitation:
    """The answer to a question that is named after its provision, as those of CLaw are."""
    read = _recitation(_Row(id=asked, prediction=answer), file, number)
    return msgspec.structs.replace(read, unanswered=unanswered)


def _recitation(row: _Row, file: Path, number: int) -> Recitation:
    if row.id is not None and row.prediction is not None:
        parts = row.id.rsplit("/", 2)
        if len(parts) != 3:
            raise DataError(f"{row.id[:80]!r} {_ID}", file=file, row=number, field="id")
        fields, (law, version, position), answer = ("id",) * 3, parts, row.prediction
    elif row.law is None or row.version is None or row.position is None or row.answer is None:
        raise DataError(_LAYOUTS, file=file, row=number)
    else:
        fields = ("law", "version", "position")
        law, version, position, answer = row.law, row.version, row.position, row.answer
    if not law.strip():
        raise DataError("names no law", file=file, row=number, field=fields[0])
    try:
        day = date.fromisoformat(version)
    except ValueError:
        problem = f"{version[:40]!r} is no day such as 2020-05-28"
        raise DataError(problem, file=file, row=number, field=fields[1]) from None
    place = parse_position(position)
    if place is None or place.article is None:
        problem = f"{position[:40]!r} is no position such as 27.2.1 or 第二十七条第二款第（一）项"
        raise DataError(problem, file=file, row=number, field=fields[2])
    return Recitation(number, law, day, place, answer)


def diagnose_all(library: Library, recitations: Sequence[Recitation]) -> Iterator[Diagnosed]:
    """What is wrong with each; a law, version or position that is not at hand is said to be so."""
    return (_diagnose(library, recitation) for recitation in recitations)


def _diagnose(library: Library, recitation: Recitation) -> Diagnosed:
    law = recitation.law
    if recitation.unanswered:
        return Diagnosed(recitation, law, None, f"no answer ({recitation.unanswered})")
    try:
        asked = find_law(library, law)
        law = asked.name
        answer = promulgated_on(library, asked, recitation.version)
        if not isinstance(answer, FoundVersion):
            return Diagnosed(recitation, law, None, why_not(asked, answer))
        position = existing(library, answer.version, recitation.position)
    except UsageError as error:
        return Diagnosed(recitation, law, None, str(error))
    diagnosis = diagnose(library, answer.version, position, recitation.answer)
    return Diagnosed(recitation, law, diagnosis)


COLUMNS: Final[Columns] = {
    "law": str,
    "version": date,
    "position": str,
    "class": str,
    "problem": str,
    "flags": list[str],
    "gold_recall": float,
    "extra": float,
    **{f"share_{source.replace(' ', '_')}": float for source in SOURCES},
    "verbatim": list[str],
    "gold": str,
    "answer": str,
    "spans": str,
}
"""`verbatim` names provisions as ids of recitations do; `spans` is JSON, as `--json` has it."""


@dataclass(frozen=True, slots=True)
class RecitationCheck:
    """Diagnoses the answers of a block; the id of each says what was asked for."""

    library: Path

    @property
    def files(self) -> Mapping[str, Path]:
        return {"library": self.library}

    def open(self, files: Mapping[str, Path], /) -> Callable[[Block], Part]:
        library = Library.open(files["library"])

        def check(document: Document) -> Findings:
            asked = recitation_of(document.id, document.text, Path(document.file), document.row)
            diagnosed = _diagnose(library, asked)
            kind = diagnosed.diagnosis.kind if diagnosed.diagnosis else "not diagnosed"
            return Findings([_cells(diagnosed)], {kind: 1})

        return lambda block: part_of(block, COLUMNS, check)


def _cells(diagnosed: Diagnosed) -> tuple[object, ...]:
    """In the order of the columns."""
    asked, diagnosis = diagnosed.recitation, diagnosed.diagnosis
    head = diagnosed.law, asked.version, format_position(asked.position, "dotted")
    if diagnosis is None:
        nothing = (None,) * (len(COLUMNS) - len(head) - 4)
        return *head, None, diagnosed.problem, *nothing, asked.answer, None
    return (
        *head,
        diagnosis.kind,
        None,
        list(diagnosis.flags),
        diagnosis.gold_recall,
        diagnosis.extra,
        *(diagnosis.shares.get(source, 0.0) for source in SOURCES),
        ["/".join(map(str, place_of(place).values())) for place in diagnosis.verbatim],
        diagnosis.gold,
        asked.answer,
        encode_json(spans_of(asked, diagnosis)).decode(),
    )


def spans_of(asked: Recitation, diagnosis: Diagnosis) -> list[dict[str, object]]:
    """The pieces of an answer for a program, with their texts; positions in the dotted form."""
    return [
        {
            "start": span.start,
            "end": span.end,
            "source": span.source,
            "where": [place_of(place) for place in span.where],
            "more": span.more,
            "phrase": span.phrase,
            "text": asked.answer[span.start : span.end],
        }
        for span in diagnosis.spans
    ]


def place_of(place: Place) -> dict[str, object]:
    """A provision for a program."""
    dotted = format_position(place.position, "dotted") if any(place.position) else ""
    return {"law": place.law, "version": place.version, "position": dotted}
