"""`hengfa grade`: grading by rubric, and how far graders can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from hengfa.base.commands import Registered
from hengfa.base.errors import UsageError
from hengfa.base.options import (
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    print_json,
    rules_option,
    runs_option,
    say,
    several,
)
from hengfa.evals.commands.eval import (
    allow_option,
    check_graded,
    dry_run_option,
    grader_choices,
    print_estimate,
    print_scores,
)
from hengfa.evals.grading.graded import How
from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import Mark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.ask import grader_options, panel_option, screen_option
from hengfa.evals.runs.folder import MANIFEST, named_folder, safe_name
from hengfa.evals.runs.grading import GRADER_FORMS, GraderChoice
from hengfa.evals.runs.look import find_run

_EPILOG = f"""\b
Graders:
{GRADER_FORMS}

\b
Examples:
  hengfa grade run plawbench-public-kimi_k2 --grader deepseek:deepseek-chat
  hengfa grade run plawbench-public-kimi_k2 --grader deepseek:deepseek-chat --dry-run
  hengfa grade run plawbench-public-kimi_k2 --grader deepseek:deepseek-chat --shard 1/4
  hengfa grade run answers.jsonl --rubric rubric.yaml --grader keywords
"""
_shared_options = several(
    grader_options,
    click.option(
        "--submissions",
        "file",
        type=Place(dir_okay=False),
        help="Responses to use, one submission a line, instead of the three that are built in.",
    ),
    click.option("--limit", type=Whole(1), help="Use at most N submissions."),
    runs_option,
    click.option("--run", "name", help="Name of the folder [default: what is done and to what]."),
    dry_run_option,
    json_option,
)


@click.group(cls=Registered)
def command() -> None:
    """Grade responses by rubric, and measure how far the graders can be trusted.

    \b
    Example:
      hengfa grade run answers.jsonl --rubric rubric.yaml --grader keywords
      hengfa grade people serve submissions.jsonl -o scores.csv --rater 张三
      hengfa grade calibrate scores.csv graded.csv --plot calibration.svg
    """


@command.command("run", epilog=_EPILOG)
@click.argument("what", metavar="RUN|RESPONSES.jsonl")
@click.option(
    "--rubric",
    type=Place(dir_okay=False),
    help="Your own rubric, in YAML, for a file of responses.",
)
@click.option(
    "--marking",
    type=click.Choice([str(way) for way in Way]),
    help="What steps in order earn, for a file of responses (see docs/grading.md).  "
    "[default: paper]",
)
@click.option(
    "--csv",
    "table",
    type=Place(dir_okay=False),
    help="Also write every item's points, as `hengfa grade calibrate` reads them.",
)
@force_option("Replace the table of --csv if it exists.")
@click.option("--run", "name", help="Name of the folder below --runs for a file of responses.")
@click.option(
    "--shard",
    metavar="I/N",
    help="Grade only part I of N of a run, as a run of its own beside it, RUN-shard-I-of-N; "
    "`hengfa parts merge` puts the parts together.",
)
@rules_option
@runs_option
@grader_options
@panel_option
@screen_option
@allow_option
@dry_run_option
@json_option
def run_(
    what: str, rubric: Path | None, marking: str | None, table: Path | None, force: bool,
    name: str | None, shard: str | None, rules: str, runs: Path, panel: How | None,
    allowed: float, dry_run: bool, as_json: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Have responses graded: those of a run, or a file of your own with a rubric of your own.

    A line of RESPONSES.jsonl has id and response, and may have question, reference and as_of (the
    day on which cited law must be in force). Lines that are whole submissions, as `hengfa grade
    export` writes them, have their rubric in them. The same command again asks nothing twice but
    what a grader left open.
    """
    graders = grader_choices(given)
    if not graders:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    if table is not None and not dry_run:
        claim(table, force=force)
    if (Path(what) / MANIFEST).is_file() or (runs / what / MANIFEST).is_file():
        if marking is not None:
            raise UsageError(
                "--marking is for a file of responses; a run is scored by its suite's options: "
                f"hengfa score SUITE {what} --set marking={marking}"
            )
        run = find_run(what, runs)
        if dry_run:
            _estimate_run(run, graders, shard, as_json=as_json)
        else:
            how = {"panel": panel, "rules": rules, "shard": shard}
            _grade_one_run(run, graders, table, allowed, as_json=as_json, **how)
        return
    if shard is not None:
        raise UsageError("--shard is for a run; of a file give each machine some of the lines")
    file = Path(what)
    if not file.is_file():
        raise UsageError(f"there is no run and no file {what!r}")
    # Libraries for YAML and tables are imported by those who need them.
    from hengfa.evals.grading.marking import Choices  # noqa: PLC0415
    from hengfa.evals.grading.people.score_table import scores_of, write_scores  # noqa: PLC0415
    from hengfa.evals.grading.rubric_file import read_rubric  # noqa: PLC0415
    from hengfa.evals.grading.submission import read_responses, read_submissions  # noqa: PLC0415
    from hengfa.evals.report.terminal.grading import print_marking  # noqa: PLC0415
    from hengfa.evals.runs.estimate import estimate_grading  # noqa: PLC0415
    from hengfa.evals.runs.grading import grade_own  # noqa: PLC0415

    submissions = (
        read_submissions(file) if rubric is None else read_responses(file, read_rubric(rubric))
    )
    folder = named_folder(runs, name or f"grades-{safe_name(file.stem)}")
    if dry_run:
        kinds = {file.name: len(submissions)}
        print_estimate(estimate_grading(kinds, folder, submissions, graders), as_json=as_json)
        return
    made = grade_own(folder, submissions, graders, Choices(Way(marking or Way.PAPER)), panel, say)
    if table is not None:
        rows = (
            row
            for marked in made.marked
            for grader in made.graders
            for mark in marked.marks[grader][:1]
            for row in scores_of(marked.submission, mark, grader)
        )
        write_scores(table, rows)
        say(f"points of every item: {table}")
    if as_json:
        print_json(made.as_json())
    else:
        print_marking(made)
    say(f"folder: {folder}")
    made.check(allowed)


def _estimate_run(
    folder: Path, graders: Sequence[GraderChoice], shard: str | None, *, as_json: bool
) -> None:
    from hengfa.base.shards import parse_shard  # noqa: PLC0415
    from hengfa.evals.engine.messages import first_key  # noqa: PLC0415
    from hengfa.evals.runs.estimate import estimate_grading  # noqa: PLC0415
    from hengfa.evals.runs.folder import answer_statuses  # noqa: PLC0415
    from hengfa.evals.runs.merge import graded_question, part_folder  # noqa: PLC0415
    from hengfa.evals.runs.score import submissions_of  # noqa: PLC0415

    submissions = submissions_of(folder, answer_statuses(folder))
    if shard is not None:
        part = parse_shard(shard)
        questions = ((one, first_key(graded_question(one.key))) for one in submissions)
        submissions = [one for one, question in questions if part.holds(question)]
        taken = part_folder(folder, part)
        folder = taken if taken.is_dir() else folder
    if not submissions:
        raise UsageError(f"{folder} has no answers that are scored by graders")
    kinds = {folder.name: len(submissions)}
    print_estimate(estimate_grading(kinds, folder, submissions, graders), as_json=as_json)


def _grade_one_run(
    folder: Path,
    graders: Sequence[GraderChoice],
    table: Path | None,
    allowed: float,
    *,
    as_json: bool,
    **how: Any,
) -> None:
    # --help should not wait for what grading needs
    from hengfa.evals.grading.people.score_table import write_scores  # noqa: PLC0415
    from hengfa.evals.runs.evaluate import grade  # noqa: PLC0415
    from hengfa.evals.runs.people import graded_scores  # noqa: PLC0415

    run = grade(folder, *graders, **how, notify=say)
    outcomes = run.scores.outcomes
    if table is not None:
        write_scores(table, graded_scores([run.folder]))
        say(f"points of every item: {table}")
    print_scores(outcomes, as_json=as_json)
    if how["shard"] is not None:
        say(f"run folder: {run.folder}")
    check_graded(outcomes, allowed)


@command.command("errors")
@click.argument("run")
@runs_option
@grader_options
@json_option
def errors_(run: str, runs: Path, as_json: bool, **given: Any) -> None:
    """Ask a model which errors the answers of a run have, where their grades do not tell.

    Ten types of PLawBench's tables speak of what no item of a rubric is about. A type counts with
    words that stand in the answer, and no points change. The same command again asks nothing twice;
    `hengfa results SUITE --run RUN --errors` shows all types.

    \b
    Example:
      hengfa grade errors plawbench-all-kimi_kimi-k2 --grader deepseek:deepseek-chat
    """
    from hengfa.evals.runs.error_asking import ask_errors  # noqa: PLC0415 - not for --help

    choices = grader_choices(given)
    if not choices:
        raise UsageError("name who is asked: a model such as --grader kimi:…")
    if any(choice.repeats > 1 for choice in choices):
        raise UsageError("--grader-repeats: errors are asked about once")
    folder = find_run(run, runs)
    told = [ask_errors(folder, choice, say) for choice in choices]
    if as_json:
        print_json(told)
        return
    for asked in told:
        for line in asked.counts():
            click.echo(line)


@command.command("attack", epilog=f"\b\nGraders:\n{GRADER_FORMS}")
@click.option(
    "--families",
    metavar="NAME,…",
    default="",
    help="Only attacks of these kinds; docs/grading.md lists them.",
)
@click.option("--worst", "most", type=Whole(0), default=10, help="Worst cases to list.")
@_shared_options
def attack_(families: str, most: int, as_json: bool, **given: Any) -> None:
    """Measure how far marks move when a response talks to its grader.

    Every submission is graded as it is, once more as it is, and under every attack of the set that
    ships with Hengfa. The same command again continues and asks nothing twice.

    \b
    Example:
      hengfa grade attack --grader keywords
      hengfa grade attack --grader deepseek:deepseek-chat --families plea,verdict --dry-run
    """
    # --help should not wait for what grading needs
    from hengfa.evals.grading.attacks import attacked, beside_clean, choose, moves, read_attacks  # noqa: PLC0415
    from hengfa.evals.report.terminal.grading import attacks_document, print_attacks  # noqa: PLC0415

    attacks = choose(read_attacks(), [part.strip() for part in families.split(",") if part.strip()])
    marked = _mark_variants(
        "attack",
        lambda clean: beside_clean(clean, lambda one: (attacked(one, each) for each in attacks)),
        as_json=as_json,
        **given,
    )
    if marked is None:
        return
    grader, submissions, marks = marked
    moved = moves(submissions, attacks, marks)
    if as_json:
        print_json(attacks_document(grader, attacks, moved))
    else:
        print_attacks(grader, attacks, moved, most=most)


@command.command("probe", epilog=f"\b\nGraders:\n{GRADER_FORMS}")
@click.argument("kind", type=click.Choice(["position", "length"]))
@_shared_options
def probe_(kind: str, as_json: bool, **given: Any) -> None:
    """Measure what must not matter: the order of the items, or the length of the response.

    position grades each submission with the items of its rubric in four orders; length grades it
    with neutral words after it, and written out several times.

    \b
    Example:
      hengfa grade probe position --grader keywords
      hengfa grade probe length --grader keywords --json
    """
    from hengfa.evals.grading import probes  # noqa: PLC0415
    from hengfa.evals.report.terminal.grading import print_length, print_position  # noqa: PLC0415

    position = kind == "position"
    vary = probes.position_variants if position else probes.length_variants
    marked = _mark_variants(f"probe-{kind}", vary, as_json=as_json, **given)
    if marked is None:
        return
    grader, submissions, marks = marked
    bias = (probes.position_bias if position else probes.length_bias)(submissions, marks)
    if as_json:
        print_json({"grader": grader, kind: bias})
    elif isinstance(bias, probes.PositionBias):
        print_position(grader, bias)
    else:
        print_length(grader, bias)


def _mark_variants(
    what: str,
    vary: Callable[[list[Submission]], list[Submission]],
    *,
    file: Path | None,
    limit: int | None,
    runs: Path,
    name: str | None,
    dry_run: bool,
    as_json: bool,
    **given: Any,
) -> tuple[str, list[Submission], dict[str, Mark]] | None:
    """A grader, submissions, and what it makes of all their variants, by key; None where only what
    asking would take was wanted and printed."""
    from hengfa.evals.grading.attacks import builtin_samples  # noqa: PLC0415
    from hengfa.evals.grading.submission import read_submissions  # noqa: PLC0415
    from hengfa.evals.runs.estimate import estimate_grading  # noqa: PLC0415
    from hengfa.evals.runs.grading import mark_variants  # noqa: PLC0415

    choices = grader_choices(given)
    if len(choices) != 1:
        raise UsageError(f"name one grader with --grader. Names look like this:\n{GRADER_FORMS}")
    (choice,) = choices
    submissions = (builtin_samples() if file is None else read_submissions(file))[:limit]
    variants = vary(submissions)
    source = "samples" if file is None else safe_name(file.stem)
    folder = named_folder(runs, name or f"{what}-{source}")
    if dry_run:
        kinds = {what.removeprefix("probe-"): len(variants)}
        print_estimate(estimate_grading(kinds, folder, variants, [choice]), as_json=as_json)
        return None
    marks = mark_variants(folder, variants, choice, say)
    say(f"replies are kept in {folder}")
    return choice.name, submissions, marks
