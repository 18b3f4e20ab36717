"""Python in a process of its own: for locks, limits, kills and imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


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
