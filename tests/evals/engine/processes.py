"""Python in a process of its own: for locks, limits, kills and imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

SOURCE = Path(__file__).resolve().parents[3] / "src"


def environment() -> dict[str, str]:
    """This environment, with Hengfa found wherever the tests find it."""
    paths = [str(SOURCE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def run_python(script: str, *arguments: object, timeout: float = 120.0) -> str:
    """What the script prints; its complaint if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Sittings:
    """A process that starts sittings, one after the other, and waits for their end."""

    def __init__(self, kind: Literal["asking", "grading"]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("sitting_process.py")), kind],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, **settings: object) -> int:
        """Begin a sitting, in a process of this number."""
        return self._tell(f"start {json.dumps(settings)}")

    def wait(self) -> int:
        """How the sitting ended: 0, or less by which signal."""
        return self._tell("wait")

    def close(self) -> None:
        self._process.communicate()

    def _tell(self, command: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def alive(process: int) -> bool:
    """Whether a process is at work, not ended and waited for."""
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"
