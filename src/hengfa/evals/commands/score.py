"""`hengfa score`: score saved predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import (
    Place,
    accept_option,
    data_option,
    ids_option,
    json_option,
    rules_option,
    say,
    set_option,
    setting_option,
    workers_option,
)
from hengfa.base.shards import parse_shard
from hengfa.evals.commands.eval import print_scores
from hengfa.evals.runs.predictions import score

_EPILOG = """\b
Predictions may be:
  a run folder of ours                        runs/lawbench-zero_shot-floor
  folders in the benchmark's own layout       predictions/zero_shot/GPT4, or any folder above
  OpenCompass output folders                  outputs/default/20250101_120000
  JSON lines of {task, id, prediction}        answers.jsonl
  records of `hengfa mcp` or `world serve`    records/my-agent

\b
Examples:
  hengfa score lawbench runs/lawbench-zero_shot-floor-sample --rules both
  hengfa score lawbench predictions/ --json > scores.json
  hengfa score lawbench/3-1,3-3 predictions/
"""


@click.command("score", epilog=_EPILOG)
@click.argument("target", metavar="SUITE[/TASK,…]")
@click.argument(
    "places", metavar="PREDICTIONS...", nargs=-1, required=True, type=Place(exists=True)
)
@rules_option
@setting_option
@set_option
@data_option
@accept_option
@ids_option
@click.option("--partial", is_flag=True, help="Score predictions that lack some samples of a task.")
@click.option(
    "--out",
    type=Place(file_okay=False),
    help="Write records of other tools' predictions below this folder (runs keep their own).",
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Score only every Nth of PREDICTIONS, from the Ith on: the same command on N machines "
    "scores all of them. Each is scored in its own folder, so there is nothing to merge.",
)
@workers_option
@json_option
def command(
    target: str, places: tuple[Path, ...], shard: str | None, as_json: bool, **given: Any
) -> None:
    """Score saved predictions with a suite's rules; nothing is asked."""
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - keeps --help quick

    if shard is not None:
        part, named = parse_shard(shard), len(places)
        # which are of a part does not depend on the order in which they are named
        places = tuple(sorted(dict.fromkeys(places)))[part.number - 1 :: part.of]
        if not places:
            raise UsageError(f"--shard {part}: there are only {named} PREDICTIONS")
    with counting("scored") as watch:
        scores = score(target, places, **given, progress=watch, notify=say)
    print_scores(scores.outcomes, as_json=as_json)
