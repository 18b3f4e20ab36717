"""`hengfa export`: take runs elsewhere."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.data.jsonfile import write_in_folder
from hengfa.base.errors import MissingExtra, UsageError
from hengfa.base.options import Place, claim, force_option, language_option, runs_option, say
from hengfa.evals.runs.folder import run_of
from hengfa.evals.runs.look import find_scored

if TYPE_CHECKING:
    import polars as pl

    from hengfa.evals.report.site.build import Collected
    from hengfa.evals.report.words import Language

FORMATS = ("csv", "parquet", "markdown", "latex", "charts", "eval")
_EPILOG = """\b
Formats:
  csv, parquet     the records of runs, with what each answer cost where that is known
  markdown, latex  leaderboards with intervals (LaTeX: for the package booktabs)
  charts           every chart of the site, each in a file of its own
  eval             one run as a log of Inspect, for `inspect view`

\b
Examples:
  hengfa export csv RUN -o scores.csv
  hengfa export latex runs -o leaderboard.tex --published
  hengfa export charts runs -o charts --format png
  hengfa export eval RUN && inspect view
"""


@click.command("export", epilog=_EPILOG)
@click.argument("what", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("named", metavar="RUNS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    type=Place(),
    help="File to write; for charts a folder.  [default: named after what is in it]",
)
@force_option("Replace what is there.")
@language_option
@click.option(
    "--published",
    is_flag=True,
    help="Leaderboards with the models of the papers, where questions are theirs.",
)
@click.option(
    "--format", "kind", type=click.Choice(["svg", "png"]), default="svg", help="Kind of charts."
)
@runs_option
def command(
    what: str,
    named: tuple[str, ...],
    out: Path | None,
    force: bool,
    language: Language,
    published: bool,
    kind: str,
    runs: Path,
) -> None:
    """Take runs elsewhere: records, tables for a paper, pictures, a log for `inspect view`.

    RUNS are run folders, folders that hold runs, or names below --runs; for FORMAT eval, one
    RUN[@GRADER]. In CSV a text that a spreadsheet would take for a formula has an apostrophe before
    it.
    """
    if what == "charts":
        _export_charts(named, out or Path("charts"), force, kind, language, runs)
    elif what == "eval":
        _export_log(named, out, force, runs)
    elif what in {"csv", "parquet"}:
        _export_records(what, named, out, force, runs)
    else:
        _export_leaderboards(what, named, out, force, language, published, runs)


def _export_records(
    what: str, named: tuple[str, ...], out: Path | None, force: bool, runs: Path
) -> None:
    """Into a file that is called like the only run, or `records`, if nobody said how."""
    import polars as pl  # noqa: PLC0415 - only here

    from hengfa.evals.report.paper_tables import as_csv  # noqa: PLC0415
    from hengfa.evals.report.site.boards import run_folders  # noqa: PLC0415

    folders = run_folders(named, runs, say)
    name = folders[0].name if len(folders) == 1 else "records"
    file = claim(out or Path(f"{name}.{what}"), force=force)
    records = pl.concat([_with_costs(folder) for folder in folders])
    content = BytesIO()
    if what == "csv":
        content.write(as_csv(records))
    else:
        records.write_parquet(content, compression="zstd")
    _write(file, content.getvalue())


def _export_leaderboards(
    what: str,
    named: tuple[str, ...],
    out: Path | None,
    force: bool,
    language: Language,
    published: bool,
    runs: Path,
) -> None:
    from hengfa.evals.report.paper_tables import as_latex, as_markdown, leaderboard_tables  # noqa: PLC0415 - only here

    ending, written = ("md", as_markdown) if what == "markdown" else ("tex", as_latex)
    file = claim(out or Path(f"leaderboard.{ending}"), force=force)
    tables = leaderboard_tables(_collected(named, runs), language, published=published)
    _write(file, written(tables).encode())


def _export_charts(
    named: tuple[str, ...], out: Path, force: bool, kind: str, language: Language, runs: Path
) -> None:
    from hengfa.evals.report.charts.vega import Drawing  # noqa: PLC0415 - loads much

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


def _export_log(named: tuple[str, ...], out: Path | None, force: bool, runs: Path) -> None:
    if len(named) != 1:
        raise UsageError("a log is of one run: hengfa export eval RUN")
    folder = find_scored(named[0], runs)
    file = claim(out or Path("logs", f"{run_of(folder).name}.eval"), force=force)
    try:
        from hengfa.evals.runs.inspect_log import export_inspect_log  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("inspect", "hengfa export eval") from error
    export_inspect_log(folder, file)
    say(f"wrote {file}; open it with: inspect view --log-dir {file.parent}")


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
    from hengfa.evals.report.site.boards import gather  # noqa: PLC0415
    from hengfa.evals.report.site.build import collect  # noqa: PLC0415 - loads much

    with counting("reading tasks") as watch:
        return collect(gather(named, runs, say), notify=say, watch=watch)


def _write(file: Path, content: bytes) -> None:
    write_in_folder(file, content)
    say(f"wrote {file}")
