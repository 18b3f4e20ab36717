"""`hengfa plawbench`: what goes with the PLawBench suite besides asking and scoring."""

from __future__ import annotations

import click

from hengfa.cli.options import data_option, json_option, print_json
from hengfa.cli.plawbench_breakdown import breakdown_


@click.group()
def command() -> None:
    """Look into PLawBench: its rubrics, and the scores of a run.

    Questions are asked with `hengfa eval plawbench`, and graded answers scored with
    `hengfa score plawbench`.

    \b
    Example:
      hengfa plawbench lint --data sample
    """


command.add_command(breakdown_)


@command.command("lint")
@click.option("--all", "everything", is_flag=True, help="Also the rubrics without a defect.")
@data_option
@json_option
def lint_(everything: bool, data: str | None, as_json: bool) -> None:
    """Say what is wrong with the released rubrics, and how they are read.

    All rubrics are parsed: totals that do not add up, items without points, contradictory rules of
    order, questions that are there twice. Each defect has the reading that grading takes. Rows of
    cases are counted from 0, consultations and documents are named by their id.

    \b
    Example:
      hengfa plawbench lint
      hengfa plawbench lint --data sample --all
      hengfa plawbench lint --json > defects.json
    """
    # tables are imported by those who need them
    from hengfa.report.terminal.grading import lint_document, print_lint  # noqa: PLC0415
    from hengfa.suites.plawbench.lint import data_root, lint  # noqa: PLC0415

    linted = lint(data_root(data))
    if as_json:
        print_json(lint_document(linted, everything=everything))
    else:
        print_lint(linted, everything=everything)
