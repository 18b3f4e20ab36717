"""How far a piece of work is, on standard error: a bar for who looks, lines for a log.

Bars need a library that takes a moment to load, so it is loaded where a bar is drawn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import click

from hengfa.base.errors import counted
from hengfa.base.progress import FileProgress, Progress

SECONDS_BETWEEN_LINES = 3.0
_SECONDS_BEFORE_LINES = 2.0


@contextmanager
def counting(doing: str) -> Iterator[Progress]:
    """A bar that is told (done, total) and goes away at the end; none where nobody looks."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = not console.is_terminal
    with Bars(*columns, console=console, transient=True, disable=hidden) as bars:
        bar = bars.add_task(doing, total=None)

        def watch(done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total)

        yield watch


@contextmanager
def _line(tell: Callable[[int, int, float], str]) -> Iterator[Progress]:
    """A line of what is done, of how many and in how many seconds, once it takes more than a
    moment; in logs too."""
    began = time.monotonic()
    due = began + _SECONDS_BEFORE_LINES
    terminal = sys.stderr.isatty()

    def watch(done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + (0.2 if terminal else SECONDS_BETWEEN_LINES)
            end = "\r" if terminal else "\n"
            click.echo(f"{tell(done, total, now - began)}{end}", err=True, nl=False)

    yield watch
    if terminal:
        click.echo("\x1b[K", err=True, nl=False)


def counting_texts() -> AbstractContextManager[Progress]:
    """How many texts are read."""
    return _line(lambda done, total, _seconds: f"reading {done:,} of {total:,} texts")


def counting_documents() -> AbstractContextManager[Progress]:
    """How many documents of a corpus are done and how fast it goes; how many there are is known at
    the end only."""
    return _line(
        lambda done, _total, seconds: f"{counted(done, 'document')}, {done / seconds:,.0f} a second"
    )


@dataclass(frozen=True, slots=True)
class Installing:
    """Who is told how far the installation of a pack is."""

    files: FileProgress
    archive: Callable[[int], None]
    """Told the bytes of an archive that are here; how many it has is known at its end."""


@contextmanager
def installing(what: str, size: int) -> Iterator[Installing]:
    """A bar of bytes on a terminal, a line every few seconds elsewhere; a size of 0 is unknown."""
    if sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            DownloadColumn,
            TextColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as Bars  # noqa: PLC0415

        bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=Console(stderr=True),
        )
        with bars:
            files = bars.add_task(what, total=size or None)
            packed = bars.add_task("  as an archive", total=None, visible=False)
            yield Installing(
                files=_Sum(lambda have: bars.update(files, completed=have)),
                archive=lambda have: bars.update(packed, completed=have, visible=True),
            )
    else:
        yield Installing(
            files=_Sum(_Lines(what, f" of {readable_size(size)}" if size else "")),
            archive=_Lines(what, " of the archive"),
        )


class _Sum:
    """Bytes of all files together, from what is told about each."""

    def __init__(self, show: Callable[[int], None]) -> None:
        self._show = show
        self._have: dict[str, int] = {}
        self._total = 0

    def __call__(self, path: str, have: int) -> None:
        self._total += have - self._have.get(path, 0)
        self._have[path] = have
        self._show(self._total)


class _Lines:
    """A line of progress every few seconds, for logs."""

    def __init__(self, what: str, total: str) -> None:
        self._what = what
        self._total = total
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, have: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + SECONDS_BETWEEN_LINES
            click.echo(f"{self._what}: {readable_size(have)}{self._total}", err=True)


def readable_size(size: int) -> str:
    """A size as people write it.

    >>> readable_size(999), readable_size(11_357), readable_size(32_846_496)
    ('999 B', '11.4 kB', '32.8 MB')
    """
    if size < 1000:
        return f"{size} B"
    for factor, unit in ((1e3, "kB"), (1e6, "MB")):
        if size < 999.95 * factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 1e9:.1f} GB"
