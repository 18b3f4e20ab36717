"""A leaderboard as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from hengfa.report.table import plain_console, printable, show_score
from hengfa.runs.leaderboard import OVERALL, Board, Place
from hengfa.suites.plan import SAMPLE_DATA

GAP = 2
RANK_WIDTH, MARK_WIDTH, MODEL_WIDTH = 4, 1, 22
RUN, PUBLISHED = ">", "*"


def print_leaderboard(board: Board) -> None:
    """One row per model, then which runs these are. Too many columns become several tables."""
    console = plain_console()
    order = ", ".join(board.columns) if board.by_tasks else OVERALL
    title = f"{board.suite.title_en}, {board.setting}, {board.rules} rules, by {order}"
    console.print(title, style="bold")
    for columns in _fitting(board.columns, console.width):
        console.print()
        console.print(_table(board, columns))
    console.print()
    _print_legend(console, board)


def _fitting(columns: Sequence[str], width: int) -> Iterator[list[str]]:
    """The columns in as many parts as it takes for each to fit; at least one in a part."""
    room = width - sum((RANK_WIDTH, MARK_WIDTH, MODEL_WIDTH)) - 2 * GAP
    part: list[str] = []
    for column in columns:
        if part and sum(GAP + _width(one) for one in (*part, column)) > room:
            yield part
            part = []
        part.append(column)
    yield part


def _width(column: str) -> int:
    return max(cell_len(column), len("100.00"))


def _table(board: Board, columns: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False)
    table.add_column("rank", justify="right", width=RANK_WIDTH)
    table.add_column("", width=MARK_WIDTH)
    table.add_column("model", overflow="fold", min_width=MODEL_WIDTH)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True, min_width=_width(column))
    for place in board.places:
        values = board.values(place.entry)
        table.add_row(
            _show_rank(place),
            PUBLISHED if place.entry.run is None else RUN,
            "\n".join([one_line(place.entry.title), *_remarks(place)]),
            *(show_score(values[column]) if column in values else "–" for column in columns),
            style="bold" if place.entry.run is not None else "",
        )
    return table


def _print_legend(console: Console, board: Board) -> None:
    def line(text: str) -> None:
        console.print(text, soft_wrap=True)  # a run's name is there to be copied

    entries = [place.entry for place in board.places]
    sources = dict.fromkeys(one.source for one in entries if one.source is not None)
    if board.more:
        line(f"and {board.more} more")
    if any(one.run is not None for one in entries):
        line(f"{RUN} runs on this machine:")
    for place in board.places:
        if place.entry.run is not None:
            rank, run = _show_rank(place), one_line(place.entry.run)
            line(f"{rank:>{RANK_WIDTH}}  {run} ({place.entry.samples} samples)")
    if sources:
        line(f"{PUBLISHED} published, rounded: {'; '.join(map(one_line, sources))} of the paper")


def _show_rank(place: Place) -> str:
    return "–" if place.rank is None else str(place.rank)


def _remarks(place: Place) -> list[str]:
    """What keeps a row from being compared with the others."""
    remarks = [] if place.rank is not None else [f"{place.has} of {place.of} tasks"]
    if place.entry.data_source is not None:
        remarks.append("sample data" if place.entry.data_source == SAMPLE_DATA else "other data")
    return [", ".join(remarks)] if remarks else []


def one_line(name: str) -> str:
    """A name that cannot steer the terminal or break a line."""
    return " ".join(printable(name).split())
