"""Everything that is printed to a terminal, and the columns and looks that its tables share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich import box
from rich.table import Column

from hengfa.base.terminal.console import GAP

PLAIN: Final[Mapping[str, Any]] = {"box": box.SIMPLE_HEAD, "pad_edge": False}
CLOSE: Final[Mapping[str, Any]] = {**PLAIN, "padding": (0, GAP - 1, 0, 0), "show_edge": False}
"""Of tables of many columns."""


def folded(heading: str, **more: Any) -> Column:
    """Words, which go on in the next line."""
    return Column(heading, overflow="fold", **more)


def whole(heading: str, **more: Any) -> Column:
    """Words or numbers that never break."""
    return Column(heading, no_wrap=True, **more)


def right(heading: str, **more: Any) -> Column:
    return Column(heading, justify="right", **more)


def number(heading: str) -> Column:
    return right(heading, no_wrap=True)
