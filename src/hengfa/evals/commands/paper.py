"""`hengfa paper`: tables and figures of the papers with one's own runs in them; what papers print,
whether it adds up, and what goes together in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Place,
    claim,
    force_option,
    json_option,
    language_option,
    print_json,
    runs_option,
    say,
    setting_option,
    settings_option,
)
from hengfa.evals.results.published.papers import (
    paper_of,
    papers,
    read_tables,
    table_file,
    table_names,
)
from hengfa.evals.suites.registry import outside_suites

if TYPE_CHECKING:
    from hengfa.evals.report.papers.exhibit import Exhibit
    from hengfa.evals.report.words import Language

_EPILOG = """\b
Examples:
  hengfa paper
  hengfa paper lawbench table-3
  hengfa paper lawbench figure-4 runs --facts my-models.csv -o size.svg
  hengfa paper lawbench runs -o exhibits
  hengfa paper figures lawbench
  hengfa paper check
"""


@click.command("paper", epilog=_EPILOG)
@click.argument("name", required=False)
@click.argument("named", metavar="[EXHIBIT] [RUNS]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=Place(),
    help="File for one exhibit (.md, .tex, .csv, .json, .svg, .png, .html), or folder for all of "
    "them, each as a table and a picture.",
)
@force_option("Replace files that are there.")
@click.option(
    "--facts",
    type=Place(exists=True, dir_okay=False),
    help="CSV of what is known of your models (size, family, base), for LawBench's figures.",
)
@language_option
@runs_option
@json_option
def command(
    name: str | None,
    named: tuple[str, ...],
    out: Path | None,
    force: bool,
    facts: Path | None,
    language: Language,
    runs: Path,
    as_json: bool,
) -> None:
    """Show a table or figure of a paper, with its published rows and your runs among them.

    NAME is a suite; EXHIBIT such as table-3 or figure-4, all where none is named. RUNS are run
    folders, folders that hold runs, names below --runs, or JSON documents of other commands where
    an exhibit takes them. Runs count by the official rules, as papers do. What an exhibit needs
    and no run has is said, with the command that makes it.
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.report.papers import NAMES, get_paper, make_shelf, write_exhibit  # noqa: PLC0415 - loads much
    from hengfa.evals.report.terminal.papers import print_exhibit, print_papers  # noqa: PLC0415

    if name is None:
        known = [get_paper(each) for each in NAMES]
        if as_json:
            plates = {paper.suite: paper.plates for paper in known}
            print_json({suite: {it.id: it.title.en for it in of} for suite, of in plates.items()})
        else:
            print_papers(known, language)
        return
    paper = get_paper(name)
    plate = paper.plate(named[0]) if named else None
    if plate is not None and out is not None:
        claim(out, force=force)
    shelf = make_shelf(paper, named[1:] if plate else named, runs, facts=facts, notify=say)
    with counting("reading runs") as watch:
        made = paper.exhibits(shelf, [plate] if plate else (), watch)
    if plate is not None and out is not None:
        for notice in write_exhibit(made[0], out, language):
            say(notice)
        say(f"wrote {out}")
    elif out is not None:
        _write_all(made, out, force, language)
    elif as_json:
        documents = [exhibit.as_json() for exhibit in made]
        print_json(documents[0] if plate else documents)
    else:
        for number, exhibit in enumerate(made):
            if number:
                click.echo()
            print_exhibit(exhibit, language)


def _write_all(made: Sequence[Exhibit], out: Path, force: bool, language: Language) -> None:
    from hengfa.evals.report.papers import files_of, write_exhibit  # noqa: PLC0415

    every = [(file, exhibit) for exhibit in made for file in files_of(exhibit, out)]
    files = {claim(file, force=force): exhibit for file, exhibit in every}
    notices = dict[str, None]()
    for file, exhibit in files.items():
        for notice in write_exhibit(exhibit, file, language):
            notices.setdefault(notice.removeprefix(f"{file}: "))
    for notice in notices:
        say(notice)
    say(f"wrote {counted(len(files), 'file')} into {out}")


_FIELDS = ("setting", "model", "title", "source", "grader", "printed")


@click.command("figures")
@click.argument("suite", required=False)
@setting_option
@json_option
def figures_(suite: str | None, setting: str | None, as_json: bool) -> None:
    """List the figures that papers print, table by table.

    Without SUITE, which tables there are. Numbers stand as they are printed, per cent as per cent.

    \b
    Examples:
      hengfa paper figures
      hengfa paper figures lawbench --shots 1
      hengfa paper figures judgment --json
    """
    _check_suite(suite)
    if suite is None and setting is not None:
        raise UsageError("--setting and --shots need a SUITE")
    tables = {name: read_tables(table_file(name)) for name in table_names(suite)}
    if setting is not None and suite is not None:
        every = tables[suite]
        tables[suite] = [row for row in every if row.setting == setting]
        if not tables[suite]:
            there_is = ", ".join(dict.fromkeys(row.setting for row in every))
            raise UsageError(f"{suite} has no published setting {setting!r}; there is: {there_is}")
    if as_json:
        document = [
            {
                "table": name,
                "paper": paper_of(name),
                "rows": [{field: getattr(row, field) for field in _FIELDS} for row in rows],
            }
            for name, rows in tables.items()
        ]
        print_json(document)
        return
    from hengfa.evals.report.terminal.papers import print_contents, print_rows  # noqa: PLC0415 - not for JSON

    if suite is None:
        print_contents(tables)
    else:
        for name, rows in tables.items():
            print_rows(name, rows)


@click.command("check")
@click.argument("suite", required=False)
@json_option
def check_(suite: str | None, as_json: bool) -> None:
    """Recompute what can be recomputed, and list what does not add up.

    A printed number stands for every number that rounds to it, so what is listed cannot be, however
    the numbers behind it were rounded. docs/papers.md tells the rules and what is known.

    \b
    Examples:
      hengfa paper check
      hengfa paper check plawbench --json
    """
    # correlations of whole columns need numpy, which listing does not
    from hengfa.evals.results.published.check import check_published  # noqa: PLC0415

    _check_suite(suite)
    report = check_published(suite)
    if as_json:
        print_json(report.as_json())
        return
    from hengfa.evals.report.terminal.papers import print_findings  # noqa: PLC0415 - not for JSON

    print_findings(report)


@click.command("correlate")
@click.argument("suite")
@click.option("--x", required=True, metavar="FIGURE", help="A task or figure of the suite.")
@click.option("--y", required=True, metavar="FIGURE", help="Another one.")
@settings_option("all together")
@click.option(
    "--of",
    type=click.Choice(["published", "runs", "both"]),
    default="published",
    help="Models of the paper, runs on this machine, or both.",
)
@runs_option
@json_option
def correlate_(
    suite: str, x: str, y: str, setting: str | None, of: str, runs: Path, as_json: bool
) -> None:
    """Do two figures go together across models?

    Pearson's and Spearman's correlation with 95 % intervals over the models, and a warning where
    these are few. Without --setting, all settings together: then a model may stand for several
    points, which is said too.

    \b
    Examples:
      hengfa paper correlate claw --x rouge_l --y case_overall@Gemini-2.5-Pro
      hengfa paper correlate legalagentbench --x tokens --y success/all --method react
      hengfa paper correlate lawbench --x 1-1 --y 3-1 --shots 0 --of both
    """
    from hengfa.evals.runs.leaderboard import correlate  # noqa: PLC0415 - needs numpy

    _check_suite(suite)
    printed, own = of != "runs", None if of == "published" else runs
    together = correlate(suite, x, y, setting=setting, with_published=printed, runs=own, notify=say)
    if as_json:
        print_json(together.as_json())
        return
    from hengfa.evals.report.terminal.papers import print_together  # noqa: PLC0415 - not for JSON

    print_together(together)


def _check_suite(suite: str | None) -> None:
    outside_suites()  # makes their tables known
    if suite is not None and suite not in (known := papers()):
        raise UsageError(f"nothing published of {suite!r}; there is: {', '.join(known)}")
