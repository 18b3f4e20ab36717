"""How the steps of a longer piece of work are told to whoever shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Told (done, total) after a step; for bars on a terminal and lines in a log."""
