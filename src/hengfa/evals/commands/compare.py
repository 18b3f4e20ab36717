"""`hengfa compare`: which run is better, by how much, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from hengfa.base.options import (
    Whole,
    json_option,
    pass_at_option,
    print_json,
    rule_set_option,
    runs_option,
)
from hengfa.evals.commands.results import split_tasks

_EPILOG = """\b
Examples:
  hengfa compare lawbench-zero_shot-floor-sample lawbench-zero_shot-retrieval-sample
  hengfa compare runs/mine runs/theirs --task 1-1,1-2 --rules corrected
  hengfa compare A B C --all-pairs --json
  hengfa compare lawbench-zero_shot-GPT4 lawbench-one_shot-GPT4
  hengfa compare A B --tries pass^3
  hengfa compare A@deepseek:deepseek-chat B@deepseek:deepseek-chat
"""


@click.command("compare", epilog=_EPILOG)
@click.argument("names", metavar="A[@GRADER] B[@GRADER] [C…]", nargs=-1, required=True)
@rule_set_option
@click.option("--task", "tasks", metavar="TASK[,TASK…]", help="Only these tasks.")
@click.option(
    "--all-pairs", is_flag=True, help="Compare each with each, not only the others with A."
)
@click.option(
    "--grader", metavar="NAME", help="By whose scores, where runs were graded by several."
)
@click.option(
    "--across-graders",
    is_flag=True,
    help="Compare also what different graders graded, with a warning of how far they differ.",
)
@click.option(
    "--across-prompts",
    is_flag=True,
    help="Compare also runs that were asked by different prompts (hengfa eval --prompts).",
)
@click.option(
    "--tries",
    metavar="pass@K|pass^K",
    help="Of runs with repeats, compare not scores but how often one of K tries at a question is "
    "right, or all of them.",
)
@pass_at_option
@click.option(
    "--seed",
    type=Whole(min=0),
    help="Begin the random draws elsewhere, to see that nothing hangs on them.",
)
@runs_option
@json_option
def command(names: tuple[str, ...], tasks: str | None, as_json: bool, **how: Any) -> None:
    """Compare scored runs on the samples they share.

    A, B and C are run folders, or names of runs below --runs. Scores have 95 % intervals;
    differences have one too and the p of a permutation test, corrected for the number of
    comparisons. In the end it is said in words what the data support and what they do not.
    Settings, such as zero- and one-shot or two methods of an agent, are paired by sample, and it is
    said. Scores that different graders gave, or one grader by another prompt, are no scores of one
    kind.
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.runs.compare import compare, conclusions  # noqa: PLC0415 - not for --help

    with counting("drawing samples"):
        comparison = compare(*names, tasks=split_tasks(tasks), **how)
    if as_json:
        print_json({**comparison.as_json(), "conclusions": conclusions(comparison)})
        return
    from hengfa.evals.report.terminal.comparison import print_comparison  # noqa: PLC0415 - not for JSON

    print_comparison(comparison)
