"""Documents of others are worked on in processes of their own, each within a limit of time.

A document may be made to take for ever. Its process is then ended, whoever sent it is told so, and
the next document gets a new one; the server, and what it is asked meanwhile, never waits for it.
Between the processes go bytes and JSON, and nothing is kept of a document.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Final, Protocol

import msgspec

from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.errors import HengfaError

STARTING: Final = 60.0
"""So many seconds a process has to start in; they are not the document's."""

MEMORY: Final = 1 << 30
"""Bytes of a process; with a library it begins with a quarter of them."""


class Refusal(HengfaError):
    """Why a question is not answered; the server knows the codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Bench(Protocol):
    """Where a process works: what it keeps from one document to the next."""

    def work_on(self, path: str, asked: msgspec.Raw, content: bytes) -> tuple[str, bytes]:
        """The type of the reply, and the reply; or a `Refusal`."""


class Job(msgspec.Struct, frozen=True):
    """What is to be done to a document: the path of an operation, and its question."""

    path: str
    asked: msgspec.Raw


class Outcome(msgspec.Struct, frozen=True):
    """What came of it: content of this type, or the message of an error with this code."""

    code: str = ""
    media: str = "application/json"


class Ended(Exception):
    """A process was ended before it was done, and why."""


class Busy(Exception):
    """No process became free in time."""


class _Worker:
    """One process, and the pipe to it. An exchange that is interrupted ends the process."""

    def __init__(self, bench: Callable[[], Bench]) -> None:
        context = get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, bench), daemon=True)
        self._process.start()
        other.close()  # so that the end of the process is the end of the pipe

    def do(self, job: Job, content: bytes, seconds: float) -> tuple[Outcome, bytes]:
        try:
            self._receive(STARTING)  # that it is ready
            self._pipe.send_bytes(encode_json(job))
            self._pipe.send_bytes(content)
            return _read_outcome(self._receive(seconds)), self._pipe.recv_bytes()
        except (EOFError, OSError) as error:
            raise Ended("its process ended") from error

    def kill(self) -> None:
        """End the process, and those that it has started for itself."""
        with suppress(AttributeError, OSError):  # Windows; or it had no time to lead a group
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.kill()

    def _receive(self, seconds: float) -> bytes:
        if not self._pipe.poll(seconds):
            raise Ended(f"it took more than {seconds:g} seconds")
        return self._pipe.recv_bytes()


class Workers:
    """Processes for documents, each with a bench of its own, started when it is first needed."""

    def __init__(self, bench: Callable[[], Bench], seconds: float, count: int = 2) -> None:
        self._bench = bench
        self.seconds = seconds
        self._free = asyncio.Semaphore(count)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    async def do(self, job: Job, content: bytes) -> tuple[Outcome, bytes]:
        """What comes of a job; waits no longer than one document may take for a free process."""
        try:
            async with asyncio.timeout(self.seconds):
                await self._free.acquire()
        except TimeoutError:
            raise Busy from None
        worker = self._idle.pop() if self._idle else _Worker(self._bench)
        self._busy.add(worker)
        try:
            done = await asyncio.to_thread(worker.do, job, content, self.seconds)
            self._idle.append(worker)
        except BaseException:
            worker.kill()
            raise
        finally:
            self._busy.discard(worker)
            self._free.release()
        return done

    def close(self) -> None:
        """End all processes; whoever waits for one is told at once."""
        for worker in (*self._idle, *self._busy):
            worker.kill()


_read_outcome = json_decoder(Outcome)
_read_job = json_decoder(Job)


def _work(pipe: Connection, make: Callable[[], Bench]) -> None:
    """What a process does until its pipe ends: the server stops, or is no more."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # Ctrl+C is for the server; and what it starts is ended with it
    with suppress(ImportError):  # what is asked for beyond the limit fails; not on Windows
        import resource  # noqa: PLC0415

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    bench = make()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(b"ready")
            job, content = _read_job(pipe.recv_bytes()), pipe.recv_bytes()
            try:
                media, made = bench.work_on(job.path, job.asked, content)
                outcome = Outcome(media=media)
            except Refusal as refusal:
                outcome, made = Outcome(refusal.code), encode_json(str(refusal))
            except MemoryError:
                outcome, made = Outcome("too_slow"), encode_json("it took too much memory")
            pipe.send_bytes(encode_json(outcome))
            pipe.send_bytes(made)
