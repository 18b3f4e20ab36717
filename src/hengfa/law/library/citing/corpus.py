"""Citations of a whole corpus: one row for each citation of each document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from hengfa.base.data.corpora import Block, Document
from hengfa.base.data.findings import Columns, Findings, Part, part_of
from hengfa.law.library.citing.checking import Checker, unheard_of
from hengfa.law.library.citing.findings import FINE, Checked
from hengfa.law.library.names import find_law
from hengfa.law.library.store import Library

COLUMNS: Final[Columns] = {
    "line": int,
    "start": int,
    "end": int,
    "written": str,
    "kind": str,
    "basis": str,
    "status": str,
    "problem": str,
    "named": str,
    "law": str,
    "position": str,
    "day": date,
    "day_basis": str,
    "version": date,
    "text_of": date,
    "exists": str,
    "in_force": str,
    "inside": bool,
    "quoted_start": int,
    "quoted_end": int,
    "quotation": str,
    "similarity": float,
    "differences": list[str],
    "told": str,
    "nearest": str,
    "notes": list[str],
}
UNHEARD_OF: Final = "names of no known law"
"""Counted besides the statuses: see `unheard_of`."""


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """Checks every document of a block; `today` is the day of those that say none."""

    library: Path
    today: date
    as_of: date | None = None
    law: str | None = None
    problems: bool = False
    """Whether to leave out citations with which nothing is the matter; they are counted all the
    same."""

    @property
    def files(self) -> Mapping[str, Path]:
        return {"library": self.library}

    def open(self, files: Mapping[str, Path], /) -> Callable[[Block], Part]:
        library = Library.open(files["library"])
        law = None if self.law is None else find_law(library, self.law)
        checker = Checker(library)

        def check(document: Document) -> Findings:
            report = checker.check(document.text, as_of=self.as_of, law=law, today=self.today)
            shown = (c for c in report.citations if not self.problems or c.status not in FINE)
            rows = list(map(_row, shown))
            counts = {str(status): n for status, n in report.counts().items()}
            return Findings(rows, counts | {UNHEARD_OF: len(unheard_of(report, checker.names))})

        return lambda block: part_of(block, COLUMNS, check)


def _row(checked: Checked) -> tuple[object, ...]:
    """In the order of the columns; those that are not told here are fields of a finding."""
    day, quotation, telling = checked.day, checked.quotation, checked.telling
    nearest = telling.nearest if telling else None
    cells = {
        "problem": checked.problem or None,
        "day": day and day.day,
        "day_basis": day and day.basis,
        "quoted_start": quotation and quotation.start,
        "quoted_end": quotation and quotation.end,
        "quotation": quotation and quotation.verdict,
        "similarity": quotation and quotation.similarity,
        "differences": [each.shown for each in quotation.differences] if quotation else [],
        "told": telling and telling.verdict,
        "nearest": f"{nearest.law}{nearest.position} ({nearest.version})" if nearest else None,
        "notes": [*checked.notes, *(quotation.notes if quotation else ())],
    }
    return tuple(cells[name] if name in cells else getattr(checked, name) for name in COLUMNS)
