"""`hengfa grade attack` and `hengfa grade probe`: how far a grader can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from hengfa.cli.grader_options import Command, GraderGiven, grader_choices, grader_options
from hengfa.cli.options import json_option, print_json, runs_option, say
from hengfa.errors import UsageError
from hengfa.grading.marks import Mark
from hengfa.grading.submission import Submission
from hengfa.runs.folder import named_folder, safe_name
from hengfa.runs.graders import GRADER_FORMS
from hengfa.runs.grading import GraderChoice

_SHARED = (
    click.option(
        "--submissions",
        "file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Responses to use, one submission a line, instead of the three that are built in.",
    ),
    click.option("--limit", type=click.IntRange(1), help="Use at most N submissions."),
    runs_option,
    click.option("--run", "name", help="Name of the folder [default: what is done and to what]."),
    click.option("--dry-run", is_flag=True, help="Show requests, tokens and cost; send nothing."),
    json_option,
)


def _shared_options(command: Command) -> Command:
    for option in reversed(_SHARED):
        command = option(command)
    return grader_options(command)


@click.command("attack", epilog=f"\b\nGraders:\n{GRADER_FORMS}")
@click.option(
    "--families",
    metavar="NAME,…",
    default="",
    help="Only attacks of these kinds; docs/attacks.md lists them.",
)
@click.option("--worst", "most", type=click.IntRange(0), default=10, help="Worst cases to list.")
@_shared_options
def attack_(
    families: str, most: int, file: Path | None, limit: int | None, runs: Path, name: str | None,
    dry_run: bool, as_json: bool, **given: Unpack[GraderGiven],
) -> None:  # fmt: skip
    """Measure how far marks move when a response talks to its grader.

    Every submission is graded as it is, once more as it is, and under every attack of the set that
    ships with Hengfa. The same command again continues and asks nothing twice.

    \b
    Example:
      hengfa grade attack --grader keywords
      hengfa grade attack --grader deepseek:deepseek-chat --families plea,verdict --dry-run
    """
    # Imported here: --help should not wait for what grading needs.
    from hengfa.grading.attacks import (  # noqa: PLC0415
        choose,
        moves,
        read_attacks,
    )
    from hengfa.report.attacks import attacks_document, print_attacks  # noqa: PLC0415
    from hengfa.runs.attack import attack_variants  # noqa: PLC0415

    choice = _one_grader(given)
    named = [part.strip() for part in families.split(",") if part.strip()]
    attacks = choose(read_attacks(), named)
    submissions, source = _read(file, limit)
    variants = attack_variants(submissions, attacks)
    if dry_run:
        _estimate("attack", variants, choice, as_json=as_json)
        return
    marks = _asked(runs, name or f"attack-{source}", variants, choice)
    found = moves(submissions, attacks, marks)
    if as_json:
        print_json(attacks_document(choice.name, attacks, found))
    else:
        print_attacks(choice.name, attacks, found, most=most)


@click.command("probe", epilog=f"\b\nGraders:\n{GRADER_FORMS}")
@click.argument("kind", type=click.Choice(["position", "length"]))
@_shared_options
def probe_(
    kind: str, file: Path | None, limit: int | None, runs: Path, name: str | None,
    dry_run: bool, as_json: bool, **given: Unpack[GraderGiven],
) -> None:  # fmt: skip
    """Measure what must not matter: the order of the items, or the length of the response.

    position grades each submission with the items of its rubric in four orders; length grades it
    with neutral words after it, and written out several times.

    \b
    Example:
      hengfa grade probe position --grader keywords
      hengfa grade probe length --grader keywords --json
    """
    from hengfa.grading import probes  # noqa: PLC0415
    from hengfa.report.attacks import print_length, print_position  # noqa: PLC0415

    choice = _one_grader(given)
    submissions, source = _read(file, limit)
    position = kind == "position"
    make = probes.position_variants if position else probes.length_variants
    variants = make(submissions)
    if dry_run:
        _estimate(kind, variants, choice, as_json=as_json)
        return
    marks = _asked(runs, name or f"probe-{kind}-{source}", variants, choice)
    if position:
        order = probes.position_bias(submissions, marks)
        if as_json:
            print_json({"grader": choice.name, "position": order})
        else:
            print_position(choice.name, order)
        return
    length = probes.length_bias(submissions, marks)
    if as_json:
        print_json({"grader": choice.name, "length": length})
    else:
        print_length(choice.name, length)


def _one_grader(given: GraderGiven) -> GraderChoice:
    choices = grader_choices(given)
    if len(choices) != 1:
        raise UsageError(f"name one grader with --grader. Names look like this:\n{GRADER_FORMS}")
    return choices[0]


def _read(file: Path | None, limit: int | None) -> tuple[list[Submission], str]:
    """The submissions, and the name of where they are from."""
    from hengfa.grading.attacks import builtin_samples  # noqa: PLC0415
    from hengfa.grading.submission import read_submissions  # noqa: PLC0415

    if file is None:
        return builtin_samples()[:limit], "samples"
    return read_submissions(file)[:limit], safe_name(file.stem)


def _estimate(
    kind: str, variants: list[Submission], choice: GraderChoice, *, as_json: bool
) -> None:
    from hengfa.runs.attack import estimate_variants  # noqa: PLC0415

    expected = estimate_variants(kind, variants, choice.name, choice.options)
    if as_json:
        print_json(expected.as_json())
    else:
        click.echo(expected.text())


def _asked(
    runs: Path, name: str, variants: list[Submission], choice: GraderChoice
) -> dict[str, Mark]:
    from hengfa.runs.attack import mark_variants  # noqa: PLC0415

    folder = named_folder(runs, name)
    marks = mark_variants(folder, variants, choice, say)
    say(f"replies are kept in {folder}")
    return marks
