"""How many requests are in flight: more while the server keeps up, fewer when it complains.

Additive increase, multiplicative decrease, as in TCP: doubling each round until the first
complaint, then one more lane per round. A burst of complaints about the same moment counts once.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from types import TracebackType

_CUT_TO = 0.6
_LONGEST_PAUSE = 300.0


class Lanes:
    """A gate that lets at most `limit` requests through at a time and adapts `limit`."""

    def __init__(self, most: int, *, start: int = 8) -> None:
        self.most = most
        self.limit = float(min(start, most))
        self.in_flight = 0
        self.cuts = 0
        self._resume_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def lane(self) -> Lane:
        """`async with lanes.lane() as lane:` holds one place for one attempt."""
        return Lane(self)

    async def enter(self) -> None:
        while True:
            pause = self._resume_at - time.monotonic()
            if pause > 0:
                await asyncio.sleep(pause)
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return
            else:
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                await turn

    def leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    def succeeded(self) -> None:
        step = 1.0 if self.cuts == 0 else 1.0 / self.limit
        self.limit = min(float(self.most), self.limit + step)
        self._wake()

    def complained(self, seen_cuts: int, retry_after: float | None) -> None:
        """Slow down once per burst; `seen_cuts` tells complaints about older decisions apart."""
        if retry_after is not None:
            pause = min(max(retry_after, 0.0), _LONGEST_PAUSE)
            self._resume_at = max(self._resume_at, time.monotonic() + pause)
        if seen_cuts == self.cuts:
            self.cuts += 1
            self.limit = max(1.0, self.limit * _CUT_TO)

    def _wake(self) -> None:
        free = int(self.limit) - self.in_flight
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


class Lane:
    """One place in the lanes, held for one attempt."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._seen_cuts = 0

    async def __aenter__(self) -> Lane:
        await self._lanes.enter()
        self._seen_cuts = self._lanes.cuts
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lanes.leave()

    def succeeded(self) -> None:
        self._lanes.succeeded()

    def complained(self, retry_after: float | None) -> None:
        self._lanes.complained(self._seen_cuts, retry_after)
