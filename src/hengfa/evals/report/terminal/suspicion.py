"""Hints for a review of contamination, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from rich import box
from rich.console import Console
from rich.table import Table

from hengfa.base.terminal.console import plain_console, printable, show_score
from hengfa.evals.results.suspicion import Identical, Unexpected, Verbatim
from hengfa.evals.runs.suspicion import CAUTION, Hints

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
        _print_unexpected(console, hints.unexpected, top)
        _print_verbatim(console, hints.verbatim, top)
        _print_identical(console, hints.identical, top)


def _shown(hints: Sequence[F], top: int) -> list[F]:
    flagged = [hint for hint in hints if hint.flagged]
    return flagged + [hint for hint in hints if not hint.flagged][:top]


def _table(*headings: str, last_is_text: bool = False) -> Table:
    """The first two columns are names; the last may be text too, the others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", width=1)
    for number, heading in enumerate(headings):
        is_text = number < 2 or (last_is_text and number == len(headings) - 1)
        table.add_column(heading, justify="left" if is_text else "right", overflow="fold")
    return table


def _mark(hint: _Flagged) -> str:
    return "!" if hint.flagged else ""


def _print_unexpected(console: Console, hints: Sequence[Unexpected], top: int) -> None:
    if not hints:
        return
    flagged = sum(hint.flagged for hint in hints)
    console.print(f"Scores above what the other tasks predict: {flagged} of {len(hints):,} flagged")
    table = _table("model", "task", "score", "predicted", "limit", "deviation")
    for hint in _shown(hints, top):
        values = (show_score(value) for value in (hint.score, hint.predicted, hint.limit))
        table.add_row(_mark(hint), printable(hint.model), hint.task, *values, f"{hint.t:.1f}")
    console.print(table)


def _print_verbatim(console: Console, hints: Sequence[Verbatim], top: int) -> None:
    if not hints:
        return
    flagged = sum(hint.flagged for hint in hints)
    console.print(
        f"Answers that repeat the reference beyond the prompt: {flagged} of {len(hints):,} flagged"
    )
    table = _table(
        "model", "task", "answers", "share", "usual", "longest passage", last_is_text=True
    )
    for hint in _shown([hint for hint in hints if hint.count], top):
        more = "…" if len(hint.passage) > _PASSAGE else ""
        table.add_row(
            _mark(hint),
            printable(hint.model),
            hint.task,
            f"{hint.count}/{hint.n}",
            _share(hint.share),
            _share(hint.usual),
            printable(f"{hint.sample}, {len(hint.passage)}: {hint.passage[:_PASSAGE]}{more}"),
        )
    console.print(table)


def _print_identical(console: Console, hints: Sequence[Identical], top: int) -> None:
    if not hints:
        return
    flagged = sum(hint.flagged for hint in hints)
    console.print(
        f"Pairs of models with the same long answers: {flagged} of {len(hints):,} flagged"
    )
    table = _table("model", "model", "answers", "share", "usual", "for instance", last_is_text=True)
    for hint in _shown(hints, top):
        table.add_row(
            _mark(hint),
            printable(hint.one),
            printable(hint.other),
            f"{hint.count}/{hint.n}",
            _share(hint.share),
            _share(hint.usual),
            printable(hint.sample),
        )
    console.print(table)


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
