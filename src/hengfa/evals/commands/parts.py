"""`hengfa parts`: what a run needs that is more than one machine does.

Parts of a run, or of what was found in a corpus, are put together; its questions become a file for
`vllm run-batch`, and the output comes back into the run. The lines of such a file are those that
vendors get; the run remembers which question each of them is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from hengfa.base.commands import Registered
from hengfa.base.data.archives import lines_of
from hengfa.base.data.findings import is_findings, merge_findings
from hengfa.base.data.output import whole_file
from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Place,
    accept_option,
    claim,
    cores,
    force_option,
    json_option,
    rules_option,
    runs_option,
    say,
)
from hengfa.base.progress import Notify, quiet
from hengfa.base.workers import Processes
from hengfa.evals.commands import eval as evaluation
from hengfa.evals.commands.eval import print_scores
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
from hengfa.evals.engine.session import run_to_end
from hengfa.evals.engine.vendors import BATCHES, PROVIDERS
from hengfa.evals.runs.ask import Ask
from hengfa.evals.runs.folder import JOURNAL, new_manifest, open_folder, read_manifest, run_folder
from hengfa.evals.runs.look import find_run
from hengfa.evals.runs.merge import merge
from hengfa.evals.runs.score import rule_sets, score_run
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT
from hengfa.law.commands.corpus import show_summary


@click.group(cls=Registered)
def command() -> None:
    """A run in parts, on several machines or on one without network (docs/scale.md).

    \b
    Example:
      hengfa eval lawbench --model kimi:kimi-k2 --shard 1/8
      hengfa parts slurm --run kimi --shards 8 -o kimi.sbatch -- eval lawbench --model kimi:kimi-k2
      hengfa parts write lawbench --model vllm:Qwen/Qwen3-8B --max-new-tokens 1024 -o in.jsonl
    """


_MERGE_EPILOG = """\b
Examples:
  hengfa eval lawbench --model floor --data sample --shard 1/2
  hengfa eval lawbench --model floor --data sample --shard 2/2
  hengfa parts merge lawbench-zero_shot-floor-sample-shard-1-of-2 \\
    lawbench-zero_shot-floor-sample-shard-2-of-2 --run lawbench-whole
  hengfa parts merge checked-1 checked-2 checked-3 checked-4 -o checked
"""


@click.command("merge", epilog=_MERGE_EPILOG)
@click.argument("names", metavar="PART...", nargs=-1, required=True)
@click.option("--run", "name", help="Name of the folder below --runs to make.")
@click.option(
    "-o",
    "--out",
    type=Place(file_okay=False),
    metavar="DIR",
    help="The parts are findings of a corpus: the folder to make.",
)
@force_option("Replace the folder of findings, beside files of others.")
@click.option("--partial", is_flag=True, help="Merge although some parts are not there.")
@rules_option
@runs_option
@json_option
def merge_(
    names: tuple[str, ...],
    name: str | None,
    out: Path | None,
    force: bool,
    partial: bool,
    rules: str,
    runs: Path,
    as_json: bool,
) -> None:
    """Put the parts of a run, or of the findings of a corpus, together.

    Parts are runs that were made with `hengfa eval --shard I/N` or `hengfa grade run --shard I/N`;
    runs of different tasks of a suite go together too. Suite, setting, prompts, model, options and
    data must be the same in all of them, and a grader must have been asked alike: anything else is
    refused, and nothing is written. Where two parts have the same question, an answer is taken
    before a failure. The parts stay as they are; the whole is scored as the first of them was.

    With -o parts are folders of findings that were made with `--shard I/N` by a command that goes
    through corpora; the whole is the same, byte for byte, as if there had been no parts.
    """
    if out is not None and name is None:
        if partial:
            raise UsageError("--partial is for runs: findings of a corpus are whole or nothing")
        summary = merge_findings([Path(part) for part in names], out, force=force)
        show_summary(summary, out, as_json=as_json)
        return
    if name is None or out is not None or force:
        raise UsageError("say what to make: --run NAME of a run, or -o DIR of findings of a corpus")
    if is_findings(Path(names[0])):
        raise UsageError(f"{names[0]} holds findings of a corpus: -o DIR in the place of --run")
    run = merge(*names, name=name, partial=partial, rules=rules, runs=runs, notify=say)
    print_scores(run.scores.outcomes, as_json=as_json)
    say(f"run folder: {run.folder}")


_WHAT_IS_ASKED = frozenset(
    {"target", "model", "limit", "ids", "repeats", "shard", "setting", "options"}
    | {"data", "runs", "name", "fresh", "temperature", "top_p", "seed", "max_new_tokens"}
    | {"max_input_tokens", "extra", "prompts", "stop"}
)


@click.command("write")
@click.option("-o", "--output", type=Place(dir_okay=False), required=True, help="The file.")
@force_option("Replace the file if it exists.")
def write_(output: Path, force: bool, **asked: Any) -> None:
    """Write what a run has no answers to yet, and make the run that `read` continues.

    Options mean what they mean for `hengfa eval`. An agent cannot be asked so: it needs answers
    before it asks on.

    \b
    Example:
      hengfa parts write lawbench --model vllm:Qwen/Qwen3-8B --run offline -o in.jsonl
    """
    claim(output, force=force)
    folder, lines = write_batch(Ask(**asked), output)
    say(f"{counted(lines, 'question')} in {output}; then: hengfa parts read {folder} OUTPUT.jsonl")


write_.params += [
    option
    for option in evaluation.command.params
    if option.name in _WHAT_IS_ASKED or not option.expose_value  # --shots sets the setting
]


@click.command("read")
@click.argument("run")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=Place(exists=True, dir_okay=False)
)
@rules_option
@accept_option
@runs_option
@json_option
def read_(
    run: str, files: tuple[Path, ...], rules: str, accept_truncated: bool, runs: Path, as_json: bool
) -> None:
    """Take the output of `vllm run-batch` into the run that the questions were written for.

    It is scored as `hengfa eval` does. What failed, and what the files lack, is written by the next
    `hengfa parts write`. Reading a file twice changes nothing.

    \b
    Example:
      hengfa parts read offline out.jsonl
    """
    folder = find_run(run, runs)
    read_batch(folder, files, say)
    accept = ANSWERS_AND_CUT if accept_truncated else ANSWERS
    outcomes = score_run(
        folder, rule_sets(rules), accept=accept, executor=Processes(cores()), notify=say
    )
    print_scores(outcomes, as_json=as_json)


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
    open_folder(folder, manifest, plan, fresh=bool(ask.fresh))
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
        unanswered = (asked[id_][1] for id_ in asked.keys() - answers.outcomes.keys())
        if missing := sum(_open(journal, line) for line in unanswered):
            notify(f"without an answer in these files: {counted(missing, 'question')}")

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
