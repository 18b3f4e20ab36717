"""`hengfa grade run`: have responses graded; `hengfa grade export`: what there is to grade."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click

from hengfa.cli.grader_options import GraderGiven, grader_choices, grader_options
from hengfa.cli.options import (
    chosen_rules,
    json_option,
    print_json,
    rules_option,
    runs_option,
    say,
)
from hengfa.errors import UsageError
from hengfa.runs.folder import MANIFEST
from hengfa.runs.graders import GRADER_FORMS
from hengfa.runs.look import find_run

if TYPE_CHECKING:
    from hengfa.grading.panel import How

_EPILOG = f"""\b
Graders:
{GRADER_FORMS}

\b
Examples:
  hengfa grade run plawbench-public-kimi_k2 --grader deepseek:deepseek-chat
  hengfa grade run answers.jsonl --rubric rubric.yaml --grader keywords
"""


@click.command("run", epilog=_EPILOG)
@click.argument("what", metavar="RUN|RESPONSES.jsonl")
@click.option(
    "--rubric",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Your own rubric, in YAML, for a file of responses.",
)
@click.option(
    "--panel",
    "how",
    type=click.Choice(["mean", "median", "majority"]),
    default="mean",
    show_default=True,
    help="How several graders make one mark, for a file of responses.",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write every item's points, as `hengfa grade calibrate` reads them.",
)
@click.option("--run", "name", help="Name of the folder below --runs for a file of responses.")
@rules_option
@runs_option
@grader_options
@json_option
def run_(
    what: str, rubric: Path | None, how: str, table: Path | None, name: str | None, rules: str,
    runs: Path, as_json: bool, **given: Unpack[GraderGiven],
) -> None:  # fmt: skip
    """Have responses graded: those of a run, or a file of your own with a rubric of your own.

    A line of RESPONSES.jsonl has id and response, and may have question, reference and as_of (the
    day on which cited law must be in force). Lines that are whole submissions, as `hengfa grade
    export` writes them, have their rubric in them. The same command again asks nothing twice.
    """
    graders = grader_choices(given)
    if not graders:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    if (Path(what) / MANIFEST).is_file() or (runs / what / MANIFEST).is_file():
        from hengfa.cli.grade_of_run import grade_one_run  # noqa: PLC0415 - keeps --help quick

        grade_one_run(find_run(what, runs), graders, chosen_rules(rules), table, as_json=as_json)
        return
    file = Path(what)
    if not file.is_file():
        raise UsageError(f"there is no run and no file {what!r}")
    # Libraries for YAML and tables are imported by those who need them.
    from hengfa.grading.marking import Choices  # noqa: PLC0415
    from hengfa.grading.people.score_table import scores_of, write_scores  # noqa: PLC0415
    from hengfa.grading.rubric_file import read_rubric  # noqa: PLC0415
    from hengfa.grading.submission import read_responses, read_submissions  # noqa: PLC0415
    from hengfa.report.graded import print_marking  # noqa: PLC0415
    from hengfa.runs.folder import named_folder, safe_name  # noqa: PLC0415
    from hengfa.runs.own_grading import grade_own  # noqa: PLC0415

    submissions = (
        read_submissions(file) if rubric is None else read_responses(file, read_rubric(rubric))
    )
    folder = named_folder(runs, name or f"grades-{safe_name(file.stem)}")
    marking = grade_own(folder, submissions, graders, Choices(), cast("How", how), say)
    if table is not None:
        rows = (
            row
            for one in marking.marked
            for grader, mark in one.marks.items()
            for row in scores_of(one.submission, mark, grader)
        )
        write_scores(table, rows)
        say(f"points of every item: {table}")
    if as_json:
        print_json(marking.as_json())
    else:
        print_marking(marking)
    say(f"folder: {folder}")


@click.command("export")
@click.argument("run")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write.",
)
@runs_option
def export_(run: str, out: Path, runs: Path) -> None:
    """Write what there is to grade in a run: one submission a line, with its rubric.

    \b
    Example:
      hengfa grade export plawbench-public-floor-sample -o submissions.jsonl
      hengfa grade serve submissions.jsonl -o scores.csv --rater 张三
    """
    from hengfa.grading.submission import write_submissions  # noqa: PLC0415
    from hengfa.runs.score import submissions_of  # noqa: PLC0415

    submissions = submissions_of(find_run(run, runs))
    if not submissions:
        raise UsageError(f"{run} has no answers that are scored by graders")
    write_submissions(out, submissions)
    say(f"wrote {len(submissions)} submissions to {out}")
