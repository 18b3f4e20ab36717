"""How whoever waits for long work is told of it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done, and with how much there is in all."""
