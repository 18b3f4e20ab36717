"""Tables and figures of papers in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Table as Grid

from hengfa.report.paper_tables import Table
from hengfa.report.papers.exhibit import Exhibit, Paper
from hengfa.report.papers.writing import remarks
from hengfa.report.site.views import Language, pick
from hengfa.report.terminal.console import GAP, fitting, one_line, plain_console
from hengfa.results.published.papers import papers

_FIRST_WIDTH, _HEADING_WIDTH = 24, 14


def print_exhibit(exhibit: Exhibit, language: Language) -> None:
    """The table, in as many parts as it takes to fit, then what to know of it."""
    console = plain_console()
    table = exhibit.table(language)
    console.print(table.title, style="bold")
    widths = {str(place): _width(table, place) for place in range(1, len(table.head))}
    room = console.width - _FIRST_WIDTH - GAP
    runs = {row.title for row in exhibit.rows if row.run}
    for part in fitting(widths, room):
        console.print()
        grid = Grid(
            box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False
        )
        grid.add_column(one_line(table.head[0]), overflow="fold", min_width=_FIRST_WIDTH)
        for name in part:
            heading = one_line(table.head[int(name)])
            grid.add_column(heading, justify="right", overflow="fold", width=widths[name])
        for row in table.rows:
            grid.add_row(
                one_line(row[0]),
                *(one_line(row[int(name)]) for name in part),
                style="bold" if row[0] in runs else "",
            )
        console.print(grid)
    for remark in remarks(exhibit, language):
        console.print(f"! {one_line(remark)}", soft_wrap=True)


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
