"""Sittings of a run in processes that can be killed; a script for `test_kill.py`.

Reads one line per command. `start {json}` forks a process that goes on with the run and prints its
number; `wait` waits for that process and prints how it ended. Forking spares each sitting the
seconds that Python's imports take: what is killed is the process that asks and writes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from hengfa.engine.endpoint import Endpoint
from hengfa.engine.journal import Journal
from hengfa.engine.messages import Message, Request
from hengfa.engine.session import Session
from hengfa.engine.tally import Tally
from hengfa.engine.vendors import PROVIDERS


async def sitting(url: str, folder: str, samples: int, lanes: int) -> None:
    """Ask what is open; write down each key once `ask` has returned."""
    returned = os.open(Path(folder) / "returned", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    model = Endpoint("test:m", model="m", base_url=url, provider=PROVIDERS["endpoint"])
    with Journal(Path(folder) / "journal.jsonl") as journal:
        session = Session(model, journal, Tally(samples), lanes=lanes)

        async def one(number: int) -> None:
            key = f"kill/{number}"
            await session.ask(Request(key, (Message("user", key),)))
            os.write(returned, f"{key}\n".encode())

        await session.for_each(range(samples), one)
    await model.close()


def start(settings: dict[str, Any]) -> int:
    process = os.fork()
    if process == 0:
        try:
            asyncio.run(sitting(**settings))
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
