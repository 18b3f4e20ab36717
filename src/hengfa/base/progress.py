"""Who is told how far a piece of work is."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Told (done, total) after a step; for bars on a terminal and lines in a log."""

Notify: TypeAlias = Callable[[str], None]
"""Told in a line what has happened."""


def quiet(_line: str) -> None:
    """The watcher of those who do not want to be told."""
