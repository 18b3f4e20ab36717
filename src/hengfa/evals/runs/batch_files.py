"""The questions of a run as a file for `vllm run-batch`, and the output back into the run.

They are the lines that vendors get; the run remembers which question each of them is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from hengfa.base.data.archives import lines_of
from hengfa.base.data.output import whole_file
from hengfa.base.errors import UsageError, counted
from hengfa.evals.engine.batches import (
    LEDGER,
    Answers,
    Ledger,
    Line,
    Step,
    line_id,
    refuse_waiting,
    write_line,
)
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.engine.replies import read_any
from hengfa.evals.engine.vendors import BATCHES, PROVIDERS
from hengfa.evals.runs.ask import Ask
from hengfa.evals.runs.folder import (
    JOURNAL,
    keep_prompts,
    new_manifest,
    open_folder,
    read_manifest,
    run_folder,
)
from hengfa.evals.runs.sitting import Notify, quiet, run_to_end

_ADDRESS = "a file"


def write_batch(ask: Ask, file: Path) -> tuple[Path, int]:
    """Write what the journal of the run does not answer; the run's folder, and how many lines."""
    from hengfa.evals.engine.endpoint import request_body  # noqa: PLC0415 - not for `parts read`

    plan = ask.part(ask.plan())
    options, private = ask.wording()
    if private:
        raise UsageError("--extra holds a key or password, which is not written into files")
    model = str(ask.model)
    kind, _, weights = model.partition(":")
    if kind not in PROVIDERS:
        raise UsageError(f"--model {model}: lines are for a server, such as vllm:Qwen/Qwen3-8B")
    if agents := [asked.task.id for asked in plan.questions if asked.task.solver is not None]:
        raise UsageError(f"{', '.join(agents)}: an agent needs answers before it asks on")
    folder = run_folder(plan, model, Path(ask.runs), ask.name)
    manifest = new_manifest(plan, model, _ADDRESS, options)
    open_folder(folder, manifest, plan.suite, fresh=bool(ask.fresh))
    if plan.prompts is not None:
        keep_prompts(folder, plan.prompts)
    requests: dict[str, tuple[str, str]] = {}
    with Journal(folder / JOURNAL) as journal, whole_file(file) as stream:
        refuse_waiting(journal.path)
        for request in plan.requests(options):
            if journal.find(request, request.prompt_hash()) is None:
                body = request_body(weights, request, PROVIDERS[kind])
                key, prompt_hash, content = write_line(request, body, BATCHES["endpoint"].url)
                journal.sent.keep(request, prompt_hash)
                requests[line_id(key, prompt_hash)] = key, prompt_hash
                stream.write(content)
        ledger = Ledger(folder / LEDGER)
        ledger.note(Step(secrets.token_hex(8), "written", file=file.name, requests=requests))
        ledger.close()
    return folder, len(requests)


def read_batch(folder: Path, files: Sequence[Path], notify: Notify = quiet) -> int:
    """Take output files into the journal of their run; how many answers were new."""
    manifest = read_manifest(folder)
    if not (folder / LEDGER).is_file():
        raise UsageError(f"{folder}: no questions were written for it; see hengfa parts write")
    provider = PROVIDERS.get(manifest.model.partition(":")[0])
    with Journal(folder / JOURNAL) as journal:
        ledger = Ledger(folder / LEDGER)
        ledger.close()
        asked = {
            id_: (batch.name, Line(*line))
            for batch in ledger.batches.values()
            if "written" in batch.steps
            for id_, line in batch.requests.items()
        }
        throttling = provider.throttling if provider else frozenset[str]()
        answers = Answers(asked, partial(read_any, throttling=throttling))
        for file in files:
            for _, line in lines_of(file):
                answers.add(line)
        if not answers.outcomes:
            raise UsageError(f"no line of these files is an answer to a question of {folder}")
        if answers.torn:
            notify(f"passed over, no output of a batch: {counted(answers.torn, 'line')}")
        missing = [
            line
            for id_, (_, line) in asked.items()
            if id_ not in answers.outcomes and _open(journal, line)
        ]
        if missing:
            notify(f"without an answer in these files: {counted(len(missing), 'question')}")

        async def keep(id_: str) -> None:
            batch, line = asked[id_]
            outcome = answers.outcomes[id_]
            if not isinstance(outcome, Response):
                outcome = Response(Status.FAILED, reason=outcome.reason)
            request = Request(line.key, (), manifest.options)
            response = replace(outcome, batch=batch).whole()
            await journal.append(request, line.prompt_hash, manifest.model, response)

        async def keep_all() -> int:
            new = [id_ for id_ in answers.outcomes if _open(journal, asked[id_][1])]
            await asyncio.gather(*map(keep, new))
            return len(new)

        return run_to_end(keep_all())


def _open(journal: Journal, line: Line) -> bool:
    """Whether the journal has no answer to the question of a line."""
    return journal.find(Request(line.key, ()), line.prompt_hash) is None
