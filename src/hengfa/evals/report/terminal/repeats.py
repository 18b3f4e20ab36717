"""How much of a score is luck, in the terminal: several tries, graders and gradings."""

from __future__ import annotations

from math import sqrt
from typing import Final

from rich.console import Console
from rich.table import Table

from hengfa.base.errors import counted
from hengfa.base.statistics.repeats import Repeated
from hengfa.base.statistics.variance import Crossed
from hengfa.base.terminal.console import one_line, plain_console, show_score
from hengfa.evals.report.terminal import CLOSE, folded, right
from hengfa.evals.report.terminal.comparison import show_estimate
from hengfa.evals.runs.repeats import AskedAgain

_MOST_TRIES: Final = 10
"""Of more tries than these not every k has a row; --json has all."""


def print_asked_again(said: AskedAgain) -> None:
    """Tables of tries for each grader and task, then what graders add for each task."""
    console = plain_console()
    for grader, tasks in said.tries.items():
        for task, figures in tasks.items():
            by = f", graded by {one_line(grader)}" if grader else ""
            console.print(f"{task}{by}, {said.rules} rules", style="bold")
            _print_tries(console, figures)
    for task, graders in said.graders.items():
        console.print(f"{task}: where graded scores scatter, {said.rules} rules", style="bold")
        if graders.crossed is not None:
            _print_parts(console, graders.crossed)
        for pair in graders.apart:
            more, less, gap = pair.one, pair.other, pair.difference.estimate
            if gap.value < 0:
                more, less, gap = less, more, gap.turned()
            points = f"{show_estimate(gap, wide=True)} points more than {less} for the same answers"
            console.print(one_line(f"{more} gives {points}"))
        for name, share in graders.flips.items():
            items = f"{show_estimate(share, wide=True)} % of the items"
            console.print(one_line(f"{name}: {items} get other points when it is asked again"))
        console.print()


def _print_tries(console: Console, figures: Repeated) -> None:
    tries = counted(figures.most, "try", "tries")
    if figures.fewest < figures.most:
        tries = f"{figures.fewest} to {figures.most} tries"
    console.print(
        f"{counted(figures.samples, 'sample')}, {tries} each; right from "
        f"{show_score(figures.threshold)} on; mean {show_estimate(figures.mean, wide=True)}"
    )
    table = _table("k", "pass@k", "pass^k", "worst of k", "samples")
    for at in figures.at:
        if at.k <= _MOST_TRIES or at.k == figures.most:
            parts = at.any_right, at.all_right, at.worst
            shown = (show_estimate(part, wide=True) for part in parts)
            table.add_row(str(at.k), *shown, str(figures.samples - at.left_out))
    console.print(table)
    if figures.spread is not None and figures.unsteady is not None:
        console.print(
            f"spread within a sample {show_estimate(figures.spread, wide=True)}; "
            f"{show_estimate(figures.unsteady, wide=True)} % of the samples are right in some "
            "tries and wrong in others"
        )
    console.print()


def _print_parts(console: Console, whole: Crossed) -> None:
    """Parts as standard deviations in points: variances are no points."""
    console.print(
        f"{whole.questions} questions × {whole.answers} answers × {whole.graders} graders × "
        f"{whole.gradings} gradings"
        + (f"; {whole.scores_left_out} scores left out" if whole.scores_left_out else "")
    )
    table = _table("part", "standard deviation, points", "share of the variance")
    total = sum(part.estimate.value for part in whole.parts)
    for part in whole.parts:
        estimate = part.estimate
        ends = (estimate.low or 0.0, estimate.high or 0.0)
        low, high = (show_score(sqrt(max(0.0, end))) for end in ends)
        share = f"{part.estimate.value / total:.0%}" if total else "–"
        deviation = show_score(sqrt(estimate.value))
        table.add_row(" + ".join(part.of), f"{deviation} [{low}, {high}]", share)
    console.print(table)
    error = show_score(sqrt(whole.squared_error))
    console.print(f"the score by one grader has a standard error of {error} points")
    for more in whole.more_of():
        console.print(
            f"twice the {more.of}: an interval narrower by {more.doubled:.0%}"
            f" (any number: by {more.at_most:.0%})"
        )


def _table(*headings: str) -> Table:
    first, *others = headings
    columns = (right(heading, overflow="fold") for heading in others)
    return Table(folded(first), *columns, **{**CLOSE, "padding": (0, 2, 0, 0)})


def print_tries(said: AskedAgain) -> None:
    """One line a task, for the end of an evaluation."""
    console = plain_console()
    for grader, tasks in said.tries.items():
        by = f", graded by {one_line(grader)}" if grader else ""
        console.print(f"Several tries at each question{by}", style="italic")
        table = _table(
            "task", "k", "right from", "mean", "pass@k", "pass^k", "worst of k", "spread"
        )
        for task, figures in tasks.items():
            last, spread = figures.at[-1], figures.spread
            table.add_row(
                task,
                str(figures.most),
                show_score(figures.threshold),
                show_estimate(figures.mean, wide=False),
                *(show_score(part.value) for part in (last.any_right, last.all_right, last.worst)),
                show_score(spread.value) if spread is not None else "–",
            )
        console.print(table)
    console.print(f"more with: hengfa results repeats {one_line(said.run)}", soft_wrap=True)
