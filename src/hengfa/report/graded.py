"""Responses that were graded by somebody's own rubric, as a table in the terminal."""

from __future__ import annotations

from collections import Counter

from rich.table import Table

from hengfa.report.table import plain_console, printable, show_score
from hengfa.runs.own_grading import Marked, Marking


def print_marking(marking: Marking) -> None:
    """One row per response, then the rate: as a band where something is ungraded."""
    console = plain_console()
    table = Table()
    table.add_column("response", overflow="fold")
    for heading in ("points", "with evidence", "ungraded", "flags"):
        table.add_column(heading, justify="left" if heading == "flags" else "right")
    for one in marking.marked:
        table.add_row(*_row(one))
    console.print(table)
    rate, lenient, backed = (marking.rate(name) for name in ("points", "lenient", "backed"))
    if rate is None or lenient is None or backed is None:
        return
    error = f" ±{rate.standard_error * 100:.2f}" if rate.standard_error else ""
    console.print(f"rate {show_score(rate.value)}{error}, graded by {', '.join(marking.graders)}")
    if share := marking.ungraded():
        console.print(
            f"{share * 100:.1f}% of the items are ungraded: "
            f"between {show_score(rate.value)} and {show_score(lenient.value)}"
        )
    if backed.value != rate.value:
        console.print(f"with only the awards whose evidence holds: {show_score(backed.value)}")


def _row(one: Marked) -> tuple[str, ...]:
    mark = one.mark
    band = f"–{mark.lenient:g}" if mark.lenient != mark.points else ""
    flags = Counter(str(flag) for item in mark.items() for flag in item.flags)
    return (
        printable(one.submission.key.rpartition("@")[0] or one.submission.key),
        f"{mark.points:g}{band}/{mark.maximum:g}",
        f"{mark.backed:g}",
        str(mark.ungraded or ""),
        ", ".join(f"{name} {count}" for name, count in flags.items()),
    )
