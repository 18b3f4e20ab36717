"""What retrieval found, and how well, in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.table import Table

from hengfa.base.terminal.console import plain_console, printable
from hengfa.law.retrieval.evaluating import Evaluation, Gain, MeanMeasure

_SHOWN = 160


def print_hits(hits: Iterable[tuple[str, float, str]]) -> None:
    """One block for each hit: rank, what it is, score, and the beginning of its text."""
    console = plain_console()
    for rank, (name, score, text) in enumerate(hits, 1):
        console.print(f"{rank:>3}  {printable(name)}  {score:.4g}", soft_wrap=True)
        if line := " ".join(text.split()):
            more = "…" if len(line) > _SHOWN else ""
            console.print(f"     {printable(line[:_SHOWN])}{more}", soft_wrap=True)


def print_measured(measured: Evaluation) -> None:
    """A row for each measure, a column for each run; below it the differences from the first."""
    console = plain_console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure", no_wrap=True)
    for evaluation in measured.evaluations:
        table.add_column(printable(evaluation.name), justify="right", overflow="fold")
    for name in measured.evaluations[0].figures:
        figures = [show_interval(each.figures[name]) for each in measured.evaluations]
        table.add_row(name, *figures)
    console.print(table)
    for comparison in measured.comparisons:
        title = f"{comparison.name} less {comparison.against}, on the same queries"
        console.print(printable(title), style="italic")
        rows = Table(box=None, show_header=False, pad_edge=False)
        for name, apart in comparison.differences.items():
            rows.add_row(name, show_difference(apart))
        console.print(rows)
    console.print(
        f"{measured.queries:,} queries, {measured.judged_pairs:,} relevant pairs; in brackets the"
        " 95 % interval",
        soft_wrap=True,
    )
    for name, number in measured.unanswered.items():
        if number:
            console.print(printable(f"{name} finds nothing for {number} queries: they count 0"))


def show_interval(figure: MeanMeasure) -> str:
    """`.6042 [.5701, .6390]`, as retrieval is quoted.

    >>> show_interval(Figure(0.60421, 0.57, 1.0, 501))
    '.6042 [.5700, 1.0000]'
    """
    return f"{_share(figure.value)} [{_share(figure.low)}, {_share(figure.high)}]"


def show_difference(apart: Gain) -> str:
    """`+.0120 [-.0010, +.0250], p .07; better on 40, worse on 31`."""
    figures = apart.value, apart.low, apart.high
    value, low, high = (("-" if n < 0 else "+") + _share(abs(n)) for n in figures)
    p = "<.001" if apart.p < 0.001 else f"{apart.p:.3f}".removeprefix("0")
    return f"{value} [{low}, {high}], p {p}; better on {apart.better}, worse on {apart.worse}"


def _share(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")
