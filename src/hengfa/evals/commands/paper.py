"""`hengfa paper`: the tables and figures of the papers, with one's own runs in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.errors import counted
from hengfa.base.options import (
    Place,
    claim,
    force_option,
    json_option,
    language_option,
    print_json,
    runs_option,
    say,
)

if TYPE_CHECKING:
    from hengfa.evals.report.papers.exhibit import Exhibit
    from hengfa.evals.report.site.views import Language

_EPILOG = """\b
Examples:
  hengfa paper
  hengfa paper lawbench table-3
  hengfa paper lawbench figure-4 runs --facts my-models.csv -o size.svg
  hengfa paper lawbench runs -o exhibits
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
    from hengfa.evals.report.papers import (  # noqa: PLC0415 - loads much
        NAMES,
        exhibits,
        find_plate,
        get_paper,
        make_shelf,
    )
    from hengfa.evals.report.terminal.papers import print_exhibit, print_papers  # noqa: PLC0415

    if name is None:
        papers = [get_paper(each) for each in NAMES]
        if as_json:
            print_json(
                {
                    paper.suite: {plate.id: plate.title.en for plate in paper.plates}
                    for paper in papers
                }
            )
        else:
            print_papers(papers, language)
        return
    paper = get_paper(name)
    plate = find_plate(paper, named[0]) if named else None
    if plate is not None and out is not None:
        claim(out, force=force)
    shelf = make_shelf(paper, named[1:] if plate else named, runs, facts=facts, notify=say)
    with counting("reading runs") as watch:
        made = exhibits(paper, shelf, [plate] if plate else (), watch)
    if plate is not None and out is not None:
        _write(made[0], out, language)
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


def _write(exhibit: Exhibit, out: Path, language: Language) -> None:
    from hengfa.evals.report.papers.writing import write_exhibit  # noqa: PLC0415 - loads much

    for notice in write_exhibit(exhibit, out, language):
        say(notice)
    say(f"wrote {out}")


def _write_all(made: Sequence[Exhibit], out: Path, force: bool, language: Language) -> None:
    from hengfa.evals.report.papers.writing import files_of, write_exhibit  # noqa: PLC0415

    files = {
        claim(file, force=force): exhibit for exhibit in made for file in files_of(exhibit, out)
    }
    notices = dict[str, None]()
    for file, exhibit in files.items():
        for notice in write_exhibit(exhibit, file, language):
            notices.setdefault(notice.removeprefix(f"{file}: "))
    for notice in notices:
        say(notice)
    say(f"wrote {counted(len(files), 'file')} into {out}")
