"""One sitting of a run: asks a model, keeps every answer, paces itself, knows when to stop."""

from __future__ import annotations

import asyncio
import gc
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from itertools import chain, islice
from typing import TypeVar

import msgspec

from hengfa.base.errors import EndpointDown, RunStopped, counted
from hengfa.evals.engine.batches import BatchModel
from hengfa.evals.engine.budget import Budget, Limits
from hengfa.evals.engine.journal import Journal, read_entries
from hengfa.evals.engine.messages import Model, Request, Response, Status, Unavailable
from hengfa.evals.engine.pacing import Lane, Lanes
from hengfa.evals.engine.pool import Pool, PoolLane, PoolLanes, Server
from hengfa.evals.engine.tally import Tally

T = TypeVar("T")
_ALIVE = 50_000  # objects, of which a request in flight has about fifty
COMPLAINTS_IN_A_ROW = 20  # with the pauses between them, ten minutes without a single answer


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often and how patiently a request is repeated: exponential, with full jitter."""

    attempts: int = 6
    first_delay: float = 1.0
    longest_delay: float = 60.0

    def delay(self, attempt: int, retry_after: float | None) -> float:
        wished = min(retry_after or 0.0, self.longest_delay)
        spread = min(self.longest_delay, self.first_delay * 2 ** (attempt - 1))
        return wished + random.uniform(0.0, spread)


class Session:
    """Asks one model on behalf of one run.

    `ask` is all that suites, graders and agents need: a question that the journal knows is answered
    from it, any other goes to the model within lanes, retries and budget, and is in the journal
    before `ask` returns. `failures_in_a_row` ends a run whose endpoint is down or whose account is
    empty before thousands of requests are wasted.
    """

    def __init__(
        self,
        model: Model,
        journal: Journal,
        tally: Tally,
        *,
        lanes: int = 64,
        retry: RetryPolicy | None = None,
        limits: Limits | None = None,
        failures_in_a_row: int = 10,
    ) -> None:
        self.model = model
        self.journal = journal
        self.tally = tally
        self.lanes = _lanes(model, lanes)
        self.retry = retry or RetryPolicy()
        batch = isinstance(model, BatchModel)
        self.budget = Budget(limits or Limits(), tally.price, model=model.name, batch=batch)
        if self.budget.active:
            for entry in read_entries(journal.path):
                self.budget.spent(entry.response)
        self._failures_in_a_row = failures_in_a_row
        self._failures = 0
        self._stop: RunStopped | None = None
        self._stop_event = asyncio.Event()

    async def ask(self, request: Request) -> Response:
        """The response to a request, from the journal or from the model."""
        prompt_hash = request.prompt_hash()
        kept = self.journal.find(request, prompt_hash)
        if kept is not None:
            self.tally.add(kept, kept=True)
            return kept
        reserved = await self.budget.reserve(request)
        try:
            self.journal.sent.keep(request, prompt_hash)
            response = self.budget.counted(request, await self._generate(request)).whole()
            self.budget.spent(response)
        finally:
            self.budget.settle(reserved)
        await self.journal.append(request, prompt_hash, self.model.name, response)
        self.tally.add(response, kept=False)
        self._watch(response)
        return response

    def knows(self, request: Request) -> bool:
        """Whether the journal has the answer already."""
        return self.journal.find(request, request.prompt_hash()) is not None

    async def keep(self, request: Request, response: Response) -> None:
        """Put what was made of several responses into the journal; nothing is counted again."""
        if response.events:
            self.journal.sent.keep_events(request.key, response.events)
            response = msgspec.structs.replace(response, events=())
        await self.journal.append(request, request.prompt_hash(), self.model.name, response.whole())

    def stop(self, reason: RunStopped) -> None:
        """Start nothing new; what is in flight is waited for, because it is paid for."""
        if self._stop is None:
            self._stop = reason
            self._stop_event.set()
            self.lanes.open_all()

    async def for_each(self, items: Iterable[T], work: Callable[[T], Awaitable[None]]) -> None:
        """Do `work` for every item, as many at a time as there are lanes; never more than items.

        The first error, of whatever kind, stops the taking of new items; the others in flight end
        in their own time, because they are paid for.
        """
        waiting = iter(items)
        errors: list[Exception] = []

        async def worker(first: T) -> None:
            try:
                for item in chain([first], waiting):
                    if errors or self._stop is not None:
                        return
                    await work(item)
                    self.tally.sample_done()
            except Exception as error:  # noqa: BLE001 - raised below, once the others have ended
                errors.append(error)

        with _few_collections():
            async with asyncio.TaskGroup() as group:
                try:
                    for first in islice(waiting, self.lanes.most):
                        group.create_task(worker(first))
                        await asyncio.sleep(0)  # it is begun before the next is taken
                        if errors:
                            break
                except Exception as error:  # noqa: BLE001 - of the items; raised below
                    errors.append(error)
        if errors:
            raise errors[0]
        if self._stop is not None:
            raise self._stop

    async def _generate(self, request: Request) -> Response:
        for attempt in range(1, self.retry.attempts + 1):
            server, outcome = await self._attempt(request)
            if isinstance(outcome, Response):
                return msgspec.structs.replace(outcome, attempts=attempt, server=server)
            if attempt < self.retry.attempts:
                self.tally.retried(outcome.reason)
                await self._sleep(self.retry.delay(attempt, outcome.retry_after))
        return Response(
            status=Status.FAILED,
            attempts=self.retry.attempts,
            reason=f"{outcome.reason} ({counted(self.retry.attempts, 'attempt')})",
            server=server,
        )

    async def _attempt(self, request: Request) -> tuple[str, Response | Unavailable]:
        """What came of asking once, or of asking several servers until one answers; and which."""
        tried: set[Server] = set()
        while True:
            async with self._lane(request, tried) as lane:
                if self._stop is not None:
                    raise self._stop
                self.budget.check_clock()
                server = lane.model if isinstance(lane, PoolLane) else None
                outcome = await _asked(server or self.model, request)
                stands = lane.settle(outcome)
            if isinstance(outcome, Unavailable) and outcome.overloaded:
                self._watch_complaints(outcome)
            if stands:
                return server.address if server else "", outcome
            self.tally.retried(outcome.reason)

    def _lane(
        self, request: Request, tried: set[Server]
    ) -> AbstractAsyncContextManager[Lane | PoolLane]:
        if isinstance(self.lanes, PoolLanes):
            return self.lanes.lane(request.key, tried)
        return self.lanes.lane()

    async def _sleep(self, seconds: float) -> None:
        """Wait, but not past a stop."""
        try:
            await asyncio.wait_for(self._stop_event.wait(), seconds)
        except TimeoutError:
            return

    def _watch_complaints(self, trouble: Unavailable) -> None:
        if self.lanes.cuts_in_a_row >= COMPLAINTS_IN_A_ROW:
            self.stop(
                EndpointDown(
                    f"the server only complains, the last time with: {trouble.reason}. All answers "
                    "so far are kept; wait, or use fewer --lanes, and give the same command again"
                )
            )

    def _watch(self, response: Response) -> None:
        if response.this_question_only:
            return
        self._failures = self._failures + 1 if response.status is Status.FAILED else 0
        if self._failures >= self._failures_in_a_row:
            self.stop(
                EndpointDown(
                    f"{counted(self._failures, 'request')} in a row failed, the last with: "
                    f"{response.reason.rstrip('.')}. "
                    "All answers so far are kept; mend the cause and give the same command again"
                )
            )


def _lanes(model: Model, most: int) -> Lanes | PoolLanes:
    if isinstance(model, Pool):
        return PoolLanes(model, most)
    if isinstance(model, BatchModel):
        return Lanes(model.lanes, start=model.lanes)
    return Lanes(most)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let Python look for unreachable objects seldom; nobody else's setting is undone.

    It looks whenever some hundreds more are alive than at the last time, which is so each time all
    lanes set out; but what a request needs dies with it, and nothing is found.
    """
    most, *others = gc.get_threshold()
    raised = 0 < most < _ALIVE
    if raised:
        gc.set_threshold(_ALIVE, *others)
    try:
        yield
    finally:
        if raised:
            gc.set_threshold(most, *others)


async def _asked(model: Model, request: Request) -> Response | Unavailable:
    """What a model says, with the seconds it took; by batch they would say nothing of the model."""
    started = time.perf_counter()
    try:
        response = await model.generate(request)
    except Unavailable as trouble:
        return trouble
    seconds = 0.0 if response.batch else time.perf_counter() - started
    return msgspec.structs.replace(response, seconds=round(seconds, 4))
