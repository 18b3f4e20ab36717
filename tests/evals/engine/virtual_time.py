"""An event loop whose clock jumps: minutes of waiting pass at once, and always alike."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import TypeVar

import pytest

from hengfa.evals.engine import pacing
from hengfa.evals.engine.journal import Journal

T = TypeVar("T")
REAL_PAUSES = pacing._PAUSES


class JumpingLoop(asyncio.SelectorEventLoop):
    """Whenever nobody has anything to do, it is already the time of the next appointment."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.now = max(self.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


async def _written_is_kept(journal: Journal) -> None:
    """In place of a flush, which takes real time."""


def run(monkeypatch: pytest.MonkeyPatch, coroutine: Coroutine[object, object, T]) -> T:
    """Run to the end in virtual time; the journal is written and not flushed."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        clock = SimpleNamespace(monotonic=runner.get_loop().time)
        monkeypatch.setattr(pacing, "time", clock)
        monkeypatch.setattr(pacing, "_PAUSES", REAL_PAUSES)
        monkeypatch.setattr(Journal, "_flush", _written_is_kept)
        return runner.run(coroutine)
