"""One sitting of a run: asks a model, keeps every answer, paces itself, knows when to stop.

`sit` does the whole of it, `Session` is what those get who ask, `Tally` counts what was done.
Asking the questions of a suite and asking graders about the answers are the same work.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import shutil
import signal
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

import msgspec

from hengfa.base.errors import BatchesWaiting, EndpointDown, RunStopped, counted
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.evals.engine.batches import LEDGER, BatchModel, refuse_waiting
from hengfa.evals.engine.budget import Budget, Limits, Price, find_price
from hengfa.evals.engine.journal import Journal, read_entries
from hengfa.evals.engine.messages import Model, Request, Response, Status, Unavailable
from hengfa.evals.engine.pacing import Lanes, Pool, PoolLanes, Server

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
        batch = isinstance(model, BatchModel)
        self.lanes: Lanes | PoolLanes
        if isinstance(model, Pool):
            self.lanes = PoolLanes(model, lanes)
        elif isinstance(model, BatchModel):
            self.lanes = Lanes(model.lanes, start=model.lanes)
        else:
            self.lanes = Lanes(lanes)
        self.retry = retry or RetryPolicy()
        self.budget = Budget(limits or Limits(), tally.price, model=model.name, batch=batch)
        if self.budget.active:
            for entry in read_entries(journal.path):
                self.budget.spend(entry.response)
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
            response = self.budget.with_usage(request, await self._generate(request)).whole()
            self.budget.spend(response)
        finally:
            self.budget.settle(reserved)
        await self.journal.append(request, prompt_hash, self.model.name, response)
        self.tally.add(response, kept=False)
        if not response.this_question_only:
            self._failures = self._failures + 1 if response.status is Status.FAILED else 0
        if self._failures >= self._failures_in_a_row:
            reason = (
                f"{counted(self._failures, 'request')} in a row failed, the last with: "
                f"{response.reason.rstrip('.')}. "
                "All answers so far are kept; mend the cause and give the same command again"
            )
            self.stop(EndpointDown(reason))
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
                delay = self.retry.delay(attempt, outcome.retry_after)
                with contextlib.suppress(TimeoutError):  # else the run is stopping
                    await asyncio.wait_for(self._stop_event.wait(), delay)
        attempts = self.retry.attempts
        reason = f"{outcome.reason} ({counted(attempts, 'attempt')})"
        return Response(Status.FAILED, attempts=attempts, reason=reason, server=server)

    async def _attempt(self, request: Request) -> tuple[str, Response | Unavailable]:
        """What came of asking once, or of asking several servers until one answers; and which."""
        tried: set[Server] = set()
        while True:
            async with self.lanes.lane(request.key, tried) as lane:
                if self._stop is not None:
                    raise self._stop
                self.budget.check_clock()
                outcome = await _ask_model(lane.model or self.model, request)
                stands = lane.settle(outcome)
            overloaded = isinstance(outcome, Unavailable) and outcome.overloaded
            if overloaded and self.lanes.cuts_in_a_row >= COMPLAINTS_IN_A_ROW:
                reason = (
                    f"the server only complains, the last time with: {outcome.reason}. All answers "
                    "so far are kept; wait, or use fewer --lanes, and give the same command again"
                )
                self.stop(EndpointDown(reason))
            if stands:
                return lane.model.address if lane.model else "", outcome
            self.tally.retried(outcome.reason)


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


async def _ask_model(model: Model, request: Request) -> Response | Unavailable:
    """What a model says, with the seconds it took; by batch they would say nothing of the model."""
    started = time.perf_counter()
    try:
        response = await model.generate(request)
    except Unavailable as trouble:
        return trouble
    seconds = 0.0 if response.batch else time.perf_counter() - started
    return msgspec.structs.replace(response, seconds=round(seconds, 4))


# --- a sitting, from its journal to an end in good order ---


@dataclass(frozen=True, slots=True)
class Sitting:
    """How a model is asked; nothing here changes what is asked.

    `progress` is whether a line on standard error says how far it is, or who is told instead.
    """

    lanes: int = 64
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    limits: Limits = field(default_factory=Limits)
    ask_again: frozenset[Status] = frozenset({Status.FAILED})
    progress: bool | Progress = True


def check_limits(sitting: Sitting, model: Model) -> None:
    """Refuse a limit that cannot be kept, before anything is written."""
    Budget(sitting.limits, find_price(model.name), model=model.name)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, also where a loop runs already, as in a notebook: then in a thread of its own.

    Whoever interrupts the thread that waits ends the work; what was answered is kept.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def begin() -> T:
        task = asyncio.ensure_future(work)
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(asyncio.run, begin())
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            loop.call_soon_threadsafe(task.cancel)
            raise


async def sit(
    model: Model,
    journal: Path,
    items: Iterable[T],
    work: Callable[[Session, T], Awaitable[None]],
    *,
    total: int,
    sitting: Sitting,
    notify: Notify = quiet,
) -> Tally:
    """Do `work` for every item with a session whose answers the journal keeps."""
    with Journal(journal, ask_again=sitting.ask_again) as kept:
        for notice in kept.notices:
            notify(notice)
        watch = sitting.progress if callable(sitting.progress) else None
        tally = Tally(total, find_price(model.name), watch)
        if isinstance(model, BatchModel):
            model.open(journal)
            tally.elsewhere = model.waiting
        else:
            refuse_waiting(journal)
        session = Session(
            model, kept, tally, lanes=sitting.lanes, retry=sitting.retry, limits=sitting.limits
        )

        async def do_work(item: T) -> None:
            await work(session, item)

        with _interruptible(session, notify):
            shown = asyncio.create_task(show_progress(tally)) if sitting.progress is True else None
            try:
                await session.for_each(items, do_work)
            except BatchesWaiting:
                raise BatchesWaiting(
                    f"{tally.elsewhere() or 'nothing waits'}. Give the same command again to fetch "
                    f"the answers; what was sent is in {journal.with_name(LEDGER)}"
                ) from None
            finally:
                if shown is not None:
                    shown.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await shown
                await model.close()
    return tally


@contextmanager
def _interruptible(session: Session, notify: Notify) -> Iterator[None]:
    """The first Ctrl-C ends the run in good order, a second one at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        waited = f"waiting for {counted(session.lanes.in_flight, 'request')} in flight"
        if isinstance(session.model, BatchModel) and session.model.leave():
            waited = "what was sent is not waited for"
        notify(f"\nstopping: {waited}; Ctrl-C again ends at once")
        kept = "waited for what was in flight, all answers are kept"
        session.stop(RunStopped(f"interrupted: {kept}; give the same command again to go on"))

    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


# --- what was done so far, in numbers: for the closing summary, and shown meanwhile ---

_LIVE_EVERY = 0.25
_PLAIN_EVERY = 10.0
_FIRST_PLAIN = 2.0
_SPARED = ("trouble", "kept", "tokens", "retries", "rate", "cost", "elsewhere", "statuses")
"""What a narrow terminal goes without, the first of them first."""


@dataclass(eq=False)
class Tally:
    """Counts responses by status, tokens, cost and samples; `kept` ones came from the journal.

    `watch` is told after every sample; `elsewhere` says what waits in batches.
    """

    total: int
    price: Price | None = None
    watch: Progress | None = None
    samples: int = 0
    kept: int = 0
    statuses: Counter[Status] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    retries: int = 0
    last_failure: str = ""
    last_trouble: str = ""
    elsewhere: Callable[[], str] = str
    _started: float = field(default_factory=time.monotonic)

    def add(self, response: Response, *, kept: bool) -> None:
        self.statuses[response.status] += 1
        if response.status is Status.FAILED:
            self.last_failure = response.reason
        self.kept += kept
        if response.usage is not None:
            self.input_tokens += response.usage.input
            self.output_tokens += response.usage.output
            if self.price is not None:
                self.cost += self.price.cost(response.usage, batch=bool(response.batch))

    def retried(self, reason: str) -> None:
        """A request is tried again: said while it happens, because it may go on for minutes."""
        self.retries += 1
        self.last_trouble = reason

    def sample_done(self) -> None:
        self.samples += 1
        if self.watch is not None:
            self.watch(self.samples, self.total)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def rate(self) -> float:
        """New samples per second; what came from the journal took no time."""
        return max(0, self.samples - self.kept) / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.samples) / self.rate if self.rate > 0 else None

    def line(self, width: int | None = None) -> str:
        """`312/500 samples, 41.2/s, 1.2M tokens, ¥0.8312, answered 310, filtered 2, 5s left`.

        In a terminal of this width, without what there is no room for.
        """
        tokens = self.input_tokens + self.output_tokens
        counts = (f"{status} {self.statuses[status]}" for status in Status if self.statuses[status])
        left = self.seconds_left if self.samples < self.total else None
        parts = {
            "samples": f"{self.samples}/{self.total} samples",
            "kept": f"{self.kept} from the journal" if self.kept else "",
            "rate": f"{self.rate:.1f}/s",
            "tokens": f"{_short_count(tokens)} tokens",
            "cost": "" if self.price is None else self.price.show(self.cost),
            "statuses": ", ".join(counts),
            "retries": counted(self.retries, "retry", "retries") if self.retries else "",
            "trouble": f"the last after {self.last_trouble[:40]}" if self.retries else "",
            "elsewhere": self.elsewhere(),
            "left": "" if left is None else f"{_clock(left)} left",
        }
        for spared in ("", *_SPARED):
            parts[spared] = ""
            line = ", ".join(filter(None, parts.values()))
            if width is None or _columns(line) <= width:
                break
        return line if width is None else line[:width]


async def show_progress(tally: Tally, stream: TextIO | None = None) -> None:
    """Run beside the work and be cancelled at its end; the last state is printed on the way out.

    Reads the tally a few times a second, so its cost does not depend on the number of samples.
    """
    out = stream or sys.stderr
    live = out.isatty()
    before = ""
    try:
        await asyncio.sleep(_LIVE_EVERY if live else _FIRST_PLAIN)
        while True:
            line = tally.line(shutil.get_terminal_size().columns - 1 if live else None)
            if line != before:  # which may be for hours, while a batch waits
                out.write(f"\r\x1b[K{line}" if live else f"{line}\n")
                out.flush()
            before = line
            await asyncio.sleep(_LIVE_EVERY if live else _PLAIN_EVERY)
    finally:
        out.write(f"\r\x1b[K{tally.line()}\n" if live else f"{tally.line()}\n")
        out.flush()


def _columns(line: str) -> int:
    """What a line takes in a terminal, where a Chinese character is two wide."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def _short_count(number: int) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02d}m"
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"
