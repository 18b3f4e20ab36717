"""People who score, and graders against them: `hengfa grade people` from the answers of runs
(`export`, `pilot`) to those who score (`serve`) and back (`import`), `grade table` and `grade
calibrate`."""

from __future__ import annotations

import asyncio
import contextlib
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from hengfa.base.data.jsonfile import write_atomically, write_in_folder, write_lines
from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    PORT,
    Number,
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    out_option,
    print_json,
    runs_option,
    say,
)
from hengfa.evals.runs.look import find_run

if TYPE_CHECKING:
    from hengfa.evals.grading.submission import Submission

_file = Place(dir_okay=False)
_submissions_argument = click.argument("submissions", metavar="SUBMISSIONS.jsonl", type=_file)
_table_option = click.option(
    "-o", "--out", type=_file, required=True, help="The table to write (CSV)."
)
_force_option = force_option("Replace the file if it exists.")
_runs_argument = click.argument("names", metavar="RUN...", nargs=-1, required=True)


@click.group()
def people() -> None:
    """Have people score the responses that graders grade, blind.

    \b
    Example:
      hengfa grade people export plawbench-public-floor-sample -o submissions.jsonl
      hengfa grade people serve submissions.jsonl -o scores.csv --rater 张三
    """


@people.command("export")
@click.argument("names", metavar="RUN...|SUBMISSIONS.jsonl", nargs=-1, required=True)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["page", "sheet", "label-studio"]),
    default="page",
    help="What it is for: the page of `hengfa grade people serve`, a spreadsheet, Label Studio.",
)
@out_option
@runs_option
def export_(names: tuple[str, ...], kind: str, out: Path, force: bool, runs: Path) -> None:
    """Write what there is to grade in runs, or in a file of submissions, for people to score.

    For the page, and for `hengfa grade run`: one submission a line, with its rubric. Keys are made
    for those of runs: they tell the question, but not the model or the run, and two runs never
    share one. `hengfa grade table` has the same keys.

    For a spreadsheet: a row for each item. The column points is empty: put a number from 0 to the
    maximum, as it counts after deductions, and your name under rater. What stays empty is not
    scored; it is never taken for 0. Rows with an item that begins with * are for what is taken from
    a section or from the whole, as a number below 0; empty means nothing.

    For Label Studio: tasks, and beside them a labelling configuration of the same name with the
    ending .xml: paste it under Settings, Labeling Interface, Code; then import the tasks.

    \b
    Example:
      hengfa grade people export plawbench-public-floor-sample -o submissions.jsonl
      hengfa grade people serve submissions.jsonl -o scores.csv --rater 张三
      hengfa grade people export submissions.jsonl --format sheet -o sheet.csv
    """
    from hengfa.evals.grading.submission import read_submissions  # noqa: PLC0415
    from hengfa.evals.runs.people import blind_submissions  # noqa: PLC0415

    config = out.with_suffix(".xml")
    if kind == "label-studio":
        if config == out:
            raise UsageError(f"{out} is the name of the labelling configuration: end it in .json")
        claim(config, force=force)
    claim(out, force=force)
    if len(names) == 1 and (file := Path(names[0])).is_file():
        submissions = read_submissions(file)
    else:
        submissions = blind_submissions([find_run(name, runs) for name in names])
    if not submissions:
        raise UsageError(f"{', '.join(names)}: no answers that are scored by graders")
    if kind == "page":
        write_lines(out, submissions)
        say(f"wrote {len(submissions)} submissions to {out}")
    elif kind == "sheet":
        _write_sheet(submissions, out)
    else:
        _write_tasks(submissions, out, config)


def _write_sheet(submissions: Sequence[Submission], out: Path) -> None:
    from hengfa.evals.grading.people.score_table import blank_scores, item_texts, write_scores  # noqa: PLC0415

    rows = [row for submission in submissions for row in blank_scores(submission)]
    texts = {submission.key: item_texts(submission) for submission in submissions}
    write_scores(out, rows, [texts[row.submission].get(row.item, "") for row in rows])
    say(f"wrote {counted(len(rows), 'row')} for {len(submissions)} submissions to {out}")


def _write_tasks(submissions: Sequence[Submission], out: Path, config: Path) -> None:
    from hengfa.evals.grading.people.label_studio import label_studio_config, label_studio_tasks  # noqa: PLC0415

    tasks = msgspec.json.format(msgspec.json.encode(label_studio_tasks(submissions)), indent=1)
    write_in_folder(out, tasks)
    write_atomically(config, label_studio_config(submissions).encode())
    say(f"wrote {len(submissions)} tasks to {out} and the labelling configuration to {config}")


@people.command("pilot")
@_runs_argument
@click.option("-o", "--out", type=_file, required=True, help="The submissions to write.")
@click.option(
    "--key",
    type=_file,
    metavar="FILE",
    help="Where it says which model each is of (CSV).  [default: OUT with the ending .key.csv]",
)
@click.option(
    "--share",
    type=Number(0, 1, min_open=True),
    default=0.1,
    help="How much of every stratum is drawn, rounded up to whole samples.",
)
@click.option(
    "--by", metavar="FACET", help="Strata: a facet of the samples.  [default: those of the suite]"
)
@click.option("--seed", type=Whole(0), default=0, help="Of the draw.")
@force_option("Replace both files if they exist.")
@runs_option
def pilot_(
    names: tuple[str, ...], out: Path, key: Path | None, share: float, by: str | None, seed: int,
    force: bool, runs: Path,
) -> None:  # fmt: skip
    """Draw what people score before everything is graded: a share of every kind, blind.

    Of every task, and of every scenario of it where the suite tells them apart, the same share of
    the samples is drawn; of the runs that answered a sample, one by chance. The same runs, share
    and seed draw the same, and a larger share contains a smaller one. The key says which model each
    response is of: keep it from those who score.

    \b
    Example:
      hengfa grade people pilot plawbench-a plawbench-b -o pilot.jsonl --share 0.1 --seed 0
      hengfa grade people serve pilot.jsonl -o scores.csv --rater 张三
      hengfa grade run pilot.jsonl --grader deepseek:deepseek-chat --csv graded.csv
      hengfa grade calibrate scores.csv graded.csv --key pilot.key.csv
    """
    from hengfa.evals.runs.people import candidates, draw, write_pilot  # noqa: PLC0415

    key = key or out.with_suffix(".key.csv")
    if key == out:
        raise UsageError(f"{out} is the name of the key: write the submissions to another file")
    for file in (out, key):
        claim(file, force=force)
    every = candidates([find_run(name, runs) for name in names], by)
    if not every:
        raise UsageError(f"{', '.join(names)}: no answers that are scored by graders")
    drawn = draw(every, share=share, seed=seed)
    write_pilot(out, key, drawn)
    strata = {(candidate.task, candidate.stratum) for candidate in every}
    samples = {(candidate.task, candidate.sample) for candidate in every}
    models = {candidate.model for candidate in drawn}
    say(f"drew {len(drawn)} of {len(samples)} samples in {len(strata)} strata to {out}")
    say(f"their {len(models)} models are in {key}: keep it from those who score")


@click.command("table")
@_runs_argument
@_table_option
@click.option("--grader", "graders", multiple=True, help="Only what this grader gave; several.")
@_force_option
@runs_option
def table_(
    names: tuple[str, ...], out: Path, graders: tuple[str, ...], force: bool, runs: Path
) -> None:
    """Write what graders gave the answers of runs: a row for each item, as `calibrate` reads it.

    Nobody is asked: it is what `hengfa grade run` or `hengfa eval --grader` kept. Keys are those of
    `hengfa grade people export` and `hengfa grade people pilot`; the column model
    says whose answer it is.

    \b
    Example:
      hengfa grade table plawbench-a plawbench-b -o graded.csv
      hengfa grade calibrate scores.csv graded.csv
    """
    from hengfa.evals.grading.people.score_table import write_scores  # noqa: PLC0415
    from hengfa.evals.runs.people import graded_scores  # noqa: PLC0415

    claim(out, force=force)
    rows = graded_scores([find_run(name, runs) for name in names], graders)
    write_scores(out, rows)
    submissions, who = ({getattr(row, name) for row in rows} for name in ("submission", "rater"))
    by = ", ".join(sorted(who))
    say(f"wrote {len(rows)} rows for {len(submissions)} submissions, graded by {by}, to {out}")


@people.command("serve")
@_submissions_argument
@_table_option
@click.option("--rater", default="expert", help="Who scores.")
@click.option(
    "--port",
    type=PORT,
    default=0,
    metavar="N",
    show_default="a free one",
    help="Port on this machine.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def serve_(submissions: Path, out: Path, rater: str, port: int, no_browser: bool) -> None:
    """Score responses on a page in the browser.

    The page is served on this machine only. Responses come without the names of models, in an order
    of the rater's own. Every change is on disk before the page says so; stop with Ctrl+C and go on
    with the same command. Several raters may write to one table, each with a name.

    \b
    Example:
      hengfa grade people serve submissions.jsonl -o scores.csv --rater 张三
    """
    from hengfa.evals.grading.people.expert_page import serve  # noqa: PLC0415
    from hengfa.evals.grading.people.notebook import Notebook  # noqa: PLC0415
    from hengfa.evals.grading.submission import read_submissions  # noqa: PLC0415

    notebook = Notebook(read_submissions(submissions), out, rater)
    for notice in notebook.notices:
        say(notice)

    def ready(address: str) -> None:
        click.echo(address)
        say(f"{len(notebook.submissions)} responses for {rater}; Ctrl+C ends. Scores: {out}")
        if not no_browser:
            webbrowser.open(address)

    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve(notebook, port, ready))
    finally:
        notebook.close()


@people.command("import")
@click.argument("export", metavar="EXPORT.json", type=_file)
@click.option(
    "--submissions",
    type=_file,
    required=True,
    help="The file that the tasks were made from: the tasks themselves are blind.",
)
@_table_option
@_force_option
def import_(export: Path, submissions: Path, out: Path, force: bool) -> None:
    """Read the annotations of an export of Label Studio in the format JSON.

    Every annotator becomes a rater. Cancelled annotations are left out and counted.

    \b
    Example:
      hengfa grade people import export.json --submissions submissions.jsonl -o scores.csv
    """
    from hengfa.evals.grading.people.label_studio import read_label_studio  # noqa: PLC0415
    from hengfa.evals.grading.people.score_table import write_scores  # noqa: PLC0415
    from hengfa.evals.grading.submission import read_submissions  # noqa: PLC0415

    claim(out, force=force)
    imported = read_label_studio(export, read_submissions(submissions))
    write_scores(out, imported.scores)
    say(f"wrote {len(imported.scores)} scores of {', '.join(imported.raters) or 'nobody'} to {out}")
    left_out = (imported.cancelled, imported.empty, imported.repeated)
    if any(left_out):
        named = zip(left_out, ("cancelled", "empty", "made anew"), strict=True)
        counts = ", ".join(f"{count} {why}" for count, why in named if count)
        say(f"of {imported.annotations} annotations left out: {counts}")


@click.command("calibrate")
@click.argument("human", metavar="HUMAN.csv", type=_file)
@click.argument("graded", metavar="GRADED.csv", type=_file)
@click.option(
    "--key", type=_file, help="The key of a pilot, which adds the means of models to the table."
)
@click.option("--plot", type=_file, metavar="FILE", help="A picture: .svg, .png or .html.")
@force_option("Replace the picture if it exists.")
@click.option("--seed", type=Whole(0), default=0, help="Of the resamples.")
@click.option(
    "--resamples",
    type=Whole(100, 1_000_000),
    default=10_000,
    help="How many times submissions are drawn anew for the intervals.",
)
@json_option
def calibrate_(
    human: Path, graded: Path, key: Path | None, plot: Path | None, force: bool, seed: int,
    resamples: int, as_json: bool,
) -> None:  # fmt: skip
    """Compare graders with people.

    Both tables have the columns submission, task, dimension, item, maximum, points and rater; of
    totals, one row for each submission and rater, submission, maximum, total and rater are enough.
    Of several people the mean is the target, and how far they agree with each other is shown next
    to the graders. Of several graders each has its rows, and a column model adds the means of
    models. An overall rating that does not count, as CLaw has it, is compared before the sums.

    \b
    Example:
      hengfa grade calibrate scores.csv graded.csv
      hengfa grade calibrate scores.csv graded.csv --plot calibration.html --json > calibration.json
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.grading.people.calibration import calibrate  # noqa: PLC0415
    from hengfa.evals.grading.people.score_table import read_scores  # noqa: PLC0415
    from hengfa.evals.report.terminal.grading import calibration_document, print_calibration  # noqa: PLC0415
    from hengfa.evals.runs.people import read_key  # noqa: PLC0415

    if plot is not None:
        claim(plot, force=force)
    tables = read_scores(human), read_scores(graded)
    models = read_key(key) if key is not None else None
    with counting("resampling") as progress:
        calibration = calibrate(
            *tables, models=models, seed=seed, resamples=resamples, progress=progress
        )
    if plot is not None:
        from hengfa.evals.report.charts.calibration import plot_calibration  # noqa: PLC0415

        for notice in plot_calibration(calibration.pairs, plot):
            say(notice)
    if as_json:
        print_json(calibration_document(calibration))
    else:
        print_calibration(calibration)
