"""Several servers of one model: each has its own pace and its own health.

A request goes where it will be answered soonest among the servers that have room; the later turns
of a conversation go back to the server that holds its prefix, if that has room. What a server turns
away is put to another, which is no attempt of the question. A server that fails again and again is
left alone, each time longer, and then tried with a single request; while all fail, none is spared,
so that a run ends as it does with one server.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hengfa.evals.engine.messages import Model, Request, Response, Status, Unavailable
from hengfa.evals.engine.pacing import MOST, Lanes

_FAILURES = 3  # in a row, until a server is left alone
_LONGEST_REST = 60.0
_BURSTS = 2  # of complaints in a row, until a server is asked one thing at a time
_MEMORY = 0.8  # how much of the seconds that a server takes is what they were before


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

    def left_alone(self, now: float) -> bool:
        """Because it failed, or because it asked for that."""
        return now < self.again_at

    @property
    def again_at(self) -> float:
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
        return any(not server.left_alone(now) for server in self._servers if server not in tried)

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
        self._set_alarm(now)

    def _next_granted(self, now: float) -> tuple[_Wish, Server] | None:
        if self._open and self._waiting:
            return self._waiting[0], self._servers[0]
        awake = [server for server in self._servers if not server.left_alone(now)]
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

    def _set_alarm(self, now: float) -> None:
        """Look again when a server need not be left alone any more, if anyone waits."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        later = [server.again_at for server in self._servers if server.left_alone(now)]
        if later and self._waiting:
            self._alarm = asyncio.get_running_loop().call_at(min(later), self._hand_out)


class PoolLane:
    """One place at one server, held for one request."""

    def __init__(
        self, lanes: PoolLanes, server: Server, conversation: str, tried: set[Server]
    ) -> None:
        self.model = server.model
        self._lanes = lanes
        self._server = server
        self._conversation = conversation
        self._tried = tried
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
