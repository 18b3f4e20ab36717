"""`hengfa export`: take runs elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.options import (
    Place,
    claim,
    force_option,
    language_option,
    runs_option,
    say,
    several,
)
from hengfa.evals.runs.folder import run_of
from hengfa.evals.runs.look import find_scored

if TYPE_CHECKING:
    import polars as pl

    from hengfa.evals.report.site.collect import Collected
    from hengfa.evals.report.site.views import Language

_out_option = several(
    click.option("-o", "--out", type=Place(dir_okay=False), help="File to write."),
    force_option("Replace the file if it exists."),
)
_runs_argument = click.argument("named", metavar="RUNS...", nargs=-1, required=True)
_published_option = click.option(
    "--published", is_flag=True, help="With the models of the papers, where questions are theirs."
)


@click.group("export", epilog="Example: hengfa export csv lawbench-zero_shot-floor-sample")
def command() -> None:
    """Take runs elsewhere: records, tables for a paper, pictures, a log for `inspect view`.

    RUNS are run folders, folders that hold runs, or names below --runs.
    """


@command.command("csv", epilog="Example: hengfa export csv RUN -o scores.csv")
@_runs_argument
@_out_option
@runs_option
def export_csv(named: tuple[str, ...], out: Path | None, force: bool, runs: Path) -> None:
    """Write the records of runs as CSV, with what each answer cost where that is known.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    from hengfa.evals.report.paper_tables import as_csv  # noqa: PLC0415 - only here

    file = claim(out or Path(f"{_name(named, runs)}.csv"), force=force)
    _write(file, as_csv(_records(named, runs)))


@command.command("parquet", epilog="Example: hengfa export parquet runs -o scores.parquet")
@_runs_argument
@_out_option
@runs_option
def export_parquet(named: tuple[str, ...], out: Path | None, force: bool, runs: Path) -> None:
    """Write the records of runs as one Parquet file."""
    from io import BytesIO  # noqa: PLC0415 - only here

    file = claim(out or Path(f"{_name(named, runs)}.parquet"), force=force)
    content = BytesIO()
    _records(named, runs).write_parquet(content, compression="zstd")
    _write(file, content.getvalue())


@command.command("markdown", epilog="Example: hengfa export markdown runs -o leaderboard.md")
@_runs_argument
@_out_option
@language_option
@_published_option
@runs_option
def export_markdown(
    named: tuple[str, ...],
    out: Path | None,
    force: bool,
    language: Language,
    published: bool,
    runs: Path,
) -> None:
    """Write leaderboards with intervals as Markdown tables."""
    from hengfa.evals.report.paper_tables import as_markdown, leaderboard_tables  # noqa: PLC0415

    file = claim(out or Path("leaderboard.md"), force=force)
    tables = leaderboard_tables(_collected(named, runs), language, published=published)
    _write(file, as_markdown(tables).encode())


@command.command("latex", epilog="Example: hengfa export latex runs -o leaderboard.tex")
@_runs_argument
@_out_option
@language_option
@_published_option
@runs_option
def export_latex(
    named: tuple[str, ...],
    out: Path | None,
    force: bool,
    language: Language,
    published: bool,
    runs: Path,
) -> None:
    """Write leaderboards with intervals as LaTeX tables, for the package booktabs."""
    from hengfa.evals.report.paper_tables import as_latex, leaderboard_tables  # noqa: PLC0415

    file = claim(out or Path("leaderboard.tex"), force=force)
    tables = leaderboard_tables(_collected(named, runs), language, published=published)
    _write(file, as_latex(tables).encode())


@command.command("charts", epilog="Example: hengfa export charts runs -o charts --format png")
@_runs_argument
@click.option(
    "-o",
    "--out",
    type=Place(file_okay=False),
    default=Path("charts"),
    help="Folder to write into.",
)
@force_option("Replace pictures that are there.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["svg", "png"]),
    default="svg",
    help="Kind of picture.",
)
@language_option
@runs_option
def export_charts(
    named: tuple[str, ...], out: Path, force: bool, kind: str, language: Language, runs: Path
) -> None:
    """Draw every chart of the site of these runs into a file of its own."""
    from hengfa.evals.report.charts.export import Drawing  # noqa: PLC0415 - loads much

    drawing, notices = Drawing(), dict[str, None]()
    pictures = _collected(named, runs).pictures.drawn
    files = {id_: claim(out / f"{id_}.{kind}", force=force) for id_ in pictures}
    for id_, picture in pictures.items():
        file = files[id_]
        for notice in drawing.save(picture.draw(language), file):
            notices.setdefault(notice.removeprefix(f"{file}: "))
    for notice in notices:
        say(notice)
    say(f"wrote {len(pictures)} pictures into {out}")


@command.command("eval", epilog="Example: hengfa export eval RUN && inspect view")
@click.argument("run", metavar="RUN[@GRADER]")
@_out_option
@runs_option
def export_eval(run: str, out: Path | None, force: bool, runs: Path) -> None:
    """Write a run as an Inspect log (.eval) that `inspect view` opens."""
    from hengfa.evals.runs.export import export_inspect_log  # noqa: PLC0415 - only here

    folder = find_scored(run, runs)
    file = claim(out or Path("logs", f"{run_of(folder).name}.eval"), force=force)
    export_inspect_log(folder, file)
    say(f"wrote {file}; open it with: inspect view --log-dir {file.parent}")


def _name(named: tuple[str, ...], runs: Path) -> str:
    """What a file is called if nobody said it: like the only run, or `records`."""
    from hengfa.evals.report.site.gather import run_folders  # noqa: PLC0415

    folders = run_folders(named, runs)
    return folders[0].name if len(folders) == 1 else "records"


def _records(named: tuple[str, ...], runs: Path) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - only here

    from hengfa.evals.report.site.gather import run_folders  # noqa: PLC0415

    return pl.concat([_with_costs(folder) for folder in run_folders(named, runs, say)])


def _with_costs(folder: Path) -> pl.DataFrame:
    """The records of a run, each with the cost of its response; early versions kept none."""
    import polars as pl  # noqa: PLC0415 - only here

    from hengfa.evals.results.tables import ResponseRow, read_records, read_responses  # noqa: PLC0415

    records = read_records([folder])
    if not any(folder.rglob(f"{ResponseRow.FOLDER}/*.parquet")):
        return records.with_columns(cost=pl.lit(None, pl.Float64), currency=pl.lit(None, pl.String))
    response = ["task", "rules", "sample", "repeat", "grader"]
    costs = read_responses([folder], [*response, "cost", "currency"])
    return records.join(costs, on=response, how="left", nulls_equal=True, maintain_order="left")


def _collected(named: tuple[str, ...], runs: Path) -> Collected:
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.report.site.collect import collect  # noqa: PLC0415 - loads much
    from hengfa.evals.report.site.gather import gather  # noqa: PLC0415

    with counting("reading tasks") as watch:
        return collect(gather(named, runs, say), notify=say, watch=watch)


def _write(file: Path, content: bytes) -> None:
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)
    say(f"wrote {file}")
