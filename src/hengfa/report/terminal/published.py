"""Published figures, what does not add up in them, and what goes together, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Table

from hengfa.report.terminal.console import fitting, plain_console, printable
from hengfa.results.published.check import Finding, Report
from hengfa.results.published.papers import PublishedRun, paper_of
from hengfa.results.statistics.correlation import Correlation
from hengfa.runs.abilities import Together

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
            table.add_row(printable(f"{row.title}, {row.setting}"), *cells)
        console.print(table)
        console.print()
    for source in dict.fromkeys(row.source for row in rows):
        console.print(f"source: {source}", soft_wrap=True)
    console.print()


def print_findings(report: Report) -> None:
    """What does not add up, paper by paper, each with what it could be; then the counts."""
    console = plain_console()
    for paper in dict.fromkeys(one.paper for one in report.findings):
        console.print(paper, style="bold")
        of_paper = [one for one in report.findings if one.paper == paper]
        for rule in dict.fromkeys((one.table, one.rule) for one in of_paper):
            same = [one for one in of_paper if (one.table, one.rule) == rule]
            console.print(f"  {rule[0]}: {rule[1]}", style="italic")
            for one in same:
                console.print(f"    {_sentence(one)}", soft_wrap=True)
        console.print()
    checks, found = sum(report.checks.values()), len(report.findings)
    known = sum(one.known is not None for one in report.findings)
    console.print(
        f"{checks:,} checks, {found} do not add up ({known} known, {found - known} new); by table: "
        + ", ".join(f"{name} {number:,}" for name, number in report.checks.items()),
        soft_wrap=True,
    )


def _sentence(one: Finding) -> str:
    if one.low is None or one.high is None:
        limits = "nothing fits"
    elif one.low == one.high:
        limits = f"recomputed {_short(one.low)}"
    else:
        limits = f"recomputed {_short(one.low)} to {_short(one.high)}"
    doubt = "" if one.certain else " (probably)"
    note = f"; known: {one.known}" if one.known is not None else ""
    source = one.source.partition(";")[0]
    return f"{one.row}, {one.figure}: printed {one.printed}, {limits}{doubt} [{source}]{note}"


def _short(value: float) -> str:
    """As many digits as tell it from what is printed, and no more than are of use.

    >>> _short(50.374), _short(22076821.0), _short(0.749913912956545)
    ('50.374', '22,076,821', '0.74991')
    """
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.5f}".rstrip("0")


def print_together(together: Together) -> None:
    """Both correlations with their intervals, and what to be careful about."""
    console = plain_console()
    found = together.association
    console.print(
        f"{together.suite}: {together.x} and {together.y}, {found.n} points", style="bold"
    )
    for name, one in (("Pearson", found.pearson), ("Spearman", found.spearman)):
        console.print(f"  {name:<9} {_show(one)}")
    for warning in found.warnings:
        console.print(f"  careful: {warning}", soft_wrap=True)


def _show(one: Correlation | None) -> str:
    if one is None:
        return "–"
    if one.low is None or one.high is None:
        return f"{one.value:+.2f}, no interval"
    return f"{one.value:+.2f} [{one.low:+.2f}, {one.high:+.2f}]"
