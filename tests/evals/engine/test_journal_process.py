"""The journal against other processes, a full disk and a small memory."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from hengfa.base.errors import RunLocked
from hengfa.evals.engine.journal import Entry, Journal, read_entries
from hengfa.evals.engine.messages import Request, Response, Status

from .asking import Scripted, questions, sit
from .processes import environment, run_python

HOLD = """
import sys, time
from pathlib import Path
from hengfa.evals.engine.journal import Journal
with Journal(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""
TRY = """
import sys
from pathlib import Path
from hengfa.evals.engine.journal import Journal
from hengfa.base.errors import RunLocked
try:
    Journal(Path(sys.argv[1])).close()
    print("opened")
except RunLocked as locked:
    print("refused:", locked)
"""


def test_a_second_process_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            refused = run_python(TRY, path)
            assert refused.startswith("refused:")
            for helpful in (str(tmp_path), "another process", "--run"):
                assert helpful in refused
            with pytest.raises(RunLocked):
                Journal(path)
        finally:
            os.kill(holder.pid, signal.SIGKILL)
    assert run_python(TRY, path) == "opened\n"


def test_a_second_journal_in_the_same_process_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path), pytest.raises(RunLocked):
        Journal(path)
    Journal(path).close()


FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Request, Response, Status
from hengfa.evals.engine.session import Session
from hengfa.evals.engine.session import Tally
from hengfa.base.errors import JournalError

class Model:
    name = "scripted"
    async def generate(self, request):
        await asyncio.sleep(0)
        return Response(status=Status.ANSWERED, text=request.key * 20)
    async def close(self):
        pass

async def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    with Journal(Path(sys.argv[1])) as journal:
        session = Session(Model(), journal, Tally(60), lanes=8)
        async def one(number):
            prompt = f"第{number}问:何为善意取得?"
            await session.ask(Request(f"test/{number:04d}", (Message("user", prompt),)))
        try:
            await session.for_each(range(60), one)
        except JournalError as error:
            print(error)

asyncio.run(main())
"""


@pytest.mark.parametrize("room", [0, 1, 10, 5000, 5001, 5100, 5200, 5300, 5400, 9999])
def test_a_full_disk_leaves_a_good_journal_and_the_run_can_go_on(room: int, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    message = run_python(FULL_DISK, path, room)
    for helpful in (str(path), "could not write", "File too large", "are kept", "make room"):
        assert helpful in message
    kept = {entry.key for entry in read_entries(path)}
    assert len(kept) < 60
    assert path.read_bytes().endswith(b"\n") or not kept
    assert path.stat().st_size <= room
    with Journal(path) as journal:
        assert journal.notices == []

    async def generate(request: Request) -> Response:
        return Response(status=Status.ANSWERED, text="答")

    model = Scripted(generate)
    asyncio.run(sit(model, tmp_path, questions(60)))
    everything = {request.key for request in questions(60)}
    assert set(model.asked) == everything - kept
    assert {entry.key for entry in read_entries(path)} == everything


MEMORY = """
import re, sys
from pathlib import Path
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Request

def peak():  # in kB; getrusage would count what the parent had before it started this process
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

before = peak()
with Journal(Path(sys.argv[1])) as journal:
    print(len(journal))
    request = Request("lawbench/1-1/zero_shot/99999", (Message("user", ""),))
    print(journal.find(request, "0" * 32).text[-5:])
print(peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="reads memory from /proc")
def test_a_journal_of_100000_answers_is_opened_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        for number in range(100_000):
            response = Response(status=Status.ANSWERED, text="答" * 250 + f"{number:05d}")
            key = f"lawbench/1-1/zero_shot/{number}"
            file.write(encode(Entry(key, "0" * 32, "m", "2026-01-01", response)) + b"\n")
    assert path.stat().st_size > 80_000_000
    length, text, kilobytes = run_python(MEMORY, path).split()
    path.unlink()
    assert (length, text) == ("100000", "99999")
    assert int(kilobytes) < 60_000


FILES_LEFT_OPEN = """
import gc, os, sys
from pathlib import Path
from hengfa.evals.engine.journal import Journal

def count():
    return len(os.listdir("/proc/self/fd"))

Journal(Path(sys.argv[1])).close()
before = count()
for _ in range(50):
    Journal(Path(sys.argv[1])).close()
print(count() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files in /proc")
def test_a_closed_journal_leaves_no_file_open(tmp_path: Path) -> None:
    assert run_python(FILES_LEFT_OPEN, tmp_path / "journal.jsonl") == "0\n"
