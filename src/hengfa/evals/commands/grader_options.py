"""Options of commands that ask graders."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, get_args

import click

from hengfa.base.errors import Ungraded
from hengfa.base.options import POSITIVE, Number, Whole, executor_option, print_json, several
from hengfa.evals.grading.panel import How
from hengfa.evals.runs.grading import GraderChoice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hengfa.base.workers import Executor
    from hengfa.evals.runs.costs import Estimate
    from hengfa.evals.runs.folder import RunFigures


class GraderGiven(TypedDict):
    """What was given on the command line."""

    graders: tuple[str, ...]
    grader_repeats: int
    grader_base_url: tuple[str, ...]
    grader_device: str
    grader_lanes: int
    grader_replicas: int | None
    executor: Executor
    grader_max_new_tokens: int | None
    grader_max_cost: float | None
    grader_max_tokens: int | None
    regrade: bool
    batch: bool
    detach: bool


grader_options = several(
    click.option(
        "--grader",
        "graders",
        multiple=True,
        metavar="MODEL",
        help="Who grades: keywords (built in, looks for words) or a model, named as for --model. "
        "Each has a score of its own.",
    ),
    click.option(
        "--grader-repeats",
        type=Whole(1, 1000),
        default=1,
        help="Ask graders about each answer so many times: how far do they agree with themselves?",
    ),
    click.option(
        "--grader-base-url",
        multiple=True,
        metavar="URL|@FILE",
        help="Address of the grader's server; of several servers each, or a file with one a line.",
    ),
    click.option(
        "--grader-device",
        default="auto",
        help="As --device, of a grader hf:DIR.",
    ),
    click.option(
        "--grader-lanes",
        type=Whole(1),
        default=16,
        help="Most requests to a server of a grader in flight.",
    ),
    click.option(
        "--grader-replicas",
        type=Whole(1),
        help="As --replicas, of a grader hf:DIR.",
    ),
    executor_option,
    click.option("--grader-max-new-tokens", type=Whole(1), help="Longest reply of a grader."),
    click.option(
        "--grader-max-cost",
        type=POSITIVE,
        help="Stop before one grader costs more.",
    ),
    click.option(
        "--grader-max-tokens",
        type=Whole(1),
        help="Stop before one grader uses more tokens in all.",
    ),
    click.option(
        "--regrade", is_flag=True, help="Ask graders anew; their old grades are kept aside."
    ),
    click.option(
        "--batch",
        is_flag=True,
        help="Ask all models, graders too, through the batch interface of their vendors: for less, "
        "within a day (docs/models.md).",
    ),
    click.option(
        "--detach",
        is_flag=True,
        help="With --batch: end once all is submitted; the same command later fetches the answers.",
    ),
)
"""All options that name graders and say how they are asked."""
panel_option = click.option(
    "--panel",
    type=click.Choice(get_args(How)),
    help="Score the graders named here also as a panel: one mark for each item by this rule.",
)
screen_option = click.option(
    "--screen",
    metavar="MODEL",
    help="A second model, perhaps a cheaper one, that says which sentences talk to the grader: "
    "awards that rest on them are flagged. Asked as graders are.",
)


allow_option = click.option(
    "--allow-ungraded",
    "allowed",
    type=Number(0, 1),
    default=0.01,
    metavar="SHARE",
    help="End with status 0 although graders left up to this share ungraded; figures of it are "
    "bands all the same.",
)


def check_graded(outcomes: Sequence[RunFigures], allowed: float) -> None:
    """End with status 1 where a grader left more open than is allowed; all is printed by then."""
    from hengfa.evals.runs.evaluate import left_open  # noqa: PLC0415 - not for --help

    if any(left_open(outcome) > allowed for outcome in outcomes):
        raise Ungraded(f"more than {allowed:.2%} is ungraded, which --allow-ungraded changes")


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show requests, tokens and cost; send nothing."
)


def print_estimate(expected: Estimate, *, as_json: bool) -> None:
    """What asking would take."""
    if as_json:
        print_json(expected.as_json())
    else:
        click.echo(expected.text())


def grader_choices(
    given: GraderGiven, *, screen: str | None = None, timeout: float = 600.0
) -> list[GraderChoice]:
    """The graders that were named, checked; and who screens."""
    from hengfa.evals.api.runs import grader  # noqa: PLC0415 - not for --help

    return [
        grader(
            name,
            base_url=given["grader_base_url"],
            device=given["grader_device"],
            timeout=timeout,
            lanes=given["grader_lanes"],
            replicas=given["grader_replicas"],
            executor=given["executor"],
            max_new_tokens=given["grader_max_new_tokens"],
            max_cost=given["grader_max_cost"],
            max_tokens=given["grader_max_tokens"],
            regrade=given["regrade"],
            screens=screens,
            repeats=given["grader_repeats"],
            batch=given["batch"],
            detach=given["detach"],
            progress=True,
        )
        for name, screens in (
            *((name, False) for name in dict.fromkeys(given["graders"])),
            *([(screen, True)] if screen else []),
        )
    ]
