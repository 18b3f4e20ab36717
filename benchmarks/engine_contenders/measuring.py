"""Runs one program on so many samples and tells what it took: CPU, wall clock, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType

from engine_contenders.programs import BENCH, SCRIPTS, Program
from engine_contenders.stub_server import ANSWER

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "NO_PROXY": "127.0.0.1"}
QUESTION = (
    "案情（第{number}号）：甲驾驶电动车在人行道上撞伤行人乙，乙住院{days}日，支出医疗费若干，甲辩称乙突然转身、"
    "自己没有过错。乙诉至法院，请求甲赔偿医疗费、误工费、护理费。请指出应当适用的法律条文并写明其内容。"
)


class ProgramFailed(Exception):
    """A contender did not ask all its questions; the message holds the end of its output."""


@dataclass(frozen=True)
class Cost:
    """What a program took, its child processes included."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    connections: int


class StubServer:
    """The stub server in a process of its own."""

    def __enter__(self) -> StubServer:
        self._process = subprocess.Popen(
            [sys.executable, SCRIPTS / "stub_server.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.requests = 0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cpu_seconds = _wait(self._process, close_input=True)[0]

    def stats(self) -> tuple[int, int]:
        """(completions asked for, most connections at a time) since the last look."""
        http = HTTPConnection("127.0.0.1", self.port)
        http.request("GET", "/stats")
        told = json.load(http.getresponse())
        http.close()
        self.requests += told["requests"]
        return told["requests"], told["most_open"]


def run(program: Program, samples: int, server: StubServer) -> Cost:
    """Let a program ask `samples` questions; all must have arrived at the server."""
    with tempfile.TemporaryDirectory(dir=BENCH, prefix="work-") as name:
        folder = Path(name)
        data, out, log = folder / "samples.jsonl", folder / "out", folder / "log"
        _write_samples(data, samples)
        out.mkdir()
        server.stats()
        with log.open("wb") as output:
            started = time.perf_counter()
            process = subprocess.Popen(
                [
                    program.python,
                    SCRIPTS / program.script,
                    f"http://127.0.0.1:{server.port}/v1",
                    data,
                    out,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                env={**os.environ, **OFFLINE, "HOME": name},
            )
            cpu, peak = _wait(process)
            wall = time.perf_counter() - started
        asked, connections = server.stats()
        if process.returncode != 0 or asked != samples:
            end = log.read_text("utf-8", "replace")[-2000:]
            raise ProgramFailed(
                f"{program.title}: exit {process.returncode}, {asked} of {samples} asked\n{end}"
            )
    return Cost(cpu, wall, peak, connections)


def _wait(process: subprocess.Popen[bytes], *, close_input: bool = False) -> tuple[float, float]:
    """(CPU seconds, peak MB) of an ended process and the children it waited for.

    Linux counts the memory of the parent at the moment of starting as the child's; this program
    stays far smaller than any contender, so that does not show.
    """
    if close_input and process.stdin is not None:
        process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _write_samples(file: Path, count: int) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            question = QUESTION.format(number=number, days=number % 90 + 1)
            sample = {"id": number, "question": question, "answer": ANSWER}
            lines.write(json.dumps(sample, ensure_ascii=False) + "\n")
