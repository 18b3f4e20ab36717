"""Runs code in a process of its own and measures how much memory it took, its children included."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import REPOSITORY

_MEASURE = """
import pathlib, re, resource
status = pathlib.Path("/proc/self/status")  # getrusage counts what was before exec
own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if status.exists():
    own = int(re.search("VmHWM: *([0-9]+)", status.read_text().replace(chr(9), " "))[1])
print((own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) // 1024)
"""


def told_within(code: str, megabytes: int = 1024) -> str:
    """What a DataError in the code says, if memory stayed below; anything else fails the test."""
    guarded = "".join(f"    {line}\n" for line in code.splitlines())
    program = (
        "from hengfa.base.errors import DataError\nif __name__ == '__main__':\n"
        f"  try:\n{guarded}    print('no error')\n  except DataError as error:\n    print(error)\n"
        + "".join(f"  {line}\n" for line in _MEASURE.splitlines())
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *told, peak = done.stdout.splitlines()
    assert int(peak) < megabytes, f"{peak} MB"
    return "\n".join(told)
