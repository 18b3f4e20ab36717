"""Hints for a review of contamination, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from rich.console import Console
from rich.table import Column, Table

from hengfa.base.terminal.console import plain_console, printable, show_score
from hengfa.evals.report.terminal import PLAIN
from hengfa.evals.runs.suspicion import CAUTION, Hints, Identical, Unexpected, Verbatim

_PASSAGE = 24


class _Flagged(Protocol):
    @property
    def flagged(self) -> bool: ...


F = TypeVar("F", bound=_Flagged)


def print_hints(all_hints: Sequence[Hints], top: int) -> None:
    """For each suite and setting three tables: flagged ones first, then `top` that are not."""
    console = plain_console()
    console.print(CAUTION.capitalize() + ".", style="bold", soft_wrap=True)
    for hints in all_hints:
        console.print()
        console.print(
            f"{hints.suite}, {hints.setting}, {hints.compared} models compared", style="bold"
        )
        for note in hints.notes:
            console.print(note, soft_wrap=True)
        _print(console, "Scores above what the other tasks predict", hints.unexpected,
               ("model", "task", "score", "predicted", "limit", "deviation"),
               _unexpected, hints.unexpected, top)  # fmt: skip
        _print(console, "Answers that repeat the reference beyond the prompt", hints.verbatim,
               ("model", "task", "answers", "share", "usual", "longest passage"),
               _verbatim, [hint for hint in hints.verbatim if hint.count], top)  # fmt: skip
        _print(console, "Pairs of models with the same long answers", hints.identical,
               ("model", "model", "answers", "share", "usual", "for instance"),
               _identical, hints.identical, top)  # fmt: skip


def _print(
    console: Console,
    title: str,
    hints: Sequence[F],
    headings: Sequence[str],
    cells: Callable[[F], tuple[str, ...]],
    listed: Sequence[F],
    top: int,
) -> None:
    """The first two columns are names, the last may be text too; the others are numbers."""
    if not hints:
        return
    flagged = sum(hint.flagged for hint in hints)
    console.print(f"{title}: {flagged} of {len(hints):,} flagged")
    table = Table(Column(width=1), **PLAIN)
    for number, heading in enumerate(headings):
        is_text = number < 2 or heading in ("longest passage", "for instance")
        table.add_column(heading, justify="left" if is_text else "right", overflow="fold")
    shown = [hint for hint in listed if hint.flagged]
    shown += [hint for hint in listed if not hint.flagged][:top]
    for hint in shown:
        table.add_row("!" if hint.flagged else "", *cells(hint))
    console.print(table)


def _unexpected(hint: Unexpected) -> tuple[str, ...]:
    values = (show_score(value) for value in (hint.score, hint.predicted, hint.limit))
    return printable(hint.model), hint.task, *values, f"{hint.t:.1f}"


def _verbatim(hint: Verbatim) -> tuple[str, ...]:
    more = "…" if len(hint.passage) > _PASSAGE else ""
    passage = f"{hint.sample}, {len(hint.passage)}: {hint.passage[:_PASSAGE]}{more}"
    return printable(hint.model), hint.task, *_shares(hint), printable(passage)


def _identical(hint: Identical) -> tuple[str, ...]:
    return printable(hint.one), printable(hint.other), *_shares(hint), printable(hint.sample)


def _shares(hint: Verbatim | Identical) -> tuple[str, ...]:
    usual = "–" if hint.usual is None else f"{hint.usual:.1%}"
    return f"{hint.count}/{hint.n}", f"{hint.share:.1%}", usual
