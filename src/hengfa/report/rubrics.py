"""What is wrong with rubrics as a table, and as a document for programs."""

from __future__ import annotations

from collections import Counter

import msgspec
from rich import box
from rich.table import Table

from hengfa.report.table import plain_console, printable
from hengfa.suites.plawbench.lint import Counts, Linted


def print_lint(linted: Linted, *, everything: bool) -> None:
    """A row for each defect, or with `everything` also for each rubric without one; then sums."""
    console = plain_console()
    for file in dict.fromkeys(row.file for row in linted.rows):
        table = _table(linted, file, everything)
        if table.row_count:
            console.print(table)
    for line in _summary(linted):
        console.print(printable(line), soft_wrap=True)


def _table(linted: Linted, file: str, everything: bool) -> Table:
    table = Table(title=printable(file), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("where", overflow="fold", min_width=8)
    table.add_column("what", overflow="fold", ratio=3)
    table.add_column("read as", overflow="fold", ratio=2)
    for row in linted.rows:
        if row.file != file:
            continue
        for one in row.defects:
            what = f"{one.code}: {one.text}"
            table.add_row(*map(printable, (str(row.row), one.where, what, one.reading)))
        if everything and not row.defects:
            items = sum(1 for _ in row.rubric.items())
            table.add_row(str(row.row), "", "–", f"{items} items, {row.rubric.maximum:g} points")
    return table


def _summary(linted: Linted) -> list[str]:
    counts, cases = linted.counts, linted.counts.cases
    kinds = Counter(str(one.code) for row in linted.rows for one in row.defects)
    with_defects = sum(bool(row.defects) for row in linted.rows)
    by_points = ", ".join(
        f"{number} of {points}" for points, number in counts.questions_by_points.items()
    )
    orders = ", ".join(f"{kind} {number}" for kind, number in cases.orders.items())
    found = (
        f"{cases.items} items in {cases.steps} steps, {cases.deductions} deductions, {cases.gates}"
        f" gates, {cases.elements} elements, {cases.alternatives} items with alternatives"
    )
    clean = f"markers add up in {cases.clean_sections} sections and {cases.clean_rows} rows"
    leaves = (
        f"{counts.leaves} leaves, {counts.award_points} award points, {counts.leaf_deductions}"
        f" deductions, {counts.leaf_gates} gates, {counts.penalties} penalties"
    )
    named = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())
    return [
        f"{counts.consultations} consultations: {counts.questions} questions ({by_points})",
        f"{cases.rows} cases: {found}; {clean}",
        f"order of reasoning: {orders}",
        f"{counts.documents} documents: {leaves}",
        f"{kinds.total()} defects in {with_defects} of {len(linted.rows)} rubrics: {named}",
    ]


class _Row(msgspec.Struct):
    file: str
    row: int
    maximum: float
    items: int
    defects: list[dict[str, str]]


class _Document(msgspec.Struct):
    rows: list[_Row]
    counts: Counts
    defects: dict[str, int]


def as_document(linted: Linted, *, everything: bool) -> object:
    """The same for a program."""
    rows = [
        _Row(
            row.file,
            row.row,
            row.rubric.maximum,
            sum(1 for _ in row.rubric.items()),
            [
                {
                    "code": str(one.code),
                    "where": one.where,
                    "text": one.text,
                    "reading": one.reading,
                }
                for one in row.defects
            ],
        )
        for row in linted.rows
        if everything or row.defects
    ]
    kinds = Counter(str(one.code) for row in linted.rows for one in row.defects)
    return _Document(rows, linted.counts, dict(kinds))
