"""A comparison of runs in the terminal: tables first, then what they mean in words."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from hengfa.report.leaderboard import one_line
from hengfa.report.table import fitting, plain_console, printable, show_score
from hengfa.results.statistics.intervals import Estimate
from hengfa.runs.compare import Comparison, Contrast, Verdict
from hengfa.runs.conclusions import conclusions
from hengfa.runs.leaderboard import OVERALL

WIDE: Final = 120
"""From this width on an interval stands beside its score, else below it."""
_GAP: Final = 2
_MARKS: Final = {Verdict.BETTER: "▲", Verdict.WORSE: "▼", Verdict.NOT_SHOWN: ""}
_BETTER: Final = {
    Verdict.BETTER: "first",
    Verdict.WORSE: "second",
    Verdict.NOT_SHOWN: "not shown",
}


def print_comparison(found: Comparison) -> None:
    """Two runs side by side; of more, where they stand and how they differ from each other."""
    console = plain_console()
    title = f"{found.suite.title_en}, {found.setting}, {found.rules} rules"
    console.print(title, style="bold")
    if len(found.runs) == 2:
        console.print(_side_by_side(found, console.width >= WIDE))
    else:
        _print_many(console, found)
    _print_legend(console, found)


def _side_by_side(found: Comparison, wide: bool) -> Table:
    """A row for each task and figure; in a narrow terminal without counts, and signs for words."""
    pair = found.pairs[0]
    table = _table()
    table.add_column("", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for run in found.runs:
        table.add_column(one_line(run.label), justify="right", overflow="fold")
    table.add_column("difference", justify="right", overflow="fold")
    table.add_column("p", justify="right", no_wrap=True)
    if wide:
        table.add_column("more–same–less", justify="right", no_wrap=True)
        table.add_column("better", overflow="fold")
    figures = [name for name in found.rows if name not in found.tasks]
    for names in (found.tasks, figures):
        for name in names:
            contrast, row = pair.rows[name], found.rows[name]
            counted = contrast.difference
            mark = "" if wide else f"{_MARKS[contrast.verdict]} ".lstrip()
            counts = f"{counted.wins}–{counted.ties}–{counted.losses}"
            table.add_row(
                name,
                str(row.estimates[0].samples),
                *(show_estimate(one, wide) for one in row.estimates),
                mark + show_estimate(counted.estimate, wide, signed=True),
                show_p(contrast.corrected),
                *((counts, _BETTER[contrast.verdict]) if wide else ()),
            )
        table.add_section()
    return table


def _print_many(console: Console, found: Comparison) -> None:
    """Standings by overall; then differences, a column for each pair, in as many tables as fit."""
    numbers = {place: str(place + 1) for place in range(len(found.runs))}
    console.print(_standings(found, numbers))
    console.print()
    console.print("Differences, the first of a pair less the second", style="italic")
    labels = [f"{numbers[pair.one]}–{numbers[pair.other]}" for pair in found.pairs]
    columns = {
        label: [_cell(pair.rows[name]) for name in found.rows]
        for label, pair in zip(labels, found.pairs, strict=True)
    }
    names = max(map(cell_len, found.rows))
    widths = {label: max(map(cell_len, (label, *cells))) for label, cells in columns.items()}
    for part in fitting(widths, console.width - names - _GAP):
        table = _table()
        table.add_column("", no_wrap=True)
        for label in part:
            table.add_column(label, justify="right", no_wrap=True)
        for place, name in enumerate(found.rows):
            if name not in found.tasks and found.tasks[-1] == list(found.rows)[place - 1]:
                table.add_section()
            table.add_row(name, *(columns[label][place] for label in part))
        console.print(table)
        console.print()


def _standings(found: Comparison, numbers: dict[int, str]) -> Table:
    """The runs, best first: by overall, or where there is none, in the order they were named."""
    table = _table()
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("run", overflow="fold")
    order = range(len(found.runs))
    if OVERALL not in found.rows:
        for place in order:
            table.add_row(numbers[place], one_line(found.runs[place].label))
        return table
    table.add_column(OVERALL, justify="right", no_wrap=True)
    table.add_column("rank", justify="right", no_wrap=True)
    row = found.rows[OVERALL]
    for place in sorted(order, key=lambda place: row.ranks[place].rank):
        rank = row.ranks[place]
        among = str(rank.low) if rank.low == rank.high else f"{rank.low}–{rank.high}"
        table.add_row(
            numbers[place],
            one_line(found.runs[place].label),
            show_estimate(row.estimates[place], wide=True),
            f"{rank.rank} ({among})",
        )
    return table


def _cell(contrast: Contrast) -> str:
    return f"{_signed(contrast.difference.estimate.value)} {_MARKS[contrast.verdict] or ' '}"


def _print_legend(console: Console, found: Comparison) -> None:
    def line(text: str) -> None:
        console.print(printable(text))

    pairs = found.pairs[0].rows
    number = max(one.comparisons for one in pairs.values())
    line("")
    if len(found.runs) > 2 or console.width < WIDE:
        line("▲ the first is better, ▼ the second; no mark: no difference is shown")
    line(
        f"Points with 95 % intervals; p by permutation, corrected for up to {number} comparisons; "
        f"seed {found.seed}."
    )
    if notes := dict.fromkeys(
        one.note for row in found.rows.values() for one in row.estimates if one.note
    ):
        line(f"Some intervals: {'; '.join(notes)}.")
    for run in found.runs:
        if run.unshared:
            told = ", ".join(f"{left} of {task}" for task, left in run.unshared.items())
            line(f"Left out of {run.label}, since not all runs have them: {told}.")
    for task, without in found.lacking.items():
        who = ", ".join(without)
        line(
            f"{task} is not compared: {who} has no score there."
            if who
            else f"{task} is not compared: no sample is common to all."
        )
    if OVERALL in found.suite.figures(dict.fromkeys(found.suite.tasks, 0.0)) and (
        OVERALL not in found.rows
    ):
        line("No overall figure: it takes all tasks of the suite.")
    line("")
    for sentence in conclusions(found):
        console.print(f"• {one_line(sentence)}")


def show_estimate(one: Estimate, wide: bool, *, signed: bool = False) -> str:
    """`52.35 [51.20, 53.49]`, or the interval on a line of its own."""
    show = _signed if signed else show_score
    between = " " if wide else "\n"
    if one.low is None or one.high is None:
        return f"{show(one.value)}{between}[none]"
    return f"{show(one.value)}{between}[{show(one.low)}, {show(one.high)}]"


def show_p(p: float) -> str:
    """`<.001`, `.032`; 1 is 1.

    >>> [show_p(one) for one in (0.00001, 0.0321, 1.0)]
    ['<.001', '.032', '1']
    """
    if p < 0.001:
        return "<.001"
    return "1" if p >= 0.9995 else f"{p:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    shown = show_score(value)
    return shown if shown.startswith("-") else f"+{shown}"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
