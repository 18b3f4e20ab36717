"""`hengfa score`: score saved predictions."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import (
    accept_option,
    chosen_rules,
    cores,
    data_option,
    json_option,
    print_json,
    rules_option,
    say,
    set_option,
    setting_option,
)
from hengfa.errors import UsageError
from hengfa.runs.folder import MANIFEST, read_manifest
from hengfa.runs.score import Outcome, outcomes_json, score_files, score_run
from hengfa.suites.plan import parse_target
from hengfa.suites.scoring import ANSWERS, ANSWERS_AND_CUT

_EPILOG = """\b
Predictions may be:
  a run folder of ours                        runs/lawbench-zero_shot-floor
  folders in the benchmark's own layout       predictions/zero_shot/GPT4, or any folder above
  OpenCompass output folders                  outputs/default/20250101_120000
  JSON lines of {task, id, prediction}        answers.jsonl

\b
Examples:
  hengfa score lawbench runs/lawbench-zero_shot-floor-sample --rules both
  hengfa score lawbench predictions/ --json > scores.json
  hengfa score lawbench/3-1,3-3 predictions/
"""


@click.command("score", epilog=_EPILOG)
@click.argument("target", metavar="SUITE[/TASK,…]")
@click.argument(
    "places",
    metavar="PREDICTIONS...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@rules_option
@setting_option
@set_option
@data_option
@accept_option
@click.option("--partial", is_flag=True, help="Score predictions that lack some samples of a task.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write records of other tools' predictions below this folder (runs keep their own).",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="Processes to score with.  [default: one per core]"
)
@json_option
def command(
    target: str,
    places: tuple[Path, ...],
    rules: str,
    setting: str | None,
    suite_options: dict[str, str],
    data: str | None,
    accept_truncated: bool,
    partial: bool,
    out: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Score saved predictions with a suite's rules; nothing is asked."""
    from hengfa.report.terminal.progress import counting  # noqa: PLC0415 - keeps --help quick

    suite, tasks = parse_target(target)
    only = [task.id for task in tasks]
    ours = [place for place in places if (place / MANIFEST).is_file()]
    others = [place for place in places if place not in ours]
    for place in ours:
        if (made_for := read_manifest(place).suite) != suite.name:
            raise UsageError(f"{place} is a run of {made_for}, not of {suite.name}")
    outcomes: list[Outcome] = []
    with counting("scored") as watch:
        for place in ours:
            outcomes += score_run(
                place,
                chosen_rules(rules),
                tasks=only,
                accept=ANSWERS_AND_CUT if accept_truncated else ANSWERS,
                options=suite_options,
                jobs=jobs or cores(),
                watch=watch,
                notify=say,
            )
        if others:
            outcomes += score_files(
                suite, others, chosen_rules(rules), tasks=only, data=data, setting=setting,
                options=suite_options, partial=partial,
                out=out, jobs=jobs or cores(), watch=watch, notify=say,
            )  # fmt: skip
    if as_json:
        print_json(outcomes_json(suite, outcomes))
        return
    from hengfa.report.terminal.outcomes import print_outcomes  # noqa: PLC0415 - not needed for --json

    print_outcomes(outcomes)
