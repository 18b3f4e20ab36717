"""A run by kinds of samples, or by types of error, in the terminal."""

from __future__ import annotations

from typing import Final

from rich.table import Table

from hengfa.base.terminal.console import one_line, plain_console, show_score
from hengfa.evals.report.terminal import folded, number, right
from hengfa.evals.report.terminal.comparison import show_estimate
from hengfa.evals.runs.breakdown import Breakdown, ErrorShares, Part
from hengfa.evals.runs.evidence import RunEvidence
from hengfa.evals.runs.folder import run_of

MOST_KINDS: Final = 40
"""A table shows no more kinds than this; all are in the JSON."""


def print_breakdown(breakdown: Breakdown) -> None:
    """A table for each task: the whole, and kind by kind, with intervals."""
    console, run = plain_console(), breakdown.run
    for task in breakdown.tasks:
        title = one_line(f"{_run_title(run)}, {task.task.id}, {task.metric}, {run.rules} rules")
        columns = folded(breakdown.facet), right("n"), right(task.metric)
        table = Table(*columns, title=title, title_justify="left")
        table.add_row("all", *_cells(task.whole))
        table.add_row("answered only", *_cells(task.answered))
        mean = "–" if task.mean_of_kinds is None else show_score(task.mean_of_kinds)
        table.add_row("mean of kinds", str(len(task.kinds)), mean)
        table.add_section()
        for kind, part in list(task.kinds.items())[:MOST_KINDS]:
            table.add_row(one_line(kind), *_cells(part))
        if len(task.kinds) > MOST_KINDS:
            table.add_row(f"and {len(task.kinds) - MOST_KINDS} more kinds", "", "")
        console.print(table)
    console.print("Scores are in per cent with their 95 % intervals; --json has all figures.")


def _run_title(run: RunEvidence) -> str:
    """The run, and whose scores of it these are."""
    return f"{run_of(run.folder).name}{f', graded by {run.grader}' if run.grader else ''}"


def _cells(part: Part) -> tuple[str, str]:
    if part.estimate is None:
        return "0", "–"
    return str(part.estimate.samples), show_estimate(part.estimate, wide=True)


def print_errors(errors: ErrorShares) -> None:
    """A table for each task: which share of the answers has which error, and who decided."""
    console, run = plain_console(), errors.run
    for task, shares in errors.tasks.items():
        title = one_line(f"{_run_title(run)}, {task}, {run.rules} rules")
        columns = folded("error"), folded("decided by"), number("n"), right("answers")
        table = Table(*columns, title=title, title_justify="left")
        for type_, share, asked in shares:
            n, shown = "0", "–"
            if share is not None:
                n, shown = str(share.samples), show_estimate(share, wide=True)
            by = one_line(f"{type_.by} {asked}") if type_.decide is not None or asked else "–"
            table.add_row(f"{type_.title_en}\n{type_.title}", by, n, shown)
        console.print(table)
    console.print(
        "Shares of the n answers of which it could be told, in per cent with 95 % intervals. "
        "rule: a program decided; grader: it follows from what graders said of items, or the one "
        "named was asked; –: nobody was asked (`hengfa grade errors`)."
    )
