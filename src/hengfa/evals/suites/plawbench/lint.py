"""Every released rubric read, with what is wrong with it and how it is read all the same.

Beside what does not add up there is what only a reader finds: words that are wrong
(plawbench.md 6). Each such remark is bound to the exact text it was made of, so
that it goes when the text changes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.evals.grading.rubric import Gate, OrderKind, Rubric
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PLAINTIFF,
    TASKS,
    CaseRow,
    ReleasedFile,
    read_released,
    readings_of,
)
from hengfa.evals.suites.plawbench.rubric_case import REASONING
from hengfa.evals.suites.plawbench.rubric_defects import Code, Defect, Defects

ADDING_UP: Final = {
    *(Code.NO_MARKER, Code.MARKER_FORM, Code.BONUS, Code.LISTED_TWICE, Code.STRAY_ITEM),
    *(Code.ONE_MARKER, Code.SUB_SPLIT, Code.ABOVE, Code.BELOW),
}
"""Defects for which the points of a section do not simply follow from its markers."""
TIER, CAP = "tier", "cap"
_REMARKS: Final = {
    digest: (where, says)
    for line in Path(__file__).with_name("remarks.tsv").read_text("utf-8").splitlines()
    for digest, where, says in [line.split("\t")]
}
"""By the first 16 hexadecimal digits of the SHA-256 of a rubric: where, and what."""


class LintedRow(msgspec.Struct, frozen=True):
    """One rubric of a file: ``row`` is the number of a case, else the id upstream gives."""

    file: str
    row: int
    rubric: Rubric
    defects: tuple[Defect, ...]


class Limit(msgspec.Struct, frozen=True):
    """A gate that leaves something: a `tier` that gives so many points, or a `cap` that leaves no
    more; `fault` is its id, `maximum` that of the leaf or item it holds for."""

    file: str
    row: int
    fault: str
    kind: str
    points: float
    maximum: float
    text: str


def limits_of(rows: Iterable[LintedRow]) -> list[Limit]:
    """All tiers and caps, without those that leave nothing: there both are the same."""
    return [
        Limit(
            row.file, row.row, gate.id, TIER if gate.tier else CAP, gate.leaves, maximum, gate.text
        )
        for row in rows
        for maximum, gates in _gates(row.rubric)
        for gate in gates
        if gate.tier or gate.leaves
    ]


def _gates(rubric: Rubric) -> Iterator[tuple[float, tuple[Gate, ...]]]:
    for section in rubric.sections:
        yield section.maximum, section.gates
        yield from ((item.maximum, item.gates) for item in section.items)


class CaseCounts(msgspec.Struct, frozen=True):
    """What the rubrics of cases come to."""

    rows: int
    items: int
    steps: int  # items, where a step that is divided counts once
    deductions: int
    gates: int
    tiers: int
    caps: int
    elements: int
    alternatives: int
    clean_sections: int
    clean_rows: int
    orders: dict[str, int]


class Counts(msgspec.Struct, frozen=True):
    """What all rubrics come to."""

    consultations: int
    questions: int
    questions_by_points: dict[str, int]
    cases: CaseCounts
    documents: int
    leaves: int
    award_points: int
    leaf_deductions: int
    leaf_gates: int
    leaf_tiers: int
    leaf_caps: int
    penalties: int


class Linted(msgspec.Struct, frozen=True):
    """All rows in the order of the files, and the counts."""

    rows: tuple[LintedRow, ...]
    counts: Counts

    def kinds(self) -> Counter[str]:
        """How many defects there are of each kind."""
        return Counter(str(defect.code) for row in self.rows for defect in row.defects)

    def limits(self) -> list[Limit]:
        return limits_of(self.rows)


def lint(root: Path) -> Linted:
    """Read the prose of all rubrics below a folder."""
    released = {task: read_released(root, task) for task in TASKS}
    rows = {task: list(_linted(of)) for task, of in released.items()}
    consultations, documents = rows[CONSULTATION], rows[PLAINTIFF] + rows[DEFENDANT]
    questions = Counter(item.maximum for row in consultations for item in row.rubric.items())
    leaves = [section for row in documents for section in row.rubric.sections]
    kinds = Counter(limit.kind for limit in limits_of(documents))
    counts = Counts(
        consultations=len(consultations),
        questions=questions.total(),
        questions_by_points={f"{points:g}": questions[points] for points in sorted(questions)},
        cases=_case_counts(rows[CASE]),
        documents=len(documents),
        leaves=len(leaves),
        award_points=sum(len(leaf.items) for leaf in leaves),
        leaf_deductions=sum(len(leaf.deductions) for leaf in leaves),
        leaf_gates=sum(len(leaf.gates) for leaf in leaves),
        leaf_tiers=kinds[TIER],
        leaf_caps=kinds[CAP],
        penalties=sum(len(row.rubric.penalties) for row in documents),
    )
    return Linted(tuple(row for task in TASKS for row in rows[task]), counts)


def _linted(released: ReleasedFile) -> Iterator[LintedRow]:
    cases = {name: row for name, row in released.rows.items() if isinstance(row, CaseRow)}
    for (name, row), parsed in zip(released.rows.items(), readings_of(released), strict=True):
        more = _twins(name, row, cases) if isinstance(row, CaseRow) else _remarks(row.rubrics)
        defects = (*parsed.defects, *more)
        yield LintedRow(released.file.name, int(name), parsed.rubric, defects)


def _remarks(text: str) -> Defects:
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    remarks = Defects()
    if name in _REMARKS:
        remarks.add(Code.CONTENT, *_REMARKS[name])
    return remarks


def _twins(name: str, row: CaseRow, cases: Mapping[str, CaseRow]) -> Defects:
    """From which other cases one has its question or its facts."""
    found = Defects()
    for other, its in cases.items():
        if other == name or its.facts.strip() != row.facts.strip():
            continue
        if its.question.strip() == row.question.strip():
            found.add(Code.SAME_QUESTION, "", f"the same facts and question as row {other}")
        else:
            found.add(Code.SAME_CONTEXT, "", f"the same facts as row {other}")
    return found


def _case_counts(cases: Sequence[LintedRow]) -> CaseCounts:
    sections = [section for row in cases for section in row.rubric.sections]
    items = [item for section in sections for item in section.items]
    steps = {(row.row, *item.id.split(".")[:2]) for row in cases for item in row.rubric.items()}
    unclean: set[tuple[int, str]] = set()
    for row in cases:
        flaws = (flaw for flaw in row.defects if flaw.code in ADDING_UP)
        unclean.update((row.row, flaw.where.partition(".")[0]) for flaw in flaws)
    kinds = Counter(limit.kind for limit in limits_of(cases))
    orders = Counter(section.order.kind for section in sections if section.id == REASONING)
    return CaseCounts(
        rows=len(cases),
        items=len(items),
        steps=len(steps),
        deductions=sum(len(item.deductions) for item in items)
        + sum(len(section.deductions) for section in sections),
        gates=sum(len(item.gates) for item in items),
        tiers=kinds[TIER],
        caps=kinds[CAP],
        elements=sum(len(item.elements) for item in items),
        alternatives=sum(bool(item.alternatives) for item in items),
        clean_sections=len(sections) - len(unclean),
        clean_rows=len(cases) - len({row for row, _ in unclean}),
        orders={str(kind): orders[kind] for kind in OrderKind},
    )
