"""`hengfa eval`: ask a model and score its answers; and what it shares with other commands that
score and ask graders: options, and how what came of it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from hengfa.base.errors import Ungraded
from hengfa.base.options import Number, json_option, options_of, print_json, say
from hengfa.evals.runs.ask import Ask, grader
from hengfa.evals.runs.estimate import Estimate, estimate
from hengfa.evals.runs.evaluate import evaluate, left_open
from hengfa.evals.runs.folder import RunFigures
from hengfa.evals.runs.grading import GraderChoice
from hengfa.evals.runs.models import FORMS
from hengfa.evals.runs.score import outcomes_json

_SHARED = ("timeout", "executor", "batch", "detach")  # what is given for model and graders alike
allow_option = click.option(
    "--allow-ungraded",
    "allowed",
    type=Number(0, 1),
    default=0.01,
    metavar="SHARE",
    help="End with status 0 although graders left up to this share ungraded; figures of it are "
    "bands all the same.",
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show requests, tokens and cost; send nothing."
)
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


def check_graded(outcomes: Sequence[RunFigures], allowed: float) -> None:
    """End with status 1 where a grader left more open than is allowed; all is printed by then."""
    if any(left_open(outcome) > allowed for outcome in outcomes):
        raise Ungraded(f"more than {allowed:.2%} is ungraded, which --allow-ungraded changes")


def print_scores(outcomes: Sequence[RunFigures], *, as_json: bool, **more: object) -> None:
    """What was scored; `more` stands beside it in the JSON document."""
    if as_json:
        print_json({**outcomes_json(outcomes[0].suite, outcomes), **more})
        return
    from hengfa.evals.report.terminal.outcomes import print_outcomes  # noqa: PLC0415 - not for JSON

    print_outcomes(outcomes)


def print_estimate(expected: Estimate, *, as_json: bool) -> None:
    """What asking would take."""
    if as_json:
        print_json(expected.as_json())
    else:
        click.echo(expected.text())


def grader_choices(given: dict[str, Any]) -> list[GraderChoice]:
    """The graders that were named, checked, and who screens; what speaks of them alone is taken out
    of what is given."""
    named = [(name, False) for name in dict.fromkeys(given.pop("graders"))]
    if screen := given.pop("screen", None):
        named.append((screen, True))
    how = {name: given[name] for name in _SHARED if name in given}
    for name in [name for name in given if name.startswith("grader_")]:
        how[name.removeprefix("grader_")] = given.pop(name)
    return [grader(name, screens=screens, progress=True, **how) for name, screens in named]
