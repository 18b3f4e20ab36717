"""How far a piece of work is, on standard error: a bar for who looks, lines for a log.

Bars need a library that takes a moment to load, so it is loaded where a bar is drawn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import click

from hengfa.base.errors import counted
from hengfa.base.progress import FileProgress, Progress, Watch

SECONDS_BETWEEN_LINES = 3.0
_SECONDS_BEFORE_LINES = 2.0


@contextmanager
def counting(doing: str) -> Iterator[Progress]:
    """A bar that is told (done, total) and goes away at the end; none where nobody looks."""
    from rich import console, progress  # noqa: PLC0415

    errors = console.Console(stderr=True)
    shown = progress.MofNCompleteColumn(), progress.TimeElapsedColumn()
    columns = progress.TextColumn("{task.description}"), progress.BarColumn(), *shown
    hidden = not errors.is_terminal
    with progress.Progress(*columns, console=errors, transient=True, disable=hidden) as bars:
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
    return _line(lambda done, total, _seconds: f"reading {done:,} of {total:,} texts")


def counting_documents() -> AbstractContextManager[Progress]:
    """How many documents of a corpus are done and how fast it goes; how many there are is known at
    the end only."""
    return _line(
        lambda done, _total, seconds: f"{counted(done, 'document')}, {done / seconds:,.0f} a second"
    )


@contextmanager
def installing(what: str, size: int) -> Iterator[Watch]:
    """A bar of bytes on a terminal, a line every few seconds elsewhere; a size of 0 is unknown."""
    if sys.stderr.isatty():
        from rich import console, progress  # noqa: PLC0415

        shown = progress.DownloadColumn(), progress.TransferSpeedColumn()
        columns = progress.TextColumn("{task.description}"), progress.BarColumn(), *shown
        with progress.Progress(*columns, console=console.Console(stderr=True)) as bars:
            files = bars.add_task(what, total=size or None)
            packed = bars.add_task("  as an archive", total=None, visible=False)
            yield Watch(
                files=_in_sum(lambda have: bars.update(files, completed=have)),
                archive=lambda have: bars.update(packed, completed=have, visible=True),
            )
    else:
        yield Watch(
            files=_in_sum(_in_lines(what, f" of {readable_size(size)}" if size else "")),
            archive=_in_lines(what, " of the archive"),
        )


def _in_sum(show: Callable[[int], None]) -> FileProgress:
    """Bytes of all files together, from what is told about each."""
    files: dict[str, int] = {}
    total = 0

    def watch(path: str, have: int) -> None:
        nonlocal total
        total += have - files.get(path, 0)
        files[path] = have
        show(total)

    return watch


def _in_lines(what: str, total: str) -> Callable[[int], None]:
    """A line of progress every few seconds, for logs."""
    due = time.monotonic() + SECONDS_BETWEEN_LINES

    def watch(have: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + SECONDS_BETWEEN_LINES
            click.echo(f"{what}: {readable_size(have)}{total}", err=True)

    return watch


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
