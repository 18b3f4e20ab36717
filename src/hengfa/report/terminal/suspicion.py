"""Hints for a review of contamination, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from rich import box
from rich.console import Console
from rich.table import Table

from hengfa.report.terminal.console import plain_console, printable, show_score
from hengfa.results.suspicion import Identical, Unexpected, Verbatim
from hengfa.runs.suspicion import CAUTION, Hints

_PASSAGE = 24


class _Flagged(Protocol):
    @property
    def flagged(self) -> bool: ...


F = TypeVar("F", bound=_Flagged)


def print_hints(found: Sequence[Hints], top: int) -> None:
    """For each suite and setting three tables: flagged ones first, then `top` that are not."""
    console = plain_console()
    console.print(CAUTION.capitalize() + ".", style="bold", soft_wrap=True)
    for hints in found:
        console.print()
        console.print(
            f"{hints.suite}, {hints.setting}, {hints.compared} models compared", style="bold"
        )
        for note in hints.notes:
            console.print(note, soft_wrap=True)
        _print_unexpected(console, hints.unexpected, top)
        _print_verbatim(console, hints.verbatim, top)
        _print_identical(console, hints.identical, top)


def _shown(ones: Sequence[F], top: int) -> list[F]:
    flagged = [one for one in ones if one.flagged]
    return flagged + [one for one in ones if not one.flagged][:top]


def _table(*headings: str, last_is_text: bool = False) -> Table:
    """The first two columns are names; the last may be text too, the others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", width=1)
    for number, heading in enumerate(headings):
        is_text = number < 2 or (last_is_text and number == len(headings) - 1)
        table.add_column(heading, justify="left" if is_text else "right", overflow="fold")
    return table


def _mark(one: _Flagged) -> str:
    return "!" if one.flagged else ""


def _print_unexpected(console: Console, ones: Sequence[Unexpected], top: int) -> None:
    if not ones:
        return
    flagged = sum(one.flagged for one in ones)
    console.print(f"Scores above what the other tasks predict: {flagged} of {len(ones):,} flagged")
    table = _table("model", "task", "score", "predicted", "limit", "deviation")
    for one in _shown(ones, top):
        values = (show_score(value) for value in (one.score, one.predicted, one.limit))
        table.add_row(_mark(one), printable(one.model), one.task, *values, f"{one.t:.1f}")
    console.print(table)


def _print_verbatim(console: Console, ones: Sequence[Verbatim], top: int) -> None:
    if not ones:
        return
    flagged = sum(one.flagged for one in ones)
    console.print(
        f"Answers that repeat the reference beyond the prompt: {flagged} of {len(ones):,} flagged"
    )
    table = _table(
        "model", "task", "answers", "share", "usual", "longest passage", last_is_text=True
    )
    for one in _shown([one for one in ones if one.count], top):
        more = "…" if len(one.passage) > _PASSAGE else ""
        table.add_row(
            _mark(one),
            printable(one.model),
            one.task,
            f"{one.count}/{one.n}",
            _share(one.share),
            _share(one.usual),
            printable(f"{one.sample}, {len(one.passage)}: {one.passage[:_PASSAGE]}{more}"),
        )
    console.print(table)


def _print_identical(console: Console, ones: Sequence[Identical], top: int) -> None:
    if not ones:
        return
    flagged = sum(one.flagged for one in ones)
    console.print(f"Pairs of models with the same long answers: {flagged} of {len(ones):,} flagged")
    table = _table("model", "model", "answers", "share", "usual", "for instance", last_is_text=True)
    for one in _shown(ones, top):
        table.add_row(
            _mark(one),
            printable(one.one),
            printable(one.other),
            f"{one.count}/{one.n}",
            _share(one.share),
            _share(one.usual),
            printable(one.sample),
        )
    console.print(table)


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
