"""`hengfa parts`: questions as a file for a machine without network, and its answers back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hengfa.base.errors import counted
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
from hengfa.base.workers import Processes
from hengfa.evals.commands import eval as evaluation
from hengfa.evals.commands.eval import print_scores
from hengfa.evals.runs.ask import Ask
from hengfa.evals.runs.look import find_run
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT

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
    from hengfa.evals.runs.batch_files import write_batch  # noqa: PLC0415 - not for --help

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
    from hengfa.evals.runs.batch_files import read_batch  # noqa: PLC0415 - not for --help
    from hengfa.evals.runs.score import rule_sets, score_run  # noqa: PLC0415

    folder = find_run(run, runs)
    read_batch(folder, files, say)
    accept = ANSWERS_AND_CUT if accept_truncated else ANSWERS
    outcomes = score_run(
        folder, rule_sets(rules), accept=accept, executor=Processes(cores()), notify=say
    )
    print_scores(outcomes, as_json=as_json)
