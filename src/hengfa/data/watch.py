"""How those who install a pack tell others how far they are."""

from __future__ import annotations

from collections.abc import Callable

Watch = Callable[[str, int], None]
"""Told the path of a file and how many of its bytes are in place, as often as that changes."""


def unwatched(_path: str, _have: int) -> None:
    """Nobody watches."""
