"""A Ray cluster as an executor: workers are actors on any of its machines (`--executor ray`).

The command hands out items one by one, as it does to processes of its own, and keeps what comes
back; Ray finds room for the workers and says when one has died. What a dead worker held is given to
others. Items and results travel as pickles, so that they are what processes would exchange.

The files of a work are read in place on the machine of the command. A worker elsewhere asks that
machine for them, once for all workers there, and keeps them under the sum of their contents.

No type of Ray leaves this module. It is an optional part (`hengfa[ray]`).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import pickle
import platform
import socket
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from hengfa import __version__
from hengfa.base.data.output import scratch_folder
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.base.workers import Item, Result, Work
from hengfa.evals.engine.local_model import LocalModel, local_name
from hengfa.evals.engine.messages import Request, Response, Unavailable
from hengfa.evals.engine.pacing import Pool
from hengfa.evals.suites.registry import FILES as SUITE_FILES

# Ray reads these when it is imported: no messages of its own on standard output, no reports home.
os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray import cloudpickle
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

_AHEAD: Final = 1
"""Items that wait at a worker: the next is there when it has done one."""

_DEATHS: Final = 3
"""Workers that may die at one item, and by which each may be replaced before it is opened."""

_CHUNK: Final = 32 << 20  # bytes of a file that travel at a time
_STORE: Final = 256 << 20  # bytes of memory for what travels, in a cluster of our own


class RayCluster:
    """The workers of a cluster: as many as are wished for, or as fit; each has one CPU.

    Without an `address` the cluster is this machine and ends with `close`; `auto` is the one that
    runs here, `HOST:PORT` another one that this machine has joined. `gpus` are for each worker.
    """

    def __init__(
        self, workers: int | None = None, *, address: str | None = None, gpus: float = 0.0
    ) -> None:
        self._wished, self._address, self._gpus = workers, address, gpus

    @property
    def workers(self) -> int:
        return self._wished or self._fitting()

    def run(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        self._join()
        numbered = enumerate(items)
        first = list(islice(numbered, self.workers))
        if not first:
            return
        given = cloudpickle.dumps(work), self._baggage(work.files)
        crew = _Crew(lambda: self._actor(_Worker, *given))
        try:
            yield from crew.results(first, numbered)
        finally:
            crew.end()

    def replicas(self, folder: Path, number: int, device: str = "auto") -> Pool:
        """The model of a folder, loaded by so many actors, as a pool of that many servers."""
        name, room = local_name(folder), self._fitting()
        if number > room:
            raise UsageError(f"--replicas {number}: the cluster has room for {room}")
        given = self._baggage({"model": folder}), device
        actors = [self._actor(_Weights, *given, max_restarts=_DEATHS - 1) for _ in range(number)]
        return Pool(name, [_Replica(name, actor) for actor in actors])

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        ray.shutdown()

    def _fitting(self) -> int:
        """How many workers have room in the whole cluster, which is joined now if it was not."""
        self._join()
        there: Mapping[str, float] = ray.cluster_resources()
        room = int(there.get("CPU", 0))
        if self._gpus:
            room = min(room, int(there.get("GPU", 0) / self._gpus))
        if room < 1:
            raise UsageError(
                f"--gpus-each {self._gpus:g}: the cluster has {there.get('CPU', 0):g} CPUs and "
                f"{there.get('GPU', 0):g} GPUs"
            )
        return room

    def _join(self) -> None:
        if self._address not in {None, "auto"}:
            _check(self._address)  # also where this process is in a cluster by now
        if ray.is_initialized():
            return
        own = {"num_cpus": self._wished, "object_store_memory": _STORE, "include_dashboard": False}
        try:
            ray.init(
                self._address or "local",
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                **({} if self._address else own),
            )
        except (OSError, RuntimeError, ValueError) as error:
            where = "" if self._address is None else f":{self._address}"
            raise UsageError(f"--executor ray{where}: {str(error).splitlines()[0]}") from error

    def _baggage(self, files: Mapping[str, Path]) -> _Baggage:
        here = {name: path.resolve() for name, path in files.items()}
        node, source = ray.get_runtime_context().get_node_id(), None
        if self._address is not None and here:
            stay = NodeAffinitySchedulingStrategy(node, soft=False)
            source = ray.remote(_Source).options(num_cpus=0, scheduling_strategy=stay).remote(here)
        suites = os.environ.get(SUITE_FILES, "")
        return _Baggage(__version__, Path.cwd(), suites, here, node, source)

    def _actor(self, kind: type, *given: object, **settings: Any) -> Any:
        settings |= {"num_cpus": 1, "num_gpus": self._gpus, "scheduling_strategy": "SPREAD"}
        return ray.remote(kind).options(**settings).remote(*given)


def _check(address: str) -> None:
    """Whether anybody answers: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, ValueError, OverflowError) as error:
        raise UsageError(
            f"--executor ray:{address}: no cluster answers ({error}); the address is HOST:PORT of "
            "its head, and this machine has joined it with `ray start --address HOST:PORT`"
        ) from error


# --- on the side of the command ---


@dataclass(eq=False)
class _Hand:
    """A worker, and what it has in hand: first what it works on, while it is opened nothing."""

    actor: Any
    opened: bool = False
    holds: deque[int] = field(default_factory=deque)


class _Crew:
    """Workers that do one work."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._hands: list[_Hand] = []
        self._awaited: dict[Any, tuple[_Hand, int | None]] = {}
        """References, each with whose they are, and of which item; without one, of its opening."""
        self._out: dict[int, Any] = {}  # items that are given out, by number
        self._deaths: Counter[int | None] = Counter()

    def results(
        self, first: Sequence[tuple[int, Item]], others: Iterator[tuple[int, Item]]
    ) -> Iterator[tuple[int, Any]]:
        self._again, self._others = deque(first), others
        for _ in first:
            self._hire()
        while True:
            self._hand_out()
            if not self._out and not self._again:
                return
            done, _ = ray.wait(list(self._awaited), num_returns=1)
            for reference in done:
                hand, number = self._awaited.pop(reference)
                try:
                    result = _get(reference)
                except RayError as error:
                    self._replace(hand, error)
                    break  # what else it held is no longer awaited
                if number is None:
                    hand.opened = True
                    self._deaths[None] = 0
                    continue
                hand.holds.remove(number)
                del self._out[number]
                yield number, pickle.loads(result)  # noqa: S301 - of our own worker

    def end(self) -> None:
        for hand in self._hands:
            ray.kill(hand.actor)

    def _hire(self) -> None:
        hand = _Hand(self._make())
        self._hands.append(hand)
        self._awaited[hand.actor.open.remote()] = hand, None

    def _hand_out(self) -> None:
        """One item each; more only while nobody is being opened who would stand idle."""
        opened = [hand for hand in self._hands if hand.opened]
        room = 1 + _AHEAD if len(opened) == len(self._hands) else 1
        while opened and len((freest := min(opened, key=lambda h: len(h.holds))).holds) < room:
            numbered = self._again.popleft() if self._again else next(self._others, None)
            if numbered is None:
                return
            number, self._out[number] = numbered
            freest.holds.append(number)
            reference = freest.actor.do.remote(cloudpickle.dumps(self._out[number]))
            self._awaited[reference] = freest, number

    def _replace(self, lost: _Hand, error: RayError) -> None:
        """Another worker instead of a dead one, and its items to whoever is free."""
        blamed = lost.holds[0] if lost.holds else None
        self._deaths[blamed] += 1
        if self._deaths[blamed] == _DEATHS * (1 if lost.holds else len(self._hands)):
            what = "before it began"
            if blamed is not None:
                what = f"at item {blamed + 1}, {repr(self._out[blamed])[:200]}"
            raise HengfaError(
                f"worker after worker has died, perhaps for lack of memory: {what}"
            ) from error
        self._again.extendleft((number, self._out.pop(number)) for number in reversed(lost.holds))
        self._awaited = {
            reference: held for reference, held in self._awaited.items() if held[0] is not lost
        }
        self._hands.remove(lost)
        ray.kill(lost.actor)
        self._hire()


def _get(reference: Any) -> Any:
    """What an actor returns; what it raises is raised as it was, Ray's own errors as Ray's."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise error.cause from error


class _Replica:
    """A model in an actor, as a session asks it. Ray starts it again if it dies."""

    address = ""

    def __init__(self, name: str, actor: Any) -> None:
        self.name, self._actor = name, actor

    async def generate(self, request: Request) -> Response:
        try:
            response: Response = await self._actor.generate.remote(request)
        except RayTaskError as error:
            raise error.cause from error
        except RayError as error:
            raise Unavailable("a replica of the model has died") from error
        return response

    async def close(self) -> None:
        ray.kill(self._actor)


# --- on the side of the workers ---


class _Source:
    """Reads files on the machine of the command, for workers on others."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._sums: dict[str, dict[str, str]] = {}

    def sums(self, name: str) -> dict[str, str]:
        """The SHA-256 sum of a file, or of all in a folder, by their paths from its parent."""
        if name not in self._sums:
            top = self._files[name]
            files = sorted(path for path in top.rglob("*") if path.is_file()) or [top]
            self._sums[name] = {
                path.relative_to(top.parent).as_posix(): _sum(path) for path in files
            }
        return self._sums[name]

    def read(self, name: str, path: str, start: int) -> bytes:
        file = self._files[name].parent / path
        with disk_errors(file), file.open("rb") as stream:
            stream.seek(start)
            return stream.read(_CHUNK)


def _sum(file: Path) -> str:
    with disk_errors(file), file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class _Baggage:
    """What a worker needs of the machine of the command, which is a node of the cluster too.

    Without a `source` all nodes are that machine.
    """

    version: str
    folder: Path
    suites: str
    files: Mapping[str, Path]
    node: str
    source: Any

    def unpack(self) -> Mapping[str, Path]:
        """Make this process like that of the command, and say where the files lie here."""
        if self.version != __version__:
            raise UsageError(
                f"this is Hengfa {self.version}, and {__version__} on {platform.node()}: all "
                "machines of a cluster need the same"
            )
        os.environ[SUITE_FILES] = self.suites
        with suppress(OSError):  # on another machine it need not be there
            os.chdir(self.folder)
        if self.source is None or ray.get_runtime_context().get_node_id() == self.node:
            return self.files
        return {name: self._fetch_files(name) for name in self.files}

    def _fetch_files(self, name: str) -> Path:
        sums: dict[str, str] = _get(self.source.sums.remote(name))
        listing = "".join(f"{sum_}  {path}\n" for path, sum_ in sums.items())
        place = home() / "shipped" / hashlib.sha256(listing.encode()).hexdigest()
        with disk_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{place}.lock"):
                if not place.is_dir():
                    with scratch_folder(place) as new:
                        for path, sum_ in sums.items():
                            self._fetch(name, path, sum_, new / path)
                        new.rename(place)
        return place / self.files[name].name

    def _fetch(self, name: str, path: str, sum_: str, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as stream:
            while chunk := _get(self.source.read.remote(name, path, stream.tell())):
                stream.write(chunk)
        if _sum(file) != sum_:
            raise DataError("changed while it was sent to a worker", file=self.files[name])


class _Worker:
    """Opens a work once, and does it to item after item."""

    def __init__(self, work: bytes, baggage: _Baggage) -> None:
        self._work, self._baggage = work, baggage

    def open(self) -> None:
        work: Work[Any, Any] = pickle.loads(self._work)  # noqa: S301 - of our own command
        self._do = work.open(self._baggage.unpack())

    def do(self, item: bytes) -> bytes:
        result: bytes = cloudpickle.dumps(self._do(pickle.loads(item)))  # noqa: S301
        return result


class _Weights:
    """A model that is loaded with the first request, also when it had to be started again."""

    def __init__(self, baggage: _Baggage, device: str) -> None:
        self._baggage, self._device = baggage, device
        self._opening = asyncio.Lock()
        self._model: LocalModel | None = None

    async def generate(self, request: Request) -> Response:
        async with self._opening:
            if self._model is None:
                files = await asyncio.to_thread(self._baggage.unpack)
                self._model = LocalModel(files["model"], device=self._device)
        return await self._model.generate(request)
