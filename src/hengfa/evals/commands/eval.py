"""`hengfa eval`: ask a model and score its answers."""

from __future__ import annotations

from typing import Any

import click

from hengfa.base.options import json_option, options_of, say
from hengfa.evals.commands.asking import (
    allow_option,
    check_graded,
    grader_choices,
    print_estimate,
    print_scores,
)
from hengfa.evals.runs.ask import Ask
from hengfa.evals.runs.estimate import estimate
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.models import FORMS

_EPILOG = f"""\b
Models:
{FORMS}

\b
Examples:
  hengfa eval lawbench/1-1,1-2 --model floor --data sample
  hengfa eval lawbench --model deepseek:deepseek-chat --limit 20 --dry-run
  hengfa eval lawbench --model vllm:Qwen/Qwen3-8B --max-new-tokens 1024 --max-input-tokens 2048
  hengfa eval judgment --method rag --model floor --data sample
  hengfa eval plawbench --model kimi:kimi-k2 --grader deepseek:deepseek-chat --limit 10
  hengfa eval lawbench/1-2,3-6 --model hf:models/qwen3-8b --choice loglikelihood
  hengfa eval lawbench --model vllm:Qwen/Qwen3-8B-Base --completions --max-new-tokens 1024
  hengfa eval lawbench/3-6 --model kimi:kimi-k2 --repeats 5 --temperature default
  hengfa eval claw --model floor --data sample --prompts english
  hengfa eval lawbench --model floor --data sample --ids 1-1/3,3-4/0
  hengfa eval lawbench --model qwen:qwen-plus --max-new-tokens 1024 --batch --detach

The same command again continues an interrupted run and asks nothing twice; what it takes from the
journal it says, and --fresh asks all anew.
"""


@click.command("eval", epilog=_EPILOG)
@click.argument("target", metavar="SUITE[/TASK,…]")
@click.option("--model", required=True, help="Who is asked; forms below.")
@options_of(Ask)
@allow_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show requests, tokens and cost of model and graders; send nothing.",
)
@json_option
def command(
    *, pass_at: float, allowed: float, dry_run: bool, as_json: bool, **request: Any
) -> None:
    """Ask a model the questions of a suite, keep every answer, score them."""
    request["graders"] = grader_choices(request)
    if dry_run:
        print_estimate(estimate(**request), as_json=as_json)
        return
    run = evaluate(**request, progress=True, notify=say)
    outcomes = run.scores.outcomes
    if request["repeats"] == 1:
        print_scores(outcomes, as_json=as_json)
    else:
        # Imported here because tables are only needed now, and --dry-run should be quick.
        from hengfa.evals.report.terminal.repeats import print_tries  # noqa: PLC0415
        from hengfa.evals.runs.repeats import asked_again  # noqa: PLC0415

        again = asked_again(run.folder, outcomes[0].rules, pass_at=pass_at)
        print_scores(outcomes, as_json=as_json, repeats=again.as_json())
        if not as_json:
            print_tries(again)
    say(f"run folder: {run.folder}")
    check_graded(outcomes, allowed)
