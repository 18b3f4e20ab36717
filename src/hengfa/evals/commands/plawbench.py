"""`hengfa suite plawbench`: what goes with the PLawBench suite besides asking and scoring."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import data_option, json_option, print_json, rule_set_option, runs_option
from hengfa.evals.suites.base import Rules


@click.group()
def command() -> None:
    """Look into PLawBench: its rubrics, and the scores of a run.

    Questions are asked with `hengfa eval plawbench`, and graded answers scored with
    `hengfa score plawbench`.

    \b
    Example:
      hengfa suite plawbench lint --data sample
    """


@command.command("breakdown")
@click.argument("run", metavar="RUN[@GRADER]")
@click.option("--task", help="Only this task: consultation, case, plaintiff or defendant.")
@rule_set_option
@runs_option
@json_option
def breakdown_(run: str, task: str | None, rules: str, runs: Path, as_json: bool) -> None:
    """Say what order costs in a graded run, and what became of the items.

    Reasoning where the rubric binds steps to an order is compared with reasoning where it does not.
    Below stands the share of items that earned everything, something or nothing, that have no
    evidence, that stand out of order or behind a missing step, and that no grader judged. At the
    end stands what each way of marking makes of the same verdicts, with penalties and without, and
    how far that is from the default (paper with penalties). Rates by scenario, by order or by
    matter are in `hengfa results plawbench --run RUN --by FACET`.

    \b
    Example:
      hengfa suite plawbench breakdown plawbench-all-floor-sample
      hengfa suite plawbench breakdown plawbench-all-floor-sample --task case --json
    """
    # tables are imported by those who need them
    from hengfa.evals.results.tables import read_table  # noqa: PLC0415
    from hengfa.evals.runs.folder import read_figures, read_manifest, run_of  # noqa: PLC0415
    from hengfa.evals.runs.look import find_scored  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.breakdown import breakdown, marked_by_ways  # noqa: PLC0415

    folder = find_scored(run, runs)
    manifest = read_manifest(folder)
    if manifest.suite != "plawbench":
        raise UsageError(f"{run} is a run of {manifest.suite}, not of plawbench")
    figures = read_figures(folder).get(Rules(rules))
    if figures is None:
        raise UsageError(
            f"--rules: {run} is not scored by {rules} rules; "
            f"`hengfa score plawbench {run_of(folder)} --rules both` does"
        )
    name = run_of(folder).name
    scored = list(figures.tasks)
    if task is not None and task not in scored:
        raise UsageError(f"--task: {run} has no {task!r}; there is: {', '.join(scored)}")
    shown = scored if task is None else [task]
    tables = {id_: read_table(folder, id_, Rules(rules), facets=True) for id_ in shown}
    if any(not marked_by_ways(table) for table in tables.values()):
        raise UsageError(
            f"{run} was scored before ways of marking had names; "
            f"`hengfa score plawbench {folder} --rules both` scores it anew"
        )
    tasks = {id_: breakdown(id_, table) for id_, table in tables.items()}
    if as_json:
        print_json({"run": name, "grader": figures.grader, "rules": rules, "tasks": tasks})
        return
    # not for JSON
    from hengfa.evals.report.terminal.grading import print_breakdown, print_ways  # noqa: PLC0415

    for id_, of_task in tasks.items():
        print_breakdown(of_task, f"{name}, {figures.grader}, {id_}, {rules} rules")
    print_ways(tasks)


@command.command("lint")
@click.option("--all", "everything", is_flag=True, help="Also the rubrics without a defect.")
@data_option
@json_option
def lint_(everything: bool, data: str | None, as_json: bool) -> None:
    """Say what is wrong with the released rubrics, and how they are read.

    All rubrics are parsed: totals that do not add up, items without points, contradictory rules of
    order, questions that are there twice. Each defect has the reading that grading takes. Then come
    tiers (what an answer with a fault still gets) and caps (how much it can get at most). Rows of
    cases are counted from 0, consultations and documents are named by their id.

    \b
    Example:
      hengfa suite plawbench lint
      hengfa suite plawbench lint --data sample --all
      hengfa suite plawbench lint --json > defects.json
    """
    # tables are imported by those who need them
    from hengfa.evals.report.terminal.grading import lint_document, print_lint  # noqa: PLC0415
    from hengfa.evals.suites.plan import data_folder  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.lint import lint  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.suite import SUITE  # noqa: PLC0415

    linted = lint(data_folder(SUITE, data))
    if as_json:
        print_json(lint_document(linted, everything=everything))
    else:
        print_lint(linted, everything=everything)
