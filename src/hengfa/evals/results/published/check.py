"""The consistency check of everything published: all rules, all claims, what does not add up.

`known.tsv` says what is known of disagreements, by table, row and figure; an empty row or figure
stands for all. `docs/papers.md` tells more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from hengfa.evals.results.published.claims import CLAIMS, Checked
from hengfa.evals.results.published.consistency import RULES, Tables
from hengfa.evals.results.published.papers import paper_of, read_tables, table_file, table_names

_TABLE = resources.files(__package__).joinpath("known.tsv").read_text("utf-8")
_ROWS = (line.split("\t") for line in _TABLE.splitlines()[1:])
KNOWN = {(table, row, figure): said for table, row, figure, said in _ROWS}


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A printed number that cannot be, given the others.

    `low` and `high` limit what it can be, and are None where nothing can. `certain` is false where
    the rule rests on more than the paper's own arithmetic; `known` tells what is known of it, and
    is None for what is new.
    """

    paper: str
    table: str
    source: str
    row: str
    figure: str
    printed: str
    low: float | None
    high: float | None
    rule: str
    certain: bool
    known: str | None

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Report:
    """How many checks were made, by table, and what they found."""

    checks: dict[str, int]
    findings: Sequence[Discrepancy]

    def as_json(self) -> dict[str, Any]:
        return {"checks": self.checks, "findings": [finding.as_json() for finding in self.findings]}


def check_published(suite: str | None = None) -> Report:
    """Check the tables of a suite, or of all; what is compared with may be in any table."""
    tables = {name: read_tables(table_file(name)) for name in table_names()}
    checks: dict[str, int] = {}
    findings: list[Discrepancy] = []
    for table in table_names(suite):
        for finding, fits in (*_by_rules(table, tables), *_by_claims(table, tables)):
            checks[table] = checks.get(table, 0) + 1
            if not fits:
                findings.append(finding)
    return Report(checks, findings)


def _by_rules(table: str, tables: Tables) -> Iterator[tuple[Discrepancy, bool]]:
    for rule in RULES.get(table, ()):
        for row in tables[table]:
            outcome = rule.check(row, tables)
            if outcome is not None:
                checked = Checked(row.title, row.setting, rule.figure, outcome)
                finding = _finding(table, row.source, checked, rule.says, certain=rule.certain)
                yield finding, outcome.fits


def _by_claims(table: str, tables: Tables) -> Iterator[tuple[Discrepancy, bool]]:
    for claim in CLAIMS:
        if claim.table == table:
            for checked in claim.check(tables):
                finding = _finding(table, claim.place, checked, claim.says, certain=True)
                yield finding, checked.outcome.fits


def _finding(table: str, source: str, checked: Checked, says: str, *, certain: bool) -> Discrepancy:
    possible = checked.outcome.possible
    title, figure = checked.title, checked.figure
    keys = (table, title, figure), (table, title, ""), (table, "", figure)
    return Discrepancy(
        paper=paper_of(table),
        table=table,
        source=source,
        row=", ".join(filter(None, (title, checked.setting))),
        figure=figure,
        printed=checked.outcome.printed,
        low=None if possible is None else float(possible.low),
        high=None if possible is None else float(possible.high),
        rule=says,
        certain=certain,
        known=next((KNOWN[key] for key in keys if key in KNOWN), None),
    )
