"""How many requests are in flight: more while the server keeps up, fewer when it complains.

Additive increase, multiplicative decrease, as in TCP: doubling each round until the first
complaint, then one more lane per round. A burst of complaints about the same moment counts once.
Bursts with no success in between make everyone wait, each time longer: a vendor's allowance for a
minute that is used up comes back after a minute, and fewer lanes alone would not wait that long.

Several servers of one model (`Pool`) have each a pace and a health of their own. A request goes
where it will be answered soonest among the servers that have room; the later turns of a
conversation go back to the server that holds its prefix, if that has room. What a server turns away
is put to another, which is no attempt of the question. A server that fails again and again is left
alone, each time longer, and then tried with a single request; while all fail, none is spared, so
that a run ends as it does with one server.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Model, Request, Response, Status, Unavailable

MOST = 10_000  # requests at a time, whatever is wished for: each has its task and its connection
_CUT_TO = 0.6
_LONGEST_PAUSE = 300.0
_PAUSES = (0.0, 4.0, 8.0, 16.0, 32.0)  # after so many bursts in a row; together a minute
_FAILURES = 3  # in a row, until a server is left alone
_LONGEST_REST = 60.0
_BURSTS = 2  # of complaints in a row, until a server is asked one thing at a time
_MEMORY = 0.8  # how much of the seconds that a server takes is what they were before


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

    def lane(self, _key: str = "", _tried: object = None) -> Lane:
        """`async with lanes.lane() as lane:` holds one place for one attempt, of any question."""
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

    model: Model | None = None
    """The only one that there is."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._seen_cuts = 0

    async def __aenter__(self) -> Lane:
        await self._lanes.enter()
        self._seen_cuts = self._lanes.cuts
        return self

    async def __aexit__(self, *_error: object) -> None:
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


# --- several servers ---


class Pool:
    """A model behind several servers; a session shares its requests out (`PoolLanes`)."""

    def __init__(self, name: str, servers: Sequence[Model]) -> None:
        self.name = name
        self.servers = tuple(servers)
        self.address = ", ".join(sorted(server.address for server in servers))

    async def generate(self, request: Request) -> Response:
        """Without a session: the answer of the first server that has one."""
        for server in self.servers[:-1]:
            try:
                return await server.generate(request)
            except Unavailable:
                continue
        return await self.servers[-1].generate(request)

    async def close(self) -> None:
        for server in self.servers:
            await server.close()


class Server:
    """One server as it fares in a sitting."""

    def __init__(self, model: Model, most: int) -> None:
        self.model = model
        self.lanes = Lanes(most)
        self.seconds = 0.0  # that a request takes of late
        self.rests = 0
        self._failures = 0  # in a row
        self._rest_until = 0.0

    def resting(self, now: float) -> bool:
        return now < self._rest_until

    @property
    def again_at(self) -> float:
        """Until when it is left alone, because it failed or because it asked for that."""
        return max(self._rest_until, self.lanes.resume_at)

    def has_room(self, now: float) -> bool:
        """One that is in doubt gets a single request."""
        doubted = self._failures >= _FAILURES or self.lanes.cuts_in_a_row >= _BURSTS
        room = 1 if doubted else int(self.lanes.limit)
        return self.lanes.in_flight < room and now >= self.lanes.resume_at

    def succeeded(self, seen_cuts: int, seconds: float) -> None:
        self.lanes.succeeded(seen_cuts)
        self._failures, self._rest_until = 0, 0.0
        self.seconds = _MEMORY * (self.seconds or seconds) + (1 - _MEMORY) * seconds

    def failed(self, seen_rests: int, now: float) -> None:
        """Those who asked before it was left alone say nothing new."""
        if seen_rests != self.rests:
            return
        self._failures += 1
        if self._failures >= _FAILURES:
            self.rests += 1
            self._rest_until = now + min(_LONGEST_REST, 2.0 ** (self._failures - _FAILURES))


@dataclass(eq=False)
class _Wish:
    """A request that waits for a place."""

    conversation: str
    tried: set[Server]
    turn: asyncio.Future[Server]


class PoolLanes:
    """The lanes of all servers, at most `most` for each; in a session they are its lanes."""

    def __init__(self, pool: Pool, most: int) -> None:
        self._servers = [Server(model, most) for model in pool.servers]
        self.most = min(sum(server.lanes.most for server in self._servers), MOST)
        self._homes: OrderedDict[str, Server] = OrderedDict()  # of conversations
        self._waiting: deque[_Wish] = deque()
        self._alarm: asyncio.TimerHandle | None = None
        self._open = False

    @property
    def in_flight(self) -> int:
        return sum(server.lanes.in_flight for server in self._servers)

    @property
    def cuts_in_a_row(self) -> int:
        """Of the server that complains least, among those that say anything."""
        now = asyncio.get_running_loop().time()
        heard = [server for server in self._servers if not server.resting(now)]
        return min((server.lanes.cuts_in_a_row for server in heard), default=0)

    @asynccontextmanager
    async def lane(self, key: str, tried: set[Server]) -> AsyncIterator[PoolLane]:
        """A place for one request at a server, if possible at none of those that were tried."""
        conversation = key.partition("#")[0]
        server = await self._enter(conversation, tried)
        try:
            yield PoolLane(self, server, conversation, tried)
        finally:
            self._leave(server)

    def open_all(self) -> None:
        """End all waiting: the run is stopping, and everyone sees that on entering."""
        self._open = True
        self._hand_out()

    def elsewhere(self, tried: set[Server], now: float) -> bool:
        """Whether there is another server to ask."""
        return any(now >= server.again_at for server in self._servers if server not in tried)

    def settled_at(self, server: Server, conversation: str) -> None:
        self._homes[conversation] = server
        self._homes.move_to_end(conversation)
        if len(self._homes) > self.most:
            self._homes.popitem(last=False)

    async def _enter(self, conversation: str, tried: set[Server]) -> Server:
        wish = _Wish(conversation, tried, asyncio.get_running_loop().create_future())
        self._waiting.append(wish)
        self._hand_out()
        try:
            return await wish.turn
        except asyncio.CancelledError:
            if wish in self._waiting:
                self._waiting.remove(wish)
            elif not wish.turn.cancelled():  # it was given to this one, who does not take it
                self._leave(wish.turn.result())
            raise

    def _leave(self, server: Server) -> None:
        server.lanes.leave()
        self._hand_out()

    def _hand_out(self) -> None:
        """Give free places to those who wait, first come, first served."""
        now = asyncio.get_running_loop().time()
        while granted := self._next_granted(now):
            wish, server = granted
            self._waiting.remove(wish)
            if not wish.turn.cancelled():
                server.lanes.in_flight += 1
                wish.turn.set_result(server)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        later = [server.again_at for server in self._servers if now < server.again_at]
        if later and self._waiting:  # then they look again, when a server is no more left alone
            self._alarm = asyncio.get_running_loop().call_at(min(later), self._hand_out)

    def _next_granted(self, now: float) -> tuple[_Wish, Server] | None:
        if self._open and self._waiting:
            return self._waiting[0], self._servers[0]
        awake = [server for server in self._servers if now >= server.again_at]
        if not awake and all(server.resting(now) for server in self._servers):
            awake = self._servers
        free = [server for server in awake if server.has_room(now)]
        for wish in self._waiting if free else ():
            others = [server for server in awake if server not in wish.tried]
            wanted = [server for server in free if server in others] if others else free
            if (server := self._choose(wish, wanted)) is not None:
                return wish, server
        return None

    def _choose(self, wish: _Wish, free: Sequence[Server]) -> Server | None:
        if (home := self._homes.get(wish.conversation)) in free:
            return home
        hoped = min((server.seconds for server in free if server.seconds), default=1.0)

        def wait(server: Server) -> tuple[float, bool]:
            """What is to be expected; of equal ones, a server that nobody has tried comes first."""
            seconds = server.seconds or hoped
            return (server.lanes.in_flight + 1) * seconds, server.seconds > 0

        return min(free, key=wait, default=None)


class PoolLane:
    """One place at one server, held for one request."""

    def __init__(
        self, lanes: PoolLanes, server: Server, conversation: str, tried: set[Server]
    ) -> None:
        self.model = server.model
        self._lanes, self._server = lanes, server
        self._conversation, self._tried = conversation, tried
        self._seen = server.lanes.cuts, server.rests
        self._since = asyncio.get_running_loop().time()

    def settle(self, outcome: Response | Unavailable) -> bool:
        """Learn from what came back; whether it stands, because nobody else can be asked.

        A server that takes no key or does not know the model fails at once, and would get all the
        work if that were taken for an answer.
        """
        now = asyncio.get_running_loop().time()
        seen_cuts, seen_rests = self._seen
        if isinstance(outcome, Unavailable) and outcome.overloaded:
            self._server.lanes.complained(seen_cuts, outcome.retry_after)
        elif isinstance(outcome, Unavailable) or (
            outcome.status is Status.FAILED and not outcome.this_question_only
        ):
            self._server.failed(seen_rests, now)
        else:
            self._server.succeeded(seen_cuts, now - self._since)
            self._lanes.settled_at(self._server, self._conversation)
            return True
        self._tried.add(self._server)
        return not self._lanes.elsewhere(self._tried, now)
