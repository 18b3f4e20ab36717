"""Who is told how far a piece of work is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Told (done, total) after a step; for bars on a terminal and lines in a log."""

FileProgress: TypeAlias = Callable[[str, int], None]
"""Told the path of a file and how many of its bytes are in place, as often as that changes."""

Notify: TypeAlias = Callable[[str], None]
"""Told in a line what has happened."""


def quiet(_line: str) -> None:
    """The watcher of those who do not want to be told."""


def unwatched(_path: str, _have: int) -> None:
    """Nobody watches the files."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how far the installation of a pack is."""

    files: FileProgress = unwatched
    archive: Callable[[int], None] = lambda _have: None
    """Told the bytes of an archive that are here; how many it has is known at its end."""
