"""What two annotators, or two extractors, say of the same documents, and how far they agree.

A file is CSV or JSON lines: an `id`, and a column for whatever was said. The paper's annotators say
whether a document is usable; only what both found usable is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import encode_json, read_lines
from hengfa.base.errors import DataError, UsageError
from hengfa.base.statistics.correlation import cohen_kappa
from hengfa.evals.grading.people.score_table import csv_rows
from hengfa.evals.suites.judgment.cases import is_lines

USABLE: Final = "usable"
_ID: Final = "id"
_WORDS: Final = {"true": True, "1": True, "yes": True, "y": True, "是": True, "可用": True} | {
    "false": False, "0": False, "no": False, "n": False, "否": False, "不可用": False,
}  # fmt: skip

Annotations: TypeAlias = Mapping[str, Mapping[str, str]]
"""By the id of a document, what was said under each name."""


class FieldAgreement(msgspec.Struct, frozen=True):
    """Two files on one field: of the documents in both how many have the same, and kappa.

    ``kappa`` is Cohen's: 1 is agreement, 0 what chance gives; None where both always say one thing.
    """

    field: str
    documents: int
    same: int
    kappa: float | None
    apart: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.same / self.documents


def read_annotations(file: Path) -> Annotations:
    """What a file says; a cell that is empty, or null, says nothing."""
    said: dict[str, dict[str, str]] = {}
    for number, row in _json_rows(file) if is_lines(file) else _cells(file):
        name = row.pop(_ID, "")
        if not name:
            raise DataError("every row needs the id of its document", file=file, row=number)
        if name in said:
            raise DataError(f"{name!r} is there twice", file=file, row=number, field=_ID)
        if row.get(USABLE, "").lower() in _WORDS:  # 是 and true are the same
            row[USABLE] = encode_json(_WORDS[row[USABLE].lower()]).decode()
        said[name] = row
    return said


def _json_rows(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    for number, row in read_lines(file, dict[str, Any]):
        yield number, {name: _label(value) for name, value in row.items() if value is not None}


def _cells(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv_rows(file)
    _, head = next(rows, (1, []))
    names = [name.strip() for name in head]
    for number, cells in rows:
        pairs = zip(names, map(str.strip, cells), strict=False)
        yield number, {name: cell for name, cell in pairs if cell}


def _label(value: object) -> str:
    """A value as a word; the order in a list does not matter."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "、".join(sorted(map(_label, value)))
    return encode_json(value, order="sorted").decode()


def agreement(one: Annotations, other: Annotations) -> tuple[FieldAgreement, ...]:
    """How far two files agree, field by field, on the documents of which both say something."""
    names = dict.fromkeys(name for said in one.values() for name in said)
    found = []
    for name in names:
        both = [
            (document, said[name], other[document][name])
            for document, said in one.items()
            if name in said and name in other.get(document, {})
        ]
        if both:
            apart = tuple(document for document, a, b in both if a != b)
            kappa = cohen_kappa([a for _, a, _ in both], [b for _, _, b in both])
            found.append(FieldAgreement(name, len(both), len(both) - len(apart), kappa, apart))
    if not found:
        raise UsageError("the two files have no document and field in common")
    return tuple(found)


def usable(one: Path, other: Path) -> dict[str, bool]:
    """Whether both annotators found a document usable; one that only one of them saw is not."""
    files = [
        {name: _is_usable(said, name, file) for name, said in read_annotations(file).items()}
        for file in (one, other)
    ]
    return {name: files[0][name] and files[1].get(name, False) for name in files[0]}


def _is_usable(said: Mapping[str, str], document: str, file: Path) -> bool:
    word = said.get(USABLE, "")
    if word not in _WORDS:
        problem = f"of {document} it is {word!r}; write true or false, 是 or 否"
        raise DataError(problem, file=file, field=USABLE)
    return _WORDS[word]
