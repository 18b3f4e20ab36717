"""Runs beside each other in the terminal: a leaderboard, and a comparison with what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table

from hengfa.base.errors import counted
from hengfa.base.statistics.intervals import Estimate
from hengfa.base.terminal.console import (
    GAP,
    fitting,
    one_line,
    plain_console,
    printable,
    show_score,
)
from hengfa.evals.report.terminal import CLOSE, folded, number, right, whole
from hengfa.evals.runs.compare import Comparison, Support, conclusions
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.runs.leaderboard import Board, Entry, Place
from hengfa.evals.suites.plan import SAMPLE_DATA

_RANK_WIDTH, _MARK_WIDTH, _MODEL_WIDTH = 4, 1, 22
_RUN, _PUBLISHED, _COMPUTED = ">", "*", "≈"
_TOKENS, _COST = "tokens", "cost"
_WIDE: Final = 120
"""From this width on an interval stands beside its score, else below it."""
_MARKS: Final = {Support.BETTER: "▲", Support.WORSE: "▼", Support.NOT_SHOWN: ""}
_BETTER: Final = {Support.BETTER: "first", Support.WORSE: "second", Support.NOT_SHOWN: "not shown"}


def print_leaderboard(board: Board) -> None:
    """One row per model, then which runs these are. Too many columns become several tables."""
    console = plain_console()
    title = f"{board.suite.title_en}, {board.setting}, {board.rules} rules, points of 100"
    console.print(f"{title}, by {board.order}", style="bold")
    for warning in board.warnings:
        console.print(f"! {one_line(warning)}")
    room = console.width - _RANK_WIDTH - _MARK_WIDTH - _MODEL_WIDTH - 2 * GAP
    spent = _spent_columns(board)
    cells = {
        column: [_board_cell(board, place.entry, column) for place in board.places]
        for column in board.columns
    }
    widths = {
        name: max(cell_len(name), len("100.00"), *map(len, column))
        for name, column in {**cells, **spent}.items()
    }
    for columns in fitting(widths, room):
        for group in board.groups:
            console.print()
            if group:
                console.print(f"graded by {one_line(group)}", style="italic")
            console.print(_board_table(board, columns, group, spent))
    console.print()
    _print_sources(console, board)


def _spent_columns(board: Board) -> dict[str, list[str]]:
    """Tokens and cost of the entries, in their order; each only where one of them is known."""
    entries = [place.entry for place in board.places]
    columns = {
        _TOKENS: ["–" if entry.tokens is None else f"{entry.tokens:,}" for entry in entries],
        _COST: [entry.spent.show_cost() if entry.spent else "–" for entry in entries],
    }
    return {name: cells for name, cells in columns.items() if any(cell != "–" for cell in cells)}


def _board_table(
    board: Board, columns: Sequence[str], group: str, spent: Mapping[str, Sequence[str]]
) -> Table:
    rank, mark = right("rank", width=_RANK_WIDTH), Column(width=_MARK_WIDTH)
    model = folded("model", min_width=_MODEL_WIDTH)
    table = Table(rank, mark, model, *map(number, columns), **CLOSE)
    for nth, place in enumerate(board.places):
        if place.group != group:
            continue
        table.add_row(
            _show_rank(place),
            _PUBLISHED if place.entry.run is None else _RUN,
            "\n".join([one_line(place.entry.title), *_remarks(place)]),
            *(
                spent[column][nth] if column in spent else _board_cell(board, place.entry, column)
                for column in columns
            ),
            style="bold" if place.entry.run is not None else "",
        )
    return table


def _board_cell(board: Board, entry: Entry, column: str) -> str:
    values = board.values(entry)
    if column in entry.bands:
        return entry.bands[column].ends
    if column not in values:
        return "–"
    mark = _COMPUTED if column in entry.computed and not board.by_tasks else ""
    return mark + show_score(values[column])


def _print_sources(console: Console, board: Board) -> None:
    def line(text: str) -> None:
        console.print(text, soft_wrap=True)  # a run's name is there to be copied

    entries = [place.entry for place in board.places]
    sources = dict.fromkeys(entry.source for entry in entries if entry.source is not None)
    if board.more:
        line(f"and {board.more} more")
    if any(entry.run is not None for entry in entries):
        line(f"{_RUN} runs on this machine:")
    for place in board.places:
        if place.entry.run is not None:
            rank, run = _show_rank(place), one_line(place.entry.run)
            by = f", {one_line(place.entry.grader)}" if place.entry.grader else ""
            line(f"{rank:>{_RANK_WIDTH}}  {run} ({counted(place.entry.samples, 'sample')}{by})")
    if sources:
        line(f"{_PUBLISHED} published, rounded: {'; '.join(map(one_line, sources))} of the paper")
    if not board.by_tasks and any({*board.columns} & {*entry.computed} for entry in entries):
        line(f"{_COMPUTED} not printed: computed from what the paper prints")


def _show_rank(place: Place) -> str:
    return "–" if place.rank is None else str(place.rank)


def _remarks(place: Place) -> list[str]:
    """What keeps a row from being compared with the others."""
    remarks = []
    if place.has < place.of and place.rank is None:
        remarks.append(f"{place.has} of {place.of} tasks")
    if place.entry.data_source is not None:
        remarks.append("sample data" if place.entry.data_source == SAMPLE_DATA else "other data")
    if place.entry.prompts:
        remarks.append(f"prompts {one_line(place.entry.prompts)}")
    if place.entry.picked:
        remarks.append("picked questions")
    if place.entry.trained:
        remarks.append(place.entry.trained)
    if place.entry.bands:
        most = max(place.entry.bands.values(), key=lambda band: band.ungraded)
        remarks.append(f"{most.share}: no rank")
    return [", ".join(remarks)] if remarks else []


def print_comparison(comparison: Comparison) -> None:
    """Two runs side by side; of more, where they stand and how they differ from each other."""
    console = plain_console()
    console.print(comparison.title, style="bold")
    for warning in comparison.warnings:
        console.print(f"! {one_line(warning)}")
    if len(comparison.runs) == 2:
        console.print(_side_by_side(comparison, console.width >= _WIDE))
    else:
        _print_many(console, comparison)
    _print_legend(console, comparison)


def _side_by_side(comparison: Comparison, wide: bool) -> Table:
    """A row for each task and figure; in a narrow terminal without counts, and signs for words."""
    pair = comparison.pairs[0]
    values = [*(one_line(run.label) for run in comparison.runs), "difference"]
    table = Table(
        whole(""),
        number("n"),
        *(right(heading, overflow="fold") for heading in values),
        number("p"),
        *((number("more–same–less"), folded("better")) if wide else ()),
        **CLOSE,
    )
    figures = [name for name in comparison.rows if name not in comparison.tasks]
    for names in (comparison.tasks, figures):
        for name in names:
            contrast, row = pair.rows[name], comparison.rows[name]
            counted = contrast.difference
            mark = "" if wide else f"{_MARKS[contrast.verdict]} ".lstrip()
            counts = f"{counted.wins}–{counted.ties}–{counted.losses}"
            table.add_row(
                name,
                str(row.estimates[0].samples),
                *(show_estimate(estimate, wide) for estimate in row.estimates),
                mark + show_estimate(counted.estimate, wide, signed=True),
                show_p(contrast.corrected),
                *((counts, _BETTER[contrast.verdict]) if wide else ()),
            )
        table.add_section()
    return table


def _print_many(console: Console, comparison: Comparison) -> None:
    """Standings by overall; then differences, a column for each pair, in as many tables as fit."""
    numbers = {place: str(place + 1) for place in range(len(comparison.runs))}
    console.print(_standings(comparison, numbers))
    console.print()
    console.print("Differences, the first of a pair less the second", style="italic")
    labels = [f"{numbers[pair.one]}–{numbers[pair.other]}" for pair in comparison.pairs]
    columns = {
        label: [
            f"{_with_sign(contrast.difference.estimate.value)} {_MARKS[contrast.verdict] or ' '}"
            for contrast in (pair.rows[name] for name in comparison.rows)
        ]
        for label, pair in zip(labels, comparison.pairs, strict=True)
    }
    names = max(map(cell_len, comparison.rows))
    widths = {label: max(map(cell_len, (label, *cells))) for label, cells in columns.items()}
    for part in fitting(widths, console.width - names - GAP):
        table = Table(whole(""), *map(number, part), **CLOSE)
        for place, name in enumerate(comparison.rows):
            if (
                name not in comparison.tasks
                and comparison.tasks[-1] == list(comparison.rows)[place - 1]
            ):
                table.add_section()
            table.add_row(name, *(columns[label][place] for label in part))
        console.print(table)
        console.print()


def _standings(comparison: Comparison, numbers: dict[int, str]) -> Table:
    """The runs, best first: by overall, or where there is none, in the order they were named."""
    table = Table(number(""), folded("run"), **CLOSE)
    order = range(len(comparison.runs))
    if OVERALL not in comparison.rows:
        for place in order:
            table.add_row(numbers[place], one_line(comparison.runs[place].label))
        return table
    for heading in (OVERALL, "rank"):
        table.add_column(heading, justify="right", no_wrap=True)
    row = comparison.rows[OVERALL]
    for place in sorted(order, key=lambda place: row.ranks[place].rank):
        rank = row.ranks[place]
        among = str(rank.low) if rank.low == rank.high else f"{rank.low}–{rank.high}"
        label = one_line(comparison.runs[place].label)
        score = show_estimate(row.estimates[place], wide=True)
        table.add_row(numbers[place], label, score, f"{rank.rank} ({among})")
    return table


def _print_legend(console: Console, comparison: Comparison) -> None:
    def line(text: str) -> None:
        console.print(printable(text))

    pairs = comparison.pairs[0].rows
    most = max(contrast.comparisons for contrast in pairs.values())
    line("")
    if len(comparison.runs) > 2 or console.width < _WIDE:
        line("▲ the first is better, ▼ the second; no mark: no difference is shown")
    line(
        "Points of 100 with 95 % intervals; p by permutation, corrected for up to "
        f"{counted(most, 'comparison')}; seed {comparison.seed}."
    )
    if notes := dict.fromkeys(
        estimate.note
        for row in comparison.rows.values()
        for estimate in row.estimates
        if estimate.note
    ):
        line(f"Some intervals: {'; '.join(notes)}.")
    for run in comparison.runs:
        if run.unshared:
            lacks = ", ".join(f"{left} of {task}" for task, left in run.unshared.items())
            line(f"Left out of {run.label}, since not all runs have them: {lacks}.")
    for task, without in comparison.lacking.items():
        who = ", ".join(without)
        why = f"{who} has no score there" if who else "no sample is common to all"
        line(f"{task} is not compared: {why}.")
    if OVERALL in comparison.suite.figures(dict.fromkeys(comparison.suite.tasks, 0.0)) and (
        OVERALL not in comparison.rows
    ):
        line("No overall figure: it takes all tasks of the suite.")
    line("")
    for sentence in conclusions(comparison):
        console.print(f"• {one_line(sentence)}")


def show_estimate(estimate: Estimate, wide: bool, *, signed: bool = False) -> str:
    """`52.35 [51.20, 53.49]`, or the interval on a line of its own."""
    show = _with_sign if signed else show_score
    between = " " if wide else "\n"
    if estimate.low is None or estimate.high is None:
        return f"{show(estimate.value)}{between}[none]"
    return f"{show(estimate.value)}{between}[{show(estimate.low)}, {show(estimate.high)}]"


def show_p(p: float) -> str:
    """`<.001`, `.032`; 1 is 1.

    >>> [show_p(one) for one in (0.00001, 0.0321, 1.0)]
    ['<.001', '.032', '1']
    """
    if p < 0.001:
        return "<.001"
    return "1" if p >= 0.9995 else f"{p:.3f}".removeprefix("0")


def _with_sign(value: float) -> str:
    points = show_score(value)
    return points if points.startswith("-") else f"+{points}"
