"""The consistency check of everything published: all rules, all claims, what does not add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hengfa.results.published.claimed import CLAIMS
from hengfa.results.published.claims import Checked
from hengfa.results.published.consistency import Tables
from hengfa.results.published.known import known
from hengfa.results.published.papers import TABLES, paper_of, read_tables, table_names
from hengfa.results.published.rules import RULES


@dataclass(frozen=True, slots=True)
class Finding:
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
    findings: Sequence[Finding]

    def as_json(self) -> dict[str, Any]:
        return {"checks": self.checks, "findings": [one.as_json() for one in self.findings]}


def check_published(suite: str | None = None) -> Report:
    """Check the tables of a suite, or of all; what is compared with may be in any table."""
    tables = {name: read_tables(TABLES / f"{name}.csv") for name in table_names()}
    checks: dict[str, int] = {}
    findings: list[Finding] = []
    for table in table_names(suite):
        for finding, fits in (*_by_rules(table, tables), *_by_claims(table, tables)):
            checks[table] = checks.get(table, 0) + 1
            if not fits:
                findings.append(finding)
    return Report(checks, findings)


def _by_rules(table: str, tables: Tables) -> Iterator[tuple[Finding, bool]]:
    for rule in RULES.get(table, ()):
        for row in tables[table]:
            outcome = rule.check(row, tables)
            if outcome is not None:
                checked = Checked(row.title, row.setting, rule.figure, outcome)
                finding = _finding(table, row.source, checked, rule.says, certain=rule.certain)
                yield finding, outcome.fits


def _by_claims(table: str, tables: Tables) -> Iterator[tuple[Finding, bool]]:
    for claim in CLAIMS:
        if claim.table == table:
            for checked in claim.check(tables):
                finding = _finding(table, claim.place, checked, claim.says, certain=True)
                yield finding, checked.outcome.fits


def _finding(table: str, source: str, checked: Checked, says: str, *, certain: bool) -> Finding:
    possible = checked.outcome.possible
    return Finding(
        paper=paper_of(table),
        table=table,
        source=source,
        row=", ".join(filter(None, (checked.title, checked.setting))),
        figure=checked.figure,
        printed=checked.outcome.printed,
        low=None if possible is None else float(possible.low),
        high=None if possible is None else float(possible.high),
        rule=says,
        certain=certain,
        known=known(table, checked.title, checked.figure),
    )
