"""`hengfa merge`: parts of a run that several machines asked, put together."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import json_option, print_json, rules_option, runs_option, say
from hengfa.runs.score import outcomes_json

_EPILOG = """\b
Examples:
  hengfa eval lawbench --model floor --data sample --shard 1/2
  hengfa eval lawbench --model floor --data sample --shard 2/2
  hengfa merge lawbench-zero_shot-floor-sample-shard-1-of-2 \\
    lawbench-zero_shot-floor-sample-shard-2-of-2 --run lawbench-whole
"""


@click.command("merge", epilog=_EPILOG)
@click.argument("names", metavar="PART...", nargs=-1, required=True)
@click.option("--run", "name", required=True, help="Name of the folder below --runs to make.")
@click.option("--partial", is_flag=True, help="Merge although some parts are not there.")
@rules_option
@runs_option
@json_option
def command(
    names: tuple[str, ...], name: str, partial: bool, rules: str, runs: Path, as_json: bool
) -> None:
    """Put the parts of a run together, with what graders said of them, and score the whole.

    Parts are runs that were made with `hengfa eval --shard I/N` or `hengfa grade run --shard I/N`;
    runs of different tasks of a suite go together too. Suite, setting, prompts, model, options and
    data must be the same in all of them, and a grader must have been asked alike: anything else is
    refused, and nothing is written. Where two parts have the same question, an answer is taken
    before a failure. The parts stay as they are; the whole is scored as the first of them was.
    """
    from hengfa.api.runs import merge  # noqa: PLC0415 - not for --help

    run = merge(*names, name=name, partial=partial, rules=rules, runs=runs, notify=say)
    outcomes = run.scores.outcomes
    if as_json:
        print_json(outcomes_json(outcomes[0].suite, outcomes))
    else:
        from hengfa.report.terminal.outcomes import print_outcomes  # noqa: PLC0415 - not for JSON

        print_outcomes(outcomes)
    say(f"run folder: {run.folder}")
