"""The consistency check of everything published: all rules, all claims, what does not add up.

`KNOWN` says what is known of disagreements, by table, row and figure; a row or figure of "" stands
for all. `docs/papers.md` tells more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hengfa.evals.results.published.claims import CLAIMS, Checked
from hengfa.evals.results.published.consistency import RULES, Tables
from hengfa.evals.results.published.papers import paper_of, read_tables, table_file, table_names

KNOWN: dict[tuple[str, str, str], str] = {
    ("lawbench", "Fuzi-Mingcha", "2-4"): "the text means 2-5, where 97.59 stands",
    ("claw", "", "case_ratings@DeepSeek-R1"): "few ratings were read from the grader's comments",
    ("claw", "GPT-4o", "bleu"): "in figure 4 this is the BLEU of o1",
    ("claw", "DeepSeek-R1", "edit_distance"): "worst in figure 4, in the text one of the best",
    ("claw", "Claude-3.7-Sonnet", "edit_distance"): "in figure 4 DeepSeek-R1 is worse",
    ("plawbench", "Qwen-4b-instruct-2507", "overall"): "not explained",
    ("plawbench", "Qwen-4b-thinking-2507", "overall"): "not explained",
    ("plawbench", "Qwen-8b", "overall"): "not explained",
    ("plawbench", "GPT-5.2-1211-global", "ldg"): "its overall follows from the printed mean",
    ("plawbench", "Qwen-4b-thinking-2507", "pca"): "not explained",
    ("plawbench-data", "Task 1 PLC", ""): "appendix C.1 has 8.7 items per question, table 2 has 21",
    ("plawbench-graders", "Gemini-3.0-Pro-Preview", ""): "GPT-5.1 is higher",
    ("legalagentbench", "GPT-3.5", "tokens"): "about half of the released run; not explained",
    ("legalagentbench", "LLaMa3.1-8B", "tokens"): "tasks 176-280 of the run are left out",
    ("legalagentbench-corpora", "", "keys"): "the column is shifted by a row for tables 11-14",
    ("judgment", "QW-7B-Base RAG", "statute_f1"): "probably a slip",
    ("judgment", "QW-7B-Chat ICL", ""): "probably of an earlier output",
}


def known(table: str, title: str, figure: str) -> str | None:
    """What is known of a disagreement, or None if it is new."""
    for key in ((table, title, figure), (table, title, ""), (table, "", figure)):
        if key in KNOWN:
            return KNOWN[key]
    return None


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
    return Discrepancy(
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
