"""Sittings in processes that can be killed: a script, which `processes.Sittings` talks to.

Its argument is what a sitting does, by the name of a function below. It reads one line per command:
`start {json}` forks a process that goes on with the run and prints its number; `wait` waits for
that process and prints how it ended. Forking spares each sitting the seconds that Python's imports
take: what is killed is the process that asks and writes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hengfa.evals.engine.batches import BatchModel, Pauses
from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Model, Request
from hengfa.evals.engine.session import RetryPolicy, Session, Tally
from hengfa.evals.engine.vendors import BATCHES, PROVIDERS
from hengfa.evals.runs.ask import grader
from hengfa.evals.runs.evaluate import evaluate

QUICK = Pauses(0.005, 0.005, 0.01, 0.002, 30, 0.03, 2)


async def _ask(
    url: str, folder: str, samples: int, lanes: int, batch: str = "", lines: int = 0
) -> None:
    """Ask what is open; write down each key once `ask` has returned.

    By batch, at the vendor of this name, each sample has two turns.
    """
    returned = os.open(Path(folder) / "returned", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    provider = PROVIDERS[batch or "endpoint"]
    endpoint = Endpoint("test:m", model="m", base_url=url, provider=provider)
    model: Model = endpoint
    with Journal(Path(folder) / "journal.jsonl") as journal:
        if batch:
            form = msgspec.structs.replace(BATCHES[batch], lines=lines)
            model = BatchModel(endpoint, form, pauses=QUICK)
            model.open(journal.path)
        retry = RetryPolicy(6, 0.001, 0.01) if batch else None
        session = Session(model, journal, Tally(samples), lanes=lanes, retry=retry)

        async def one(number: int) -> None:
            key = f"kill/{number}"
            said = await session.ask(Request(key, (Message("user", key),)))
            if batch:
                await session.ask(Request(f"{key}#2", (Message("user", said.text),)))
            os.write(returned, f"{key}\n".encode())

        try:
            await session.for_each(range(samples), one)
        finally:
            await model.close()


def asking(**settings: Any) -> None:
    """Questions of no suite, straight into a journal."""
    asyncio.run(_ask(**settings))


def grading(url: str, runs: str) -> None:
    """A run with repeats and two graders."""
    evaluate(
        "plawbench", "endpoint:m", data="sample", runs=runs, name="run",
        base_url=url, repeats=5, seed=1, temperature=1.0, lanes=4,
        graders=[grader(f"endpoint:{name}", base_url=url, lanes=4) for name in ("a", "b")],
    )  # fmt: skip


def start(sitting: Callable[..., None], settings: dict[str, object]) -> int:
    process = os.fork()
    if process == 0:
        try:
            sitting(**settings)
        except BaseException as error:  # noqa: BLE001 - the forked process ends here, in any case
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    return process


def main(sitting: Callable[..., None]) -> None:
    process = 0
    for line in sys.stdin:
        command, _, rest = line.partition(" ")
        if command == "start":
            process = start(sitting, json.loads(rest))
            answer = process
        else:
            answer = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sittings: dict[str, Callable[..., None]] = {"asking": asking, "grading": grading}
    main(sittings[sys.argv[1]])
