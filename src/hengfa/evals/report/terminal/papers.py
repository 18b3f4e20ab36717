"""Papers in the terminal: their tables and figures with runs among them, the figures that they
print, what does not add up in these, and what goes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table as Grid

from hengfa.base.statistics.correlation import Correlation
from hengfa.base.terminal.console import GAP, fitting, one_line, plain_console, printable
from hengfa.evals.report.terminal import CLOSE, PLAIN, folded, number, right
from hengfa.evals.report.words import Language, pick
from hengfa.evals.results.published.papers import PublishedRun, paper_of, papers

if TYPE_CHECKING:
    from hengfa.evals.report.paper_tables import PaperTable
    from hengfa.evals.report.papers.exhibit import Exhibit, Paper
    from hengfa.evals.results.published.check import Discrepancy, Report
    from hengfa.evals.runs.leaderboard import Together

_FIRST_WIDTH, _HEADING_WIDTH, _NAME_WIDTH = 24, 14, 26


def print_exhibit(exhibit: Exhibit, language: Language) -> None:
    """The table, in as many parts as it takes to fit, then what to know of it."""
    console = plain_console()
    table = exhibit.table(language)
    console.print(table.title, style="bold")
    first, *others = map(one_line, table.head)
    widths = {str(place): _width(table, place) for place in range(1, len(table.head))}
    for part in fitting(widths, console.width - _FIRST_WIDTH - GAP):
        grid = Grid(folded(first, min_width=_FIRST_WIDTH), **CLOSE)
        for place in map(int, part):
            width = widths[str(place)]
            grid.add_column(others[place - 1], justify="right", overflow="fold", width=width)
        for cells in table.rows:
            grid.add_row(*(one_line(cells[place]) for place in (0, *map(int, part))))
        console.print()
        console.print(grid)
    for remark in exhibit.remarks(language):
        console.print(f"! {one_line(remark)}", soft_wrap=True)


def _width(table: PaperTable, place: int) -> int:
    """Of a column whose cells stand in one line; its heading may take several."""
    heading = max(cell_len(word) for word in (table.head[place].split() or [""]))
    cells = max((cell_len(row[place]) for row in table.rows), default=0)
    return max(cells, min(heading, _HEADING_WIDTH))


def print_papers(several: Sequence[Paper], language: Language) -> None:
    """Which tables and figures there are of which papers."""
    console = plain_console()
    sources = papers()
    for paper in several:
        console.print(f"{paper.suite}: {sources[paper.suite]}", style="bold")
        grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
        for plate in paper.plates:
            grid.add_row(f"  {plate.id}", one_line(pick(plate.title, language)))
        console.print(grid)


# --- published figures ---


def print_contents(tables: Mapping[str, Sequence[PublishedRun]]) -> None:
    """Which tables there are, of which paper, how large, from where."""
    console = plain_console()
    numbers = right("rows"), right("numbers")
    table = Grid(folded("table"), folded("paper"), *numbers, folded("source"), **PLAIN)
    for name, rows in tables.items():
        first, *more = dict.fromkeys(row.source.partition(";")[0] for row in rows)
        counts = f"{len(rows):,}", f"{sum(len(row.printed) for row in rows):,}"
        table.add_row(name, paper_of(name), *counts, f"{first}, …" if more else first)
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
        table = Grid(folded("model, setting", width=_NAME_WIDTH), *map(number, part), **CLOSE)
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


def _sentence(finding: Discrepancy) -> str:
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
