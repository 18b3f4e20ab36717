"""Published figures, what does not add up in them, and what goes together, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Table

from hengfa.base.statistics.correlation import Correlation
from hengfa.base.terminal.console import fitting, plain_console, printable
from hengfa.evals.results.published.check import Finding, Report
from hengfa.evals.results.published.papers import PublishedRun, paper_of
from hengfa.evals.runs.abilities import Together

_NAME_WIDTH = 26


def print_contents(tables: Mapping[str, Sequence[PublishedRun]]) -> None:
    """Which tables there are, of which paper, how large, from where."""
    console = plain_console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("table", "paper"):
        table.add_column(heading, overflow="fold")
    for heading in ("rows", "numbers"):
        table.add_column(heading, justify="right")
    table.add_column("source", overflow="fold")
    for name, rows in tables.items():
        first, *more = dict.fromkeys(row.source.partition(";")[0] for row in rows)
        numbers = sum(len(row.printed) for row in rows)
        shown = f"{first}, …" if more else first
        table.add_row(name, paper_of(name), f"{len(rows):,}", f"{numbers:,}", shown)
    console.print(table)


def print_rows(name: str, rows: Sequence[PublishedRun]) -> None:
    """One row per model, as many tables as the columns need; then where the numbers stand."""
    console = plain_console()
    console.print(f"{name}: {paper_of(name)}", style="bold")
    columns = list(dict.fromkeys(column for row in rows for column in row.printed))
    widths = {
        column: max(cell_len(column), *(cell_len(row.printed.get(column, "–")) for row in rows))
        for column in columns
    }
    for part in fitting(widths, console.width - _NAME_WIDTH):
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("model, setting", overflow="fold", width=_NAME_WIDTH)
        for column in part:
            table.add_column(column, justify="right", no_wrap=True)
        for row in rows:
            cells = (row.printed.get(column, "–") for column in part)
            named = filter(None, (row.title, row.setting, row.grader))
            table.add_row(printable(", ".join(named)), *cells)
        console.print(table)
        console.print()
    for source in dict.fromkeys(row.source for row in rows):
        console.print(f"source: {source}", soft_wrap=True)
    console.print()


def print_findings(report: Report) -> None:
    """What does not add up, paper by paper, each with what it could be; then the counts."""
    console = plain_console()
    for paper in dict.fromkeys(finding.paper for finding in report.findings):
        console.print(paper, style="bold")
        of_paper = [finding for finding in report.findings if finding.paper == paper]
        for rule in dict.fromkeys((finding.table, finding.rule) for finding in of_paper):
            same = [finding for finding in of_paper if (finding.table, finding.rule) == rule]
            console.print(f"  {rule[0]}: {rule[1]}", style="italic")
            for finding in same:
                console.print(f"    {_sentence(finding)}", soft_wrap=True)
        console.print()
    checks, wrong = sum(report.checks.values()), len(report.findings)
    known = sum(finding.known is not None for finding in report.findings)
    console.print(
        f"{checks:,} checks, {wrong} do not add up ({known} known, {wrong - known} new); by table: "
        + ", ".join(f"{name} {number:,}" for name, number in report.checks.items()),
        soft_wrap=True,
    )


def _sentence(finding: Finding) -> str:
    if finding.low is None or finding.high is None:
        limits = "nothing fits"
    elif finding.low == finding.high:
        limits = f"recomputed {_short(finding.low)}"
    else:
        limits = f"recomputed {_short(finding.low)} to {_short(finding.high)}"
    doubt = "" if finding.certain else " (probably)"
    note = f"; known: {finding.known}" if finding.known is not None else ""
    source = finding.source.partition(";")[0]
    return (
        f"{finding.row}, {finding.figure}: printed {finding.printed}, "
        f"{limits}{doubt} [{source}]{note}"
    )


def _short(value: float) -> str:
    """As many digits as tell it from what is printed, and no more than are of use.

    >>> _short(50.374), _short(22076821.0), _short(0.749913912956545)
    ('50.374', '22,076,821', '0.74991')
    """
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.5f}".rstrip("0")


def print_together(together: Together) -> None:
    """Both correlations with their intervals, and what to be careful about."""
    console = plain_console()
    association = together.association
    console.print(
        f"{together.suite}: {together.x} and {together.y}, {association.n} points", style="bold"
    )
    for name, correlation in (("Pearson", association.pearson), ("Spearman", association.spearman)):
        console.print(f"  {name:<9} {_show(correlation)}")
    for warning in association.warnings:
        console.print(f"  careful: {warning}", soft_wrap=True)


def _show(correlation: Correlation | None) -> str:
    if correlation is None:
        return "–"
    if correlation.low is None or correlation.high is None:
        return f"{correlation.value:+.2f}, no interval"
    return f"{correlation.value:+.2f} [{correlation.low:+.2f}, {correlation.high:+.2f}]"
