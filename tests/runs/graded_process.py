"""Graded runs in processes that can be killed; a script for `test_repeats.py`.

Reads one line per command, as `tests/engine/sitting_process.py` does: `start {json}` forks a
process that goes on with the run and prints its number, `wait` waits until it has ended and prints
how.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from hengfa.api.runs import evaluate, grader


def start(settings: dict[str, Any]) -> int:
    process = os.fork()
    if process == 0:
        try:
            url = settings["url"]
            evaluate(
                "plawbench", "endpoint:m", data="sample", runs=settings["runs"], name="run",
                base_url=url, repeats=5, seed=1, temperature=1.0, lanes=4,
                graders=[grader(f"endpoint:{name}", base_url=url, lanes=4) for name in ("a", "b")],
            )  # fmt: skip
        except BaseException as error:  # noqa: BLE001 - the forked process ends here, in any case
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    return process


def main() -> None:
    process = 0
    for line in sys.stdin:
        command, _, rest = line.partition(" ")
        if command == "start":
            process = start(json.loads(rest))
            answer = process
        else:
            answer = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
