"""Work that several processes do: those of this machine, or whoever takes their place.

What is to be done is described (`Work`), so that it can be sent to another process or machine and
be opened there once for many items. Who does it is an `Executor`: the processes of this machine
are one (`Processes`), a cluster is another (`hengfa.evals.bridge`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any, Protocol, TypeVar

from hengfa.base.errors import HengfaError

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
AHEAD = 2
"""Items that wait at each worker: enough that none stands still, few enough to be held."""


class Work(Protocol[Item_contra, Result_co]):
    """What is done to each item: small and made of plain values, for it travels to every worker.

    `files` are what it reads, by names of its own: a library, an index, the folder of a model.
    Where a worker runs on another machine they lie elsewhere, so `open` is told where. It is
    called once in each worker, and what it returns is called for every item.
    """

    @property
    def files(self) -> Mapping[str, Path]: ...

    def open(self, files: Mapping[str, Path], /) -> Callable[[Item_contra], Result_co]: ...


class Executor(Protocol):
    """Whoever has workers."""

    @property
    def workers(self) -> int:
        """How many work at once."""

    def run(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        """Each item's number with its result, as they are done; few items are taken ahead. The
        first error of a worker ends the others and is raised."""


class Processes:
    """Processes of this machine; a single one is this process itself."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        if self.workers == 1:
            do = work.open(work.files)
            for number, item in enumerate(items):
                yield number, do(item)
            return
        before = set(active_children())
        # Spawned, not forked: a forked copy of a process with threads, such as Polars', may hang.
        context = get_context("spawn")
        with ProcessPoolExecutor(self.workers, context, _receive, (work,)) as pool:
            try:
                yield from _results(pool, self.workers * (1 + AHEAD), items)
            except BaseException as error:
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in set(active_children()) - before:  # an item may take long
                    worker.terminate()
                if isinstance(error, BrokenProcessPool):
                    raise HengfaError(
                        "a process that worked has died, perhaps for lack of memory: "
                        "--jobs 1 needs the least"
                    ) from error
                raise


def _results(
    pool: ProcessPoolExecutor, most: int, items: Iterable[Any]
) -> Iterator[tuple[int, Any]]:
    """What the pool makes of the items, at most so many of them taken at a time."""
    numbered = enumerate(items)
    waiting: dict[Future[Any], int] = {}
    while True:
        with _not_for_workers():
            for number, item in islice(numbered, most - len(waiting)):
                waiting[pool.submit(_do, item)] = number
        if not waiting:
            return
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()


_received: list[Work[Any, Any]] = []
"""In a worker: the work it does."""


def _receive(work: Work[Any, Any]) -> None:
    _received[:] = [work]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Whoever is killed outright cannot end its workers, and nobody else would."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


@cache
def _open_work() -> Callable[[Any], Any]:
    """The work of this worker, opened with the first item, so that errors are those of the item."""
    (work,) = _received
    return work.open(work.files)


def _do(item: Any) -> Any:
    return _open_work()(item)


@contextmanager
def _not_for_workers() -> Iterator[None]:
    """Processes that are started in here ignore Ctrl-C: it is for the one that ends them."""
    if current_thread() is not main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
