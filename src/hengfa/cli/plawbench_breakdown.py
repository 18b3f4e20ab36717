"""`hengfa plawbench breakdown`: the scores of a run of PLawBench taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.cli.options import json_option, print_json, runs_option
from hengfa.errors import UsageError
from hengfa.suites.base import Rules

if TYPE_CHECKING:
    from rich.table import Table

    from hengfa.suites.plawbench.breakdown import Breakdown


@click.command("breakdown")
@click.argument("run")
@click.option("--task", help="Only this task: consultation, case, plaintiff or defendant.")
@click.option(
    "--rules",
    type=click.Choice([str(rules) for rules in Rules]),
    default=str(Rules.OFFICIAL),
    show_default=True,
    help="By which rules to score.",
)
@runs_option
@json_option
def breakdown_(run: str, task: str | None, rules: str, runs: Path, as_json: bool) -> None:
    """Rates of a graded run by scenario, by order of reasoning and by dimension.

    Below them stands what became of the items: the share that earned everything, something or
    nothing, that has no evidence, that stands out of order, and that no grader judged.

    \b
    Example:
      hengfa plawbench breakdown plawbench-all-floor-sample
      hengfa plawbench breakdown plawbench-all-floor-sample --task case --json
    """
    # Scoring is for those who ask for it.
    from hengfa.runs.cells import score_task  # noqa: PLC0415
    from hengfa.runs.folder import (
        accepted,
        read_manifest,
    )
    from hengfa.runs.look import find_run  # noqa: PLC0415
    from hengfa.runs.score import open_journal  # noqa: PLC0415
    from hengfa.suites.plawbench.breakdown import breakdown  # noqa: PLC0415
    from hengfa.suites.registry import get_suite  # noqa: PLC0415

    folder = find_run(run, runs)
    manifest = read_manifest(folder)
    if manifest.suite != "plawbench":
        raise UsageError(f"{run} is a run of {manifest.suite}, not of plawbench")
    suite, saved = get_suite(manifest.suite), open_journal(folder)
    answered = saved.tasks()
    if task is not None and task not in answered:
        raise UsageError(f"--task: {run} has no {task!r}; there is: {', '.join(answered)}")
    breakdowns: dict[str, Breakdown] = {}
    for id_ in answered if task is None else [task]:
        rule_set = suite.tasks[id_].rule_set(Rules(rules))
        _, scored = score_task(suite.tasks[id_], rule_set, saved.attempts(id_), accepted(folder))
        breakdowns[id_] = breakdown(id_, scored)
    if as_json:
        print_json({"run": folder.name, "rules": rules, "tasks": breakdowns})
        return
    for id_, task_breakdown in breakdowns.items():
        _print(task_breakdown, f"{folder.name}, {id_}, {rules} rules")


def _print(breakdown: Breakdown, title: str) -> None:
    from hengfa.report.terminal.console import plain_console  # noqa: PLC0415 - not for JSON

    console = plain_console()
    console.print(_rates(breakdown, title))
    console.print(_profile(breakdown))


def _rates(breakdown: Breakdown, title: str) -> Table:
    """Rates in per cent; those of the band and of evidence only where they differ."""
    groups = [("all", breakdown.whole)]
    groups += [
        (key if name == "label" else f"{name}: {key}", rates)
        for name, group in breakdown.groups.items()
        for key, rates in group.items()
    ]
    columns = {"rate": [rates.rate for _, rates in groups]}
    for heading, values in (
        ("lenient", [rates.lenient for _, rates in groups]),
        ("backed", [rates.backed for _, rates in groups]),
    ):
        if values != columns["rate"]:
            columns[heading] = values
    for name in breakdown.profile if len(breakdown.profile) > 1 else ():
        columns[name] = [rates.dimensions.get(name) for _, rates in groups]
    table = _table(f"{title}, {breakdown.graded} of {breakdown.n} graded", "n", *columns)
    for row, (name, rates) in enumerate(groups):
        shown = (_show(values[row]) for values in columns.values())
        table.add_row(name, str(rates.n), *shown, end_section=row == 0)
    for name, value in _of_order(breakdown):
        cells = (_show(value) if heading == "reasoning" else "" for heading in columns)
        table.add_row(name, "", *cells)
    return table


def _of_order(breakdown: Breakdown) -> list[tuple[str, float | None]]:
    """What order makes of reasoning: free questions less bound ones, and its cost on the bound."""
    if breakdown.order is None:
        return []
    return [
        ("free less bound", breakdown.order.drop),
        ("with steps", breakdown.order.drop_with_steps),
        ("cost of order", breakdown.order.cost),
    ]


def _profile(breakdown: Breakdown) -> Table:
    table = _table("What became of the items", *breakdown.profile)
    for fate in next(iter(breakdown.profile.values())):
        shares = (_show(breakdown.profile[name][fate]) for name in breakdown.profile)
        table.add_row(fate.replace("_", " "), *shares)
    return table


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table  # noqa: PLC0415 - not for JSON

    table = Table(title=title, title_justify="left")
    table.add_column("", overflow="fold")
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _show(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"
