"""`hengfa parts merge`: parts of a run, or of what was found in a corpus, put together."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import (
    Place,
    force_option,
    json_option,
    rules_option,
    runs_option,
    say,
)
from hengfa.evals.commands.eval import print_scores
from hengfa.law.commands.corpus import show_summary

_EPILOG = """\b
Examples:
  hengfa eval lawbench --model floor --data sample --shard 1/2
  hengfa eval lawbench --model floor --data sample --shard 2/2
  hengfa parts merge lawbench-zero_shot-floor-sample-shard-1-of-2 \\
    lawbench-zero_shot-floor-sample-shard-2-of-2 --run lawbench-whole
  hengfa parts merge checked-1 checked-2 checked-3 checked-4 -o checked
"""


@click.command("merge", epilog=_EPILOG)
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
def command(
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
    from hengfa.base.data.findings import is_findings, merge_findings  # noqa: PLC0415
    from hengfa.evals.runs.merge import merge  # noqa: PLC0415 - not for --help

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
