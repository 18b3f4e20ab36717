"""Kill -9 at any moment: nothing that reached the journal is lost or asked a second time."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.evals.engine.journal import Entry, Journal, SentMessages, read_entries
from hengfa.evals.engine.messages import Status

from .processes import Sittings, alive
from .server import LocalServer, Seen, completion, in_thread

RUNS = 5
KILLS_IN_A_RUN = 20
SAMPLES = 600
LANES = 16


def answer_to(key: str) -> str:
    """From a few words to more than a page of the disk."""
    return f"{key}:" + "答" * random.Random(key).choice([3, 300, 3000])


async def answer_soon(request: web.Request, seen: Seen) -> web.StreamResponse:
    await asyncio.sleep(random.uniform(0.0, 0.03))
    return web.json_response(completion(answer_to(seen.prompt)))


@pytest.fixture
def sittings() -> Iterator[Sittings]:
    starter = Sittings("asking")
    yield starter
    starter.close()


@dataclass
class Run:
    """A run that is killed and continued; `begun` counts its sittings."""

    server: LocalServer
    sittings: Sittings
    folder: Path
    begun: int = 0
    kept: list[Entry] = field(default_factory=list)

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def sit(self, *, kill: bool) -> int:
        """One sitting; -9 if it was killed in the midst of its work."""
        self.begun += 1
        process = self.sittings.start(
            url=self.server.url + self._path(),
            folder=str(self.folder),
            samples=SAMPLES,
            lanes=LANES,
        )
        if kill:
            while not self.asked() and alive(process):
                time.sleep(0.001)
            time.sleep(random.uniform(0.0, 0.08))
            os.kill(process, signal.SIGKILL)
        ended = self.sittings.wait()
        self._check(ended)
        return ended

    def asked(self) -> list[str]:
        """Questions that arrived at the server from this sitting."""
        path = self._path()
        return [seen.prompt for seen in list(self.server.seen) if seen.path.startswith(path)]

    def _path(self) -> str:
        """Run and sitting, so that each request tells which sitting sent it."""
        return f"/{self.folder.name}/{self.begun}/"

    def _check(self, ended: int) -> None:
        entries = list(read_entries(self.journal)) if self.journal.is_file() else []
        assert entries[: len(self.kept)] == self.kept, "what was kept stays"
        settled = {entry.key for entry in self.kept}
        assert not settled & set(self.asked()), "what was kept is not asked again"
        returned = (self.folder / "returned").read_text().split() if entries else []
        assert set(returned) <= {entry.key for entry in entries}, "what was given out is kept"
        assert ended in (0, -signal.SIGKILL)
        self.kept = entries


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_kills_lose_nothing_and_ask_nothing_twice(
    tmp_path: Path, sittings: Sittings, deep: bool
) -> None:
    kills = 0
    with in_thread(LocalServer(answer_soon)) as server:
        while kills < (RUNS if deep else 2) * KILLS_IN_A_RUN:
            folder = tmp_path / f"run{kills}"
            folder.mkdir()
            run = Run(server, sittings, folder)
            for _ in range(KILLS_IN_A_RUN):
                if run.sit(kill=True) == 0:  # done before it could be killed
                    break
                kills += 1
            assert run.sit(kill=False) == 0
            assert sorted(entry.key for entry in run.kept) == sorted(
                f"kill/{number}" for number in range(SAMPLES)
            ), "every question has one answer"
            for entry in run.kept:
                assert entry.response.status is Status.ANSWERED
                assert entry.response.text == answer_to(entry.key)
            messages = SentMessages(run.journal)
            for entry in run.kept:
                request = messages.request(entry.key, entry.prompt_hash, entry.options)
                assert request is not None, "what was sent is kept, however often it was killed"
                assert request.text() == entry.key
            with Journal(run.journal) as journal:
                assert journal.notices == []
