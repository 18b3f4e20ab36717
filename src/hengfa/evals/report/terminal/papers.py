"""Tables and figures of papers in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Table as Grid

from hengfa.base.terminal.console import GAP, fitting, one_line, plain_console
from hengfa.evals.report.paper_tables import Table
from hengfa.evals.report.papers.exhibit import Exhibit, Paper
from hengfa.evals.report.words import Language, pick
from hengfa.evals.results.published.papers import papers

_FIRST_WIDTH, _HEADING_WIDTH = 24, 14


def print_exhibit(exhibit: Exhibit, language: Language) -> None:
    """The table, in as many parts as it takes to fit, then what to know of it."""
    console = plain_console()
    table = exhibit.table(language)
    console.print(table.title, style="bold")
    widths = {str(place): _width(table, place) for place in range(1, len(table.head))}
    for part in fitting(widths, console.width - _FIRST_WIDTH - GAP):
        console.print()
        console.print(_grid(table, [(int(place), widths[place]) for place in part]))
    for remark in exhibit.remarks(language):
        console.print(f"! {one_line(remark)}", soft_wrap=True)


def _grid(table: Table, columns: Sequence[tuple[int, int]]) -> Grid:
    """Some columns of a table, each with its width, beside the first."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False)
    grid.add_column(one_line(table.head[0]), overflow="fold", min_width=_FIRST_WIDTH)
    for place, width in columns:
        heading = one_line(table.head[place])
        grid.add_column(heading, justify="right", overflow="fold", width=width)
    for cells in table.rows:
        grid.add_row(*(one_line(cells[place]) for place in (0, *(place for place, _ in columns))))
    return grid


def _width(table: Table, place: int) -> int:
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
