"""Kill -9 at any moment of a run by batch: nothing is lost, nothing is paid twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Status

from .asking import answer_to
from .batch_server import VENDORS, BatchServer
from .processes import Sittings
from .server import in_thread
from .test_kill import sittings

_ = sittings  # the fixture
KILLS, FEW_KILLS = 60, 12
SAMPLES = 40


class Run:
    """A run that is killed and continued, at a vendor who loses replies and lists batches late."""

    def __init__(self, server: BatchServer, sittings: Sittings, folder: Path) -> None:
        self.server = server
        self.sittings = sittings
        self.folder = folder
        self.kept: list[str] = []

    def sit(self, kill_after: float | None) -> int:
        settings = {
            "url": f"{self.server.url}/v1",
            "folder": str(self.folder),
            "samples": SAMPLES,
            "lanes": 1,
            "batch": self.server.vendor,
            "lines": self.server.lines,
        }
        process = self.sittings.start(**settings)
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(process, signal.SIGKILL)
        ended = self.sittings.wait()
        journal = self.folder / "journal.jsonl"
        entries = list(read_entries(journal)) if journal.is_file() else []
        keys = [entry.key for entry in entries]
        assert keys[: len(self.kept)] == self.kept, "what was kept stays"
        assert len(set(keys)) == len(keys), "nothing is answered twice"
        assert {entry.response.status for entry in entries} <= {Status.ANSWERED}
        self.kept = keys
        return ended


@pytest.mark.parametrize("vendor", VENDORS)
def test_kills_lose_nothing_and_pay_nothing_twice(
    vendor: str, tmp_path: Path, sittings: Sittings, deep: bool
) -> None:
    dice = random.Random(vendor)
    kills, runs, most = 0, 0, (KILLS if deep else FEW_KILLS) / len(VENDORS)
    while kills < most:
        folder = tmp_path / f"run{runs}"
        folder.mkdir()
        runs += 1
        with in_thread(BatchServer(vendor, lines=16, seconds=0.05, listed_after=0.02)) as server:
            run = Run(server, sittings, folder)
            ended = -signal.SIGKILL
            while ended:
                server.lost_creates = dice.choice([0, 0, 1])
                ended = run.sit(dice.uniform(0.0, 0.3) if kills < KILLS else None)
                kills += ended == -signal.SIGKILL
            prompts = [f"kill/{number}" for number in range(SAMPLES)]
            asked = Counter([*prompts, *map(answer_to, prompts)])
            assert server.paid == asked, "each question was answered and paid once"
            assert not server.problems
        entries = {entry.key: entry.response for entry in read_entries(folder / "journal.jsonl")}
        for prompt in prompts:
            assert entries[prompt].text == answer_to(prompt)
            assert entries[f"{prompt}#2"].text == answer_to(answer_to(prompt))
