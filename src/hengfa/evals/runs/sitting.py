"""One sitting with a model: a journal, a session, progress, and an end in good order.

Asking the questions of a suite and asking graders about the answers are the same work.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hengfa.base.errors import BatchesWaiting, RunStopped, counted
from hengfa.base.progress import Progress
from hengfa.evals.engine.batches import LEDGER, BatchModel, refuse_waiting
from hengfa.evals.engine.budget import Budget, Limits, find_price
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Model, Status
from hengfa.evals.engine.session import RetryPolicy, Session
from hengfa.evals.engine.tally import Tally, show_progress

T = TypeVar("T")
Notify = Callable[[str], None]


def quiet(_line: str) -> None:
    """The watcher of those who do not want to be told."""


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
            model,
            kept,
            tally,
            lanes=sitting.lanes,
            retry=sitting.retry,
            limits=sitting.limits,
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


@contextlib.contextmanager
def _interruptible(session: Session, notify: Notify) -> Iterator[None]:
    """The first Ctrl-C ends the run in good order, a second one at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        waited = f"waiting for {counted(session.lanes.in_flight, 'request')} in flight"
        if isinstance(session.model, BatchModel) and session.model.leave():
            waited = "what was sent is not waited for"
        notify(f"\nstopping: {waited}; Ctrl-C again ends at once")
        session.stop(
            RunStopped(
                "interrupted: waited for what was in flight, all answers are kept; "
                "give the same command again to go on"
            )
        )

    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
