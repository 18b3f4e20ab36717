"""What commands share that ask models and graders: options, and how what came of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hengfa.base.errors import Ungraded
from hengfa.base.options import Number, print_json
from hengfa.evals.runs.ask import grader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hengfa.evals.runs.costs import Estimate
    from hengfa.evals.runs.folder import RunFigures
    from hengfa.evals.runs.grading import GraderChoice

_SHARED = ("timeout", "executor", "batch", "detach")
"""What is given for model and graders alike."""
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


def print_scores(outcomes: Sequence[RunFigures], *, as_json: bool, **more: object) -> None:
    """What was scored; `more` stands beside it in the JSON document."""
    from hengfa.evals.runs.score import outcomes_json  # noqa: PLC0415 - not for --help

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
