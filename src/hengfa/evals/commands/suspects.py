"""`hengfa results suspects`: hints for a review of contamination."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import Place, Whole, json_option, print_json, say, setting_option

_EPILOG = """\b
Examples:
  hengfa results suspects runs/
  hengfa results suspects runs/lawbench-zero_shot-a runs/lawbench-zero_shot-b --alone
  hengfa results suspects --published lawbench --shots 0
"""


@click.command("suspects", epilog=_EPILOG)
@click.argument("runs", nargs=-1, type=Place(exists=True, file_okay=False))
@click.option(
    "--published", metavar="SUITE", help="Look at the models of a suite's paper instead of runs."
)
@click.option("--alone", is_flag=True, help="Compare runs with each other only, not with papers.")
@click.option(
    "--top",
    type=Whole(min=0),
    default=5,
    help="How many that are not flagged to show too, in each part.",
)
@setting_option
@json_option
def command(
    runs: tuple[Path, ...],
    published: str | None,
    alone: bool,
    top: int,
    setting: str | None,
    as_json: bool,
) -> None:
    """Hints for a review of contamination; never a verdict.

    Scores far above what a model's other tasks predict, answers that repeat the reference beyond
    what the prompt holds, and models that give the same long answers. RUNS are run folders, or
    folders that hold some. Each hint may have a harmless reason: docs/report.md.
    """
    # numpy and polars are for those who ask
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.runs.suspicion import published_hints, run_hints  # noqa: PLC0415

    if bool(runs) == bool(published):
        raise UsageError("name run folders, or a suite with --published")
    if published is not None:
        all_hints = published_hints(published, setting)
    else:
        with counting("reading responses"):
            all_hints = run_hints(runs, with_published=not alone, notify=say)
        all_hints = [hints for hints in all_hints if setting in (None, hints.setting)]
    if as_json:
        print_json([hints.as_json() for hints in all_hints])
        return
    from hengfa.evals.report.terminal.suspicion import print_hints  # noqa: PLC0415 - not for JSON

    print_hints(all_hints, top)
