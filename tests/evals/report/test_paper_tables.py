"""Tables for papers: numbers with intervals, and nothing in a name that breaks the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.report.paper_tables import (
    PaperTable,
    as_latex,
    as_markdown,
    escape_latex,
    escape_markdown,
    show_interval,
)
from hengfa.evals.report.site.model import SiteFigure
from hengfa.law.text.invisible import INVISIBLE

TABLE = PaperTable("A & B", ("model", "score"), [("a|b_c", "52.35 [50.10, 54.60]"), ("丁%", "–")])


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (None, "–"),
        (SiteFigure(0.5), "50.00"),
        (SiteFigure(0.52349, 0.501, 0.546), "52.35 [50.10, 54.60]"),
        (SiteFigure(1.0, 0.999, 1.0), "100.00 [99.90, 100.00]"),
    ],
)
def test_how_figures_are_shown(figure: SiteFigure | None, shown: str) -> None:
    assert show_interval(figure) == shown


def test_markdown() -> None:
    assert as_markdown([TABLE]).splitlines() == [
        r"**A \& B**",
        "",
        "| model | score |",
        "| --- | ---: |",
        r"| a\|b\_c | 52.35 \[50.10, 54.60\] |",
        "| 丁% | – |",
    ]


def test_latex() -> None:
    assert as_latex([TABLE]).splitlines() == [
        r"\begin{table}",
        r"\caption{A \& B}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"model & score \\",
        r"\midrule",
        r"a|b\_c & 52.35 [50.10, 54.60] \\",
        r"丁\% & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


@given(st.text())
def test_a_cell_of_markdown_stays_one_cell_and_no_markup(text: str) -> None:
    escaped = escape_markdown(text)
    assert "\n" not in escaped
    assert not INVISIBLE.search(escaped)
    without = escaped.replace("\\\\", "")
    for sign in "|<>*_`[]":
        assert without.count(sign) == without.count(f"\\{sign}")


@given(st.text())
def test_a_cell_of_latex_has_no_command_but_ours(text: str) -> None:
    escaped = escape_latex(text)
    assert "\n" not in escaped
    signs = ("triangleright", "leftarrow", "approx", "checkmark", "cdot")
    for ours in (
        *(rf"\ensuremath{{\{sign}}}" for sign in signs),
        *(r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}", r"\dag{}", r"\ddag{}"),
    ):
        escaped = escaped.replace(ours, "")
    for sign in "&%$#_{}":
        escaped = escaped.replace(f"\\{sign}", "")
    assert not set(escaped) & set("\\&%$#_{}~^")
