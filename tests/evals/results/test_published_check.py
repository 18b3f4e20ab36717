"""The check of everything published: what must come out, what must not, and how often."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hengfa.base.statistics.correlation import pearson
from hengfa.evals.results.published.check import KNOWN, Discrepancy, check_published
from hengfa.evals.results.published.claims import CLAIMS, pearson_range
from hengfa.evals.results.published.consistency import RULES, printed_range
from hengfa.evals.results.published.papers import (
    PAPERS,
    TABLES,
    paper_of,
    papers,
    published,
    read_tables,
    table_names,
)

REPORT = check_published()


def found(table: str, row: str, figure: str) -> Discrepancy:
    """The one finding of a row and figure."""
    [one] = [
        one
        for one in REPORT.findings
        if (one.table, one.figure) == (table, figure) and one.row.startswith(row)
    ]
    return one


@pytest.mark.parametrize(
    ("table", "row", "figure", "printed", "low", "high"),
    [
        ("plawbench", "Qwen-4b-instruct-2507", "overall", "50.53", 50.364, 50.374),
        ("plawbench", "Qwen-4b-thinking-2507", "overall", "44.80", 46.67, 46.68),
        ("plawbench", "Qwen-8b", "overall", "43.11", 43.88, 43.89),
        ("plawbench", "GPT-5.2-1211-global", "ldg", "68.58", 60.83, 60.84),
        ("legalagentbench", "GPT-3.5, react", "tokens", "11357664", 22076821, 22076821),
        ("legalagentbench", "LLaMa3.1-8B, plan-execute", "tokens", "13649741", 21515249, 21515249),
        ("legalagentbench-corpora", "FinalizedCase", "keys", "8", 9, 9),
        ("judgment", "QW-7B-Base RAG", "statute_f1", "0.7502", 0.749914, 0.750014),
        ("judgment", "QW-7B-Chat ICL", "prison", "0.6731", 0.6811605, 0.6811615),
        ("lawbench", "Fuzi-Mingcha, zero_shot", "2-4", "97.59", 18.595, 18.605),
        ("claw", "GPT-4o", "bleu", "0.018", 0.0265, 0.0275),
        ("claw", "Claude-3.7-Sonnet", "case_ratings@DeepSeek-R1", "254", 3, 252),
        ("plawbench-graders", "Gemini-3.0-Pro-Preview", "pearson/case", "0.809", 0.8135, 0.8145),
    ],
)
def test_known_mistakes_come_out(
    table: str, row: str, figure: str, printed: str, low: float, high: float
) -> None:
    one = found(table, row, figure)
    assert one.printed == printed
    assert one.low == pytest.approx(low, abs=1e-6)
    assert one.high == pytest.approx(high, abs=1e-6)
    assert one.known is not None
    assert one.paper == paper_of(table)


def test_every_known_mistake_is_still_found() -> None:
    for table, title, figure in KNOWN:
        assert any(
            one.table == table and one.row.startswith(title) and figure in ("", one.figure)
            for one in REPORT.findings
        ), (table, title, figure)


def test_the_weights_of_plawbench_are_only_assumed_and_so_is_what_follows() -> None:
    one = found("plawbench", "Qwen-4b-thinking-2507", "pca")
    assert not one.certain
    assert one.low is not None
    assert float(one.printed) < one.low


def test_tables_that_are_in_order_have_no_finding() -> None:
    tables = {one.table for one in REPORT.findings}
    for table in ("lawbench-table-3", "lawbench-table-23", "lawbench-data", "legalagentbench-data"):
        assert REPORT.checks[table] > 0
        assert table not in tables
    by_rule = Counter((one.table, one.rule) for one in REPORT.findings)
    assert not any(rule.startswith("mean of its") for _, rule in by_rule)
    assert ("legalagentbench", "mean over the 300 tasks") not in by_rule


def test_the_counts_that_the_docs_tell() -> None:
    known = sum(one.known is not None for one in REPORT.findings)
    assert (sum(REPORT.checks.values()), len(REPORT.findings), known) == (2109, 65, 36)
    assert REPORT.checks["lawbench"] == 51 * 2 * (4 + 6) + 3


def test_one_suite_can_be_checked_alone() -> None:
    only = check_published("plawbench")
    assert set(only.checks) == {"plawbench", "plawbench-data", "plawbench-graders"}
    assert list(only.findings) == [one for one in REPORT.findings if one.table in only.checks]


def test_a_wrong_digit_anywhere_in_lawbench_is_noticed() -> None:
    """The checker has power: a task moved by one point breaks its level or the overall mean."""
    rows = read_tables(TABLES / "lawbench.csv")
    for task in rows[0].tasks:
        row = rows[19]
        moved = dict(row.printed) | {task: f"{float(row.printed[task]) + 1:.2f}"}
        changed = type(row)(
            row.model, row.title, row.setting, row.source, row.tasks, row.figures, moved
        )
        outcomes = [rule.check(changed, {}) for rule in RULES["lawbench"]]
        assert any(one is not None and not one.fits for one in outcomes), task


def test_every_table_has_a_paper_and_every_rule_a_table() -> None:
    names = table_names()
    assert {paper_of(name) for name in names} == set(papers().values())
    assert set(RULES) <= set(names)
    assert {claim.table for claim in CLAIMS} <= set(names)
    assert sorted(names) == sorted(
        file.stem for file in TABLES.glob("*.csv") if file.name != PAPERS
    )


def test_the_graders_of_claw_correlate_as_the_paper_says_but_for_the_rounding() -> None:
    """0.9865, printed 0.98: cut off, not rounded. The order of the models is the same."""
    rows = published("claw")
    columns = [
        np.array([row.figures[f"case_overall@{grader}"] for row in rows])
        for grader in ("Gemini-2.5-Pro", "DeepSeek-R1")
    ]
    value = pearson(*columns)
    assert value == pytest.approx(0.9865, abs=5e-5)
    one = found("claw", "all 10 rows", "case_overall@Gemini-2.5-Pro")
    assert one.low is not None
    assert one.high is not None
    assert one.low < 0.9865 < one.high
    assert not any("Spearman" in other.rule for other in REPORT.findings)


def test_no_numbers_behind_the_printed_ones_correlate_beyond_the_limits() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 9)).round(1)
    limits = pearson_range(*([printed_range(f"{v:.1f}") for v in column] for column in (x, y)))
    for _ in range(2000):
        behind = [column + random.choice([-0.05, 0.05], size=9) for column in (x, y)]
        value = pearson(*behind)
        assert value is not None
        assert limits.low <= Fraction(value) <= limits.high


@pytest.mark.shared
def test_table_4_of_judge_is_as_it_was_taken_from_the_paper(shared: Path) -> None:
    with (shared / "published" / "judge_table4.csv").open(encoding="utf-8") as stream:
        cells = {f"{row['model']} {row['method']}": row for row in csv.DictReader(stream)}
    assert len(cells) == 18
    for run in published("judgment"):
        printed = cells[run.title]
        for name, value in printed.items():
            if name in ("model", "method"):
                continue
            ours = name.replace("law_", "statute_")
            for section in ("reasoning", "judgment"):
                if name.startswith(f"{section}_"):
                    short = "reason" if section == "reasoning" else section
                    ours = f"{name.removeprefix(section + '_')}_{short}"
            assert run.printed[ours] == value, (run.title, name)


@pytest.mark.shared
def test_tokens_are_the_same_in_all_three_tables_of_legalagentbench(shared: Path) -> None:
    with (shared / "published" / "legalagentbench_tables.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    methods = {"ReAct": "react", "P-S": "plan-solve", "P-E": "plan-execute"}
    ours = {(run.title, run.setting): run.printed for run in published("legalagentbench")}
    for row in rows:
        printed = ours[row["model"], methods[row["method"]]]
        assert printed["tokens"] == row["tokens"]
        measure = row["metric"].removesuffix("_rate")
        for group in ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop", "writing", "all"):
            assert printed[f"{measure}/{group}"] == row[group]
