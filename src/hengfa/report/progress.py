"""How far a piece of work is, on standard error, while it takes longer than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def counting(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told (done, total) and goes away at the end; none where nobody looks."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        bar = progress.add_task(doing, total=None)

        def watch(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        yield watch
