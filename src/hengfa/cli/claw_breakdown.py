"""`hengfa claw breakdown`: the scores of a run of CLaw taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hengfa.cli.options import json_option, print_json, runs_option
from hengfa.errors import UsageError
from hengfa.suites.base import Rules

if TYPE_CHECKING:
    from hengfa.suites.claw.breakdown import Breakdown

MANY = 20
"""A table shows no more laws than this: the best and the worst. All are in the JSON."""


@click.command("breakdown")
@click.argument("run")
@click.option("--task", default="id", show_default=True, help="Which of the tasks: id or content.")
@click.option("--metric", metavar="NAME", help="Which metric the table shows.  [default: its main]")
@click.option(
    "--rules",
    type=click.Choice([str(rules) for rules in Rules]),
    default=str(Rules.OFFICIAL),
    show_default=True,
    help="By which rules to score.",
)
@click.option(
    "--bertscore",
    metavar="DIR",
    default="",
    help="Add BERTScore by the model in this folder (content; extra: bertscore).",
)
@runs_option
@json_option
def breakdown_(
    run: str, task: str, metric: str | None, rules: str, bertscore: str, runs: Path, as_json: bool
) -> None:
    """Scores of a run by law, by level, by age of the version, and by what was in force.

    Means are by entry, as in the paper, and by statute; with --json all metrics of all groups.

    \b
    Example:
      hengfa claw breakdown claw-all-floor-sample --task content --metric rouge_l_char
      hengfa claw breakdown claw-all-floor-sample --json
    """
    # Scoring is for those who ask for it.
    from hengfa.runs.cells import score_task  # noqa: PLC0415
    from hengfa.runs.folder import read_manifest  # noqa: PLC0415
    from hengfa.runs.look import find_run  # noqa: PLC0415
    from hengfa.runs.outcome import accepted  # noqa: PLC0415
    from hengfa.runs.score import answered_by_task  # noqa: PLC0415
    from hengfa.suites.claw.breakdown import breakdown  # noqa: PLC0415
    from hengfa.suites.claw.dataset import ClawSample  # noqa: PLC0415

    folder = find_run(run, runs)
    manifest = read_manifest(folder)
    if manifest.suite != "claw":
        raise UsageError(f"{run} is a run of {manifest.suite}, not of claw")
    suite, answered = answered_by_task(folder, manifest)
    pairs: list[tuple[Any, Any]] = list(answered.get(task, ()))
    if not pairs or not isinstance(pairs[0][0], ClawSample):
        raise UsageError(f"{run} has no provisions for {task!r}; there is: {', '.join(answered)}")
    if bertscore:
        model = suite.choose({"bertscore": bertscore})["bertscore"]
        pairs = [(msgspec.structs.replace(one, bertscore=model), said) for one, said in pairs]
    rule_set = suite.tasks[task].rule_set(Rules(rules))
    _, scored = score_task(suite.tasks[task], rule_set, pairs, accepted(folder))
    taken_apart = breakdown(scored)
    if as_json:
        print_json({"run": folder.name, "task": task, "rules": rules, "breakdown": taken_apart})
        return
    shown = metric or suite.tasks[task].metric
    if shown not in taken_apart.by_entry:
        raise UsageError(f"--metric: there is {', '.join(taken_apart.by_entry)}")
    _print(taken_apart, f"{folder.name}, {task}, {shown}, {rules} rules", shown)


def _print(taken_apart: Breakdown, title: str, metric: str) -> None:
    from rich.table import Table  # noqa: PLC0415 - not for JSON

    from hengfa.report.terminal.console import plain_console  # noqa: PLC0415

    table = Table(title=title, title_justify="left")
    table.add_column("group", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column(metric, justify="right")
    table.add_row("by entry", str(taken_apart.n), _show(taken_apart.by_entry.get(metric)))
    laws = taken_apart.groups["law"]
    table.add_row("by statute", str(len(laws)), _show(taken_apart.by_statute.get(metric)))
    answered = taken_apart.answered
    table.add_row("answered only", str(answered.n), _show(answered.metrics.get(metric)))
    for name, group in taken_apart.groups.items():
        table.add_section()
        rows = list(group.items())
        if len(rows) > MANY:
            rows.sort(key=lambda row: row[1].metrics.get(metric, -1.0), reverse=True)
            rows = [*rows[: MANY // 2], *rows[-MANY // 2 :]]
        for key, means in rows:
            shown = key if name == "law" else f"{name}: {key}"
            table.add_row(shown, str(means.n), _show(means.metrics.get(metric)))
    plain_console().print(table)


def _show(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
