"""`hengfa results repeats`: how much of a score is luck."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.options import (
    json_option,
    pass_at_option,
    print_json,
    rule_set_option,
    runs_option,
)
from hengfa.evals.commands.results import split_tasks
from hengfa.evals.suites.base import Rules

_EPILOG = """\b
Examples:
  hengfa eval lawbench/3-6 --model kimi:kimi-k2 --repeats 5 --temperature default
  hengfa results repeats lawbench-zero_shot-kimi_kimi-k2
  hengfa grade run plawbench-all-kimi_kimi-k2 --grader deepseek:deepseek-chat --grader-repeats 3
  hengfa results repeats plawbench-all-kimi_kimi-k2 --task case --pass-at 0.8
"""


@click.command("repeats", epilog=_EPILOG)
@click.argument("run")
@rule_set_option
@click.option("--task", "tasks", metavar="TASK[,TASK…]", help="Only these tasks.")
@pass_at_option
@runs_option
@json_option
def command(
    run: str, rules: str, tasks: str | None, pass_at: float, runs: Path, as_json: bool
) -> None:
    """Say what a run's score owes to luck, where questions or graders were asked several times.

    Of several tries at each question: their mean, how often at least one of k is right (pass@k),
    how often all of k are (pass^k), what to expect of the worst of k, and how far tries differ. Of
    graded answers: how much of the variance is that of questions, answers, graders and of asking
    the same grader again, what would narrow the interval most, how far each two graders are apart,
    and how many items of a rubric change when it is graded again.
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.evals.runs.look import find_run  # noqa: PLC0415
    from hengfa.evals.runs.repeats import asked_again  # noqa: PLC0415

    with counting("drawing samples"):
        said = asked_again(
            find_run(run, runs), Rules(rules), tasks=split_tasks(tasks), pass_at=pass_at
        )
    if as_json:
        print_json(said.as_json())
        return
    from hengfa.evals.report.terminal.repeats import print_asked_again  # noqa: PLC0415 - not for JSON

    print_asked_again(said)
