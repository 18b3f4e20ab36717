"""`hengfa eval`: ask a model and score its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click
import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.errors import UsageError
from hengfa.base.options import (
    POSITIVE,
    Number,
    Place,
    Whole,
    accept_option,
    data_option,
    ids_option,
    json_option,
    number_or_default,
    pass_at_option,
    print_json,
    rules_option,
    runs_option,
    say,
    set_option,
    setting_option,
)
from hengfa.evals.api.runs import estimate, evaluate
from hengfa.evals.commands.grader_options import (
    GraderGiven,
    allow_option,
    check_graded,
    grader_choices,
    grader_options,
    panel_option,
    print_estimate,
    screen_option,
)
from hengfa.evals.grading.panel import How
from hengfa.evals.runs.models import CHOICES, FORMS
from hengfa.evals.runs.score import outcomes_json

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
@click.option("--model", "model_name", required=True, help="Who is asked; forms below.")
@click.option("--limit", type=Whole(1), help="Ask at most N samples of each task.")
@ids_option
@click.option(
    "--repeats",
    type=Whole(1, 1000),
    default=1,
    help="Ask each question K times: how much of a score is luck? Set --temperature as in use.",
    metavar="K",
)
@pass_at_option
@click.option(
    "--shard",
    metavar="I/N",
    help="Ask only part I of N, into a run of its own; `hengfa parts merge` joins them.",
)
@setting_option
@set_option
@click.option(
    "--prompts",
    metavar="FILE|NAME",
    help="Ask by templates of your own, in TOML, or by a set that the suite brings.",
)
@rules_option
@data_option
@runs_option
@click.option("--run", "name", help="Name of the run folder [default: suite, setting and model].")
@click.option("--fresh", is_flag=True, help="Start over; the old run is kept aside.")
@click.option(
    "--retry",
    metavar="STATUS,…",
    default="",
    help="Besides what failed and malformed grades, ask again what ended so in an earlier sitting.",
)
@accept_option
@click.option(
    "--base-url",
    multiple=True,
    metavar="URL|@FILE",
    help="Address of the server, such as http://localhost:8000/v1; of several servers each, or a "
    "file with one a line.",
)
@click.option(
    "--temperature",
    callback=number_or_default,
    default="0",
    help="A number, or 'default' to leave it to the server.",
)
@click.option("--top-p", type=Number(0, 1), help="Nucleus sampling.")
@click.option("--seed", type=Whole(-(2**63), 2**63 - 1), help="Seed for servers that take one.")
@click.option("--max-new-tokens", type=Whole(1), help="Longest answer, thinking included.")
@click.option(
    "--max-input-tokens",
    type=Whole(1),
    help="Cut longer prompts at the end, as papers did; counted with Qwen's vocabulary.",
)
@click.option("--extra", metavar="JSON", help="More fields for the request body, as one object.")
@click.option(
    "--stop",
    metavar="TEXT",
    multiple=True,
    callback=lambda _context, _parameter, texts: [text.replace(r"\n", "\n") for text in texts],
    help=r"End answers before this text; \n is a new line. May be given several times.",
)
@click.option(
    "--completions",
    is_flag=True,
    help="A base model: it goes on with the prompt as one text, at /completions, without a chat "
    "template. Needs --max-new-tokens; mind --accept-truncated.",
)
@click.option(
    "--choice",
    type=click.Choice(CHOICES),
    help="Answer multiple choice not in writing, but by the likeliest letter; for hf:DIR.",
)
@click.option(
    "--device",
    default="auto",
    help="Where hf:DIR works: cpu, cuda, cuda:1, mps; a GPU if there is one.",
)
@click.option(
    "--replicas",
    type=Whole(1),
    help="Load hf:DIR so many times, by workers of --executor ray, and share the questions out.",
)
@click.option("--stream/--no-stream", default=False, help="Receive answers piece by piece.")
@click.option(
    "--lanes",
    type=Whole(1),
    default=64,
    help="Most requests in flight at a server; fewer are used while it complains.",
)
@click.option(
    "--timeout",
    type=POSITIVE,
    default=600.0,
    help="Longest silence of the server, in seconds.",
)
@click.option(
    "--attempts",
    type=Whole(1, 1000),
    default=6,
    help="Tries per request before it counts as failed.",
)
@click.option(
    "--max-cost", type=POSITIVE, help="Stop before the run costs more (hengfa models price)."
)
@click.option("--max-tokens", type=Whole(1), help="Stop before the run uses more tokens in all.")
@click.option("--max-seconds", type=POSITIVE, help="Start no request after this many seconds.")
@click.option(
    "--trained-on",
    type=Place(exists=True, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="The model was trained on these rows of `hengfa train data`: where questions of the suite "
    "are among them, the run is marked. May be given several times.",
)
@grader_options
@panel_option
@screen_option
@click.option(
    "--ungraded",
    is_flag=True,
    help="Ask only, what graders score too; `hengfa grade run` has it graded later.",
)
@allow_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show requests, tokens and cost of model and graders; send nothing.",
)
@json_option
def command(
    target: str, model_name: str, limit: int | None, ids: list[str] | None, repeats: int,
    pass_at: float, shard: str | None, setting: str | None, suite_options: dict[str, str],
    prompts: str | None,
    rules: str, data: str | None, runs: Path, name: str | None, fresh: bool, retry: str,
    accept_truncated: bool, base_url: tuple[str, ...], temperature: float | None,
    top_p: float | None, seed: int | None, max_new_tokens: int | None,
    max_input_tokens: int | None, extra: str | None, stop: list[str], completions: bool,
    choice: str | None, device: str, replicas: int | None, stream: bool, lanes: int,
    timeout: float, attempts: int, max_cost: float | None, max_tokens: int | None,
    max_seconds: float | None, trained_on: tuple[Path, ...], panel: How | None,
    screen: str | None, ungraded: bool, allowed: float, dry_run: bool, as_json: bool,
    **graders: Unpack[GraderGiven],
) -> None:  # fmt: skip
    """Ask a model the questions of a suite, keep every answer, score them."""
    fields = read_extra(extra)
    choices = grader_choices(graders, screen=screen, timeout=timeout)
    if dry_run:
        expected = estimate(
            target, model_name, data=data, setting=setting, limit=limit, ids=ids,
            options=suite_options, runs=runs, name=name, fresh=fresh, retry=_split(retry),
            accept_truncated=accept_truncated, temperature=temperature, top_p=top_p, seed=seed,
            max_new_tokens=max_new_tokens, max_input_tokens=max_input_tokens, extra=fields,
            choice=choice, stop=stop, completions=completions, batch=graders["batch"],
            repeats=repeats, shard=shard, prompts=prompts, graders=choices,
        )  # fmt: skip
        print_estimate(expected, as_json=as_json)
        return
    run = evaluate(
        target, model_name, data=data, setting=setting, limit=limit, ids=ids,
        options=suite_options, rules=rules, runs=runs, name=name, fresh=fresh, retry=_split(retry),
        accept_truncated=accept_truncated, base_url=base_url, temperature=temperature, top_p=top_p,
        seed=seed, max_new_tokens=max_new_tokens, max_input_tokens=max_input_tokens, extra=fields,
        choice=choice, stop=stop, completions=completions, device=device, stream=stream,
        lanes=lanes, timeout=timeout, attempts=attempts, max_cost=max_cost,
        max_tokens=max_tokens, max_seconds=max_seconds, batch=graders["batch"],
        detach=graders["detach"], executor=graders["executor"], replicas=replicas, progress=True,
        repeats=repeats,
        shard=shard, prompts=prompts, graders=choices, ungraded=ungraded, panel=panel,
        trained_on=trained_on, notify=say,
    )  # fmt: skip
    # Imported here because tables are only needed now, and --dry-run should be quick.
    from hengfa.evals.report.terminal.outcomes import print_outcomes  # noqa: PLC0415
    from hengfa.evals.report.terminal.repeats import print_tries  # noqa: PLC0415
    from hengfa.evals.runs.repeats import asked_again  # noqa: PLC0415

    outcomes = run.scores.outcomes
    again = asked_again(run.folder, outcomes[0].rules, pass_at=pass_at) if repeats > 1 else None
    if as_json:
        luck = {} if again is None else {"repeats": again.as_json()}
        print_json({**outcomes_json(outcomes[0].suite, outcomes), **luck})
    else:
        print_outcomes(outcomes)
        if again is not None:
            print_tries(again)
    say(f"run folder: {run.folder}")
    check_graded(outcomes, allowed)


def read_extra(extra: str | None) -> dict[str, object]:
    """The fields of `--extra`."""
    if extra is None:
        return {}
    try:
        return json_decoder(dict[str, object])(extra)
    except msgspec.DecodeError as error:
        raise UsageError(f"--extra must be one JSON object: {error}") from error


def _split(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())
