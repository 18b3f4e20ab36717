"""How many requests are in flight: more while the server keeps up, fewer when it complains.

Additive increase, multiplicative decrease, as in TCP: doubling each round until the first
complaint, then one more lane per round. A burst of complaints about the same moment counts once.
Bursts with no success in between make everyone wait, each time longer: a vendor's allowance for a
minute that is used up comes back after a minute, and fewer lanes alone would not wait that long.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from types import TracebackType

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Response, Unavailable

_CUT_TO = 0.6
MOST = 10_000  # requests at a time, whatever is wished for: each has its task and its connection
_LONGEST_PAUSE = 300.0
_PAUSES = (0.0, 4.0, 8.0, 16.0, 32.0)  # after so many bursts in a row; together a minute


class Lanes:
    """A gate that lets at most `limit` requests through at a time and adapts `limit`.

    One that starts with more than `MOST` may have as many: then they wait without connections.
    """

    def __init__(self, most: int, *, start: int = 8) -> None:
        if most < 1:
            raise UsageError("--lanes: at least one request at a time is needed")
        self.most = min(most, max(MOST, start))
        self.limit = float(min(start, self.most))
        self.in_flight = 0
        self.cuts = 0
        self.cuts_in_a_row = 0
        self.resume_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._open = asyncio.Event()

    def lane(self) -> Lane:
        """`async with lanes.lane() as lane:` holds one place for one attempt."""
        return Lane(self)

    async def enter(self) -> None:
        try:
            while not self._open.is_set():
                pause = self.resume_at - time.monotonic()
                if pause > 0:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._open.wait(), pause)
                elif self.in_flight < int(self.limit):
                    break
                else:
                    turn = asyncio.get_running_loop().create_future()
                    self._waiting.append(turn)
                    await turn
        except asyncio.CancelledError:
            self._wake()  # the turn may have been given to this one, who does not take it
            raise
        self.in_flight += 1

    def open_all(self) -> None:
        """End all waiting: the run is stopping, and everyone sees that on entering."""
        self._open.set()
        for turn in self._waiting:
            if not turn.done():
                turn.set_result(None)
        self._waiting.clear()

    def leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    def succeeded(self, seen_cuts: int) -> None:
        if seen_cuts == self.cuts:  # an older request says nothing about how the server is now
            self.cuts_in_a_row = 0
        step = 1.0 if self.cuts == 0 else 1.0 / self.limit
        self.limit = min(float(self.most), self.limit + step)
        self._wake()

    def complained(self, seen_cuts: int, retry_after: float | None) -> None:
        """Slow down once per burst; `seen_cuts` tells complaints about older decisions apart."""
        pause = retry_after or 0.0
        if seen_cuts == self.cuts:
            self.cuts += 1
            self.cuts_in_a_row += 1
            self.limit = max(1.0, self.limit * _CUT_TO)
            pause = max(pause, _PAUSES[min(self.cuts_in_a_row, len(_PAUSES)) - 1])
        self.resume_at = max(self.resume_at, time.monotonic() + min(pause, _LONGEST_PAUSE))

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
        self._lanes.succeeded(self._seen_cuts)

    def complained(self, retry_after: float | None) -> None:
        self._lanes.complained(self._seen_cuts, retry_after)

    def settle(self, outcome: Response | Unavailable) -> bool:
        """Learn from what came back; it stands, because there is nobody else to ask."""
        if not isinstance(outcome, Unavailable):
            self.succeeded()
        elif outcome.overloaded:
            self.complained(outcome.retry_after)
        return True
