"""`hengfa grade sheet|serve|label-studio|calibrate`: people who score, and graders against them."""

from __future__ import annotations

import asyncio
import contextlib
import webbrowser
from pathlib import Path

import click
import msgspec

from hengfa.cli.options import PORT, Place, Whole, claim, force_option, json_option, print_json, say
from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import UsageError

_file = Place(dir_okay=False)
_submissions_argument = click.argument("submissions", metavar="SUBMISSIONS.jsonl", type=_file)
_table_option = click.option(
    "-o", "--out", type=_file, required=True, help="The table to write (CSV)."
)
_force_option = force_option("Replace the file if it exists.")


@click.command("sheet")
@_submissions_argument
@_table_option
@_force_option
def sheet_(submissions: Path, out: Path, force: bool) -> None:
    """Write the table that a person fills in: a row for each item.

    The column points is empty: put a number from 0 to the maximum, as it counts after deductions,
    and your name under rater. What stays empty is not scored; it is never taken for 0. Rows with an
    item that begins with * are for what is taken from a section or from the whole, as a number
    below 0; empty means nothing.

    \b
    Example:
      hengfa grade sheet submissions.jsonl -o sheet.csv
    """
    from hengfa.grading.people.score_table import (  # noqa: PLC0415
        blank_scores,
        item_texts,
        write_scores,
    )
    from hengfa.grading.submission import read_submissions  # noqa: PLC0415

    claim(out, force=force)
    submitted = read_submissions(submissions)
    rows = [row for submission in submitted for row in blank_scores(submission)]
    texts = {submission.key: item_texts(submission) for submission in submitted}
    write_scores(out, rows, [texts[row.submission].get(row.item, "") for row in rows])
    say(f"wrote {len(rows)} rows for {len(submitted)} submissions to {out}")


@click.command("serve")
@_submissions_argument
@_table_option
@click.option("--rater", default="expert", show_default=True, help="Who scores.")
@click.option(
    "--port", type=PORT, default=0, metavar="N", help="Port on this machine.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def serve_(submissions: Path, out: Path, rater: str, port: int, no_browser: bool) -> None:
    """Score responses on a page in the browser.

    The page is served on this machine only. Responses come without the names of models, in an order
    of the rater's own. Every change is on disk before the page says so; stop with Ctrl+C and go on
    with the same command. Several raters may write to one table, each with a name.

    \b
    Example:
      hengfa grade serve submissions.jsonl -o scores.csv --rater 张三
    """
    from hengfa.grading.people.expert_page import serve  # noqa: PLC0415
    from hengfa.grading.people.notebook import Notebook  # noqa: PLC0415
    from hengfa.grading.submission import read_submissions  # noqa: PLC0415

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


@click.group("label-studio")
def label_studio_() -> None:
    """Have responses scored in Label Studio.

    \b
    Example:
      hengfa grade label-studio export submissions.jsonl -o tasks.json
      hengfa grade label-studio import export.json --submissions submissions.jsonl -o scores.csv
    """


@label_studio_.command("export")
@_submissions_argument
@click.option("-o", "--out", type=_file, required=True, help="The tasks to write (JSON).")
@force_option("Replace both files if they exist.")
def export_(submissions: Path, out: Path, force: bool) -> None:
    """Write tasks, and a labelling configuration beside them.

    The configuration has the name of the tasks with the ending .xml: paste it under Settings,
    Labeling Interface, Code; then import the tasks.
    """
    from hengfa.grading.people.label_studio import (  # noqa: PLC0415
        label_studio_config,
        label_studio_tasks,
    )
    from hengfa.grading.submission import read_submissions  # noqa: PLC0415

    config = out.with_suffix(".xml")
    if config == out:
        raise UsageError(f"{out} is the name of the labelling configuration: end it in .json")
    for file in (out, config):
        claim(file, force=force)
    submitted = read_submissions(submissions)
    with disk_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    tasks = msgspec.json.format(msgspec.json.encode(label_studio_tasks(submitted)), indent=1)
    write_atomically(out, tasks)
    write_atomically(config, label_studio_config(submitted).encode())
    say(f"wrote {len(submitted)} tasks to {out} and the labelling configuration to {config}")


@label_studio_.command("import")
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
    """Read the annotations of an export in the format JSON.

    Every annotator becomes a rater. Cancelled annotations are left out and counted.
    """
    from hengfa.grading.people.label_studio import read_label_studio  # noqa: PLC0415
    from hengfa.grading.people.score_table import write_scores  # noqa: PLC0415
    from hengfa.grading.submission import read_submissions  # noqa: PLC0415

    claim(out, force=force)
    imported = read_label_studio(export, read_submissions(submissions))
    write_scores(out, imported.scores)
    say(f"wrote {len(imported.scores)} scores of {', '.join(imported.raters) or 'nobody'} to {out}")
    left_out = {
        "cancelled": imported.cancelled,
        "empty": imported.empty,
        "made anew": imported.repeated,
    }
    if any(left_out.values()):
        counts = ", ".join(f"{count} {why}" for why, count in left_out.items() if count)
        say(f"of {imported.annotations} annotations left out: {counts}")


@click.command("calibrate")
@click.argument("human", metavar="HUMAN.csv", type=_file)
@click.argument("graded", metavar="GRADED.csv", type=_file)
@click.option("--plot", type=_file, metavar="FILE", help="A picture: .svg, .png or .html.")
@force_option("Replace the picture if it exists.")
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Of the resamples.")
@click.option(
    "--resamples",
    type=Whole(100, 1_000_000),
    default=10_000,
    show_default=True,
    help="How many times submissions are drawn anew for the intervals.",
)
@json_option
def calibrate_(
    human: Path, graded: Path, plot: Path | None, force: bool, seed: int, resamples: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Compare graders with people.

    Both tables have the columns submission, task, dimension, item, maximum, points and rater. Of
    several people the mean is the target, and how far they agree with each other is shown next to
    the graders. Of several graders each has its rows, and a column model adds the means of models.

    \b
    Example:
      hengfa grade calibrate scores.csv graded.csv
      hengfa grade calibrate scores.csv graded.csv --plot calibration.html --json > calibration.json
    """
    from hengfa.grading.people.calibration import calibrate  # noqa: PLC0415
    from hengfa.grading.people.score_table import read_scores  # noqa: PLC0415
    from hengfa.report.terminal.grading import calibration_document, print_calibration  # noqa: PLC0415
    from hengfa.report.terminal.progress import counting  # noqa: PLC0415

    if plot is not None:
        claim(plot, force=force)
    tables = read_scores(human), read_scores(graded)
    with counting("resampling") as progress:
        calibration = calibrate(*tables, seed=seed, resamples=resamples, progress=progress)
    if plot is not None:
        from hengfa.report.charts.calibration import plot_calibration  # noqa: PLC0415

        for notice in plot_calibration(calibration.pairs, plot):
            say(notice)
    if as_json:
        print_json(calibration_document(calibration))
    else:
        print_calibration(calibration)
