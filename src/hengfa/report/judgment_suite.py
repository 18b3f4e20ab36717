"""What goes with the judgment suite, in the terminal: leaks, and documents beside references."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from hengfa.report.table import plain_console, printable, show_score
from hengfa.suites.judgment.breakdown import Row
from hengfa.suites.judgment.leaks import Leaks

_MOST_LETTERS = 300
"""Of a section, so many letters are shown beside its counterpart."""


def print_leaks(leaks: Leaks) -> None:
    """One row for each judgment and test case that are too close, then how many remain."""
    console = plain_console()
    if leaks.found:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("row", justify="right", no_wrap=True)
        table.add_column("judgment", overflow="fold")
        table.add_column("closeness", no_wrap=True)
        table.add_column("similarity", justify="right", no_wrap=True)
        table.add_column("test case", overflow="fold")
        for leak in leaks.found:
            table.add_row(
                str(leak.place + 1),
                printable(leak.case),
                leak.closeness,
                f"{leak.similarity:.3f}",
                printable(leak.sample),
            )
        console.print(table)
    console.print(
        f"{len(leaks.refused)} of {leaks.judgments} judgments are too close to one of "
        f"{leaks.samples} test cases (threshold {leaks.threshold:g}); {leaks.remaining} remain",
        soft_wrap=True,
    )


def leaks_document(leaks: Leaks) -> dict[str, object]:
    """The same for --json; rows are counted from 1."""
    return {
        "judgments": leaks.judgments,
        "samples": leaks.samples,
        "threshold": leaks.threshold,
        "refused": len(leaks.refused),
        "remaining": leaks.remaining,
        "leaks": [
            {
                "row": leak.place + 1,
                "judgment": leak.case,
                "sample": leak.sample,
                "closeness": leak.closeness,
                "similarity": leak.similarity,
            }
            for leak in leaks.found
        ],
    }


def print_comparison(title: str, rows: Sequence[Row]) -> None:
    """Each element in the court's document and in the other, with its scores."""
    table = Table(title=printable(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("element", no_wrap=True)
    table.add_column("court", overflow="fold", ratio=1)
    table.add_column("written", overflow="fold", ratio=1)
    table.add_column("scores", overflow="fold")
    for row in rows:
        scores = "\n".join(
            f"{name} {'–' if value is None else show_score(value)}"
            for name, value in row.scores.items()
        )
        table.add_row(row.element, _short(row.expected), _short(row.given), scores)
    plain_console().print(table)


def _short(words: str) -> str:
    cut = words if len(words) <= _MOST_LETTERS else words[:_MOST_LETTERS] + "…"
    return printable(" ".join(cut.split()) or "–")
