"""The tables and figures of the papers, with runs among their rows: a file for each paper.

`exhibit.py` says what they are. Here runs are found for them, and they are written: Markdown,
LaTeX, CSV and JSON, or drawn.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import write_in_folder
from hengfa.base.errors import UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.evals.report.charts.vega import PICTURES, Drawing
from hengfa.evals.report.paper_tables import (
    as_csv,
    as_latex,
    as_markdown,
    escape_latex,
    escape_markdown,
)
from hengfa.evals.report.papers.exhibit import NAMES, Exhibit, Paper, Shelf, get_paper
from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.words import Language

__all__ = [
    "NAMES",
    "TEXTS",
    "Exhibit",
    "Paper",
    "Shelf",
    "files_of",
    "get_paper",
    "make_shelf",
    "paper",
    "write_exhibit",
]

TABLES: Final = (".md", ".tex", ".csv")
TEXTS: Final = (*TABLES, ".json")


def paper(
    suite: str,
    name: str,
    *named: str | os.PathLike[str],
    runs: str | os.PathLike[str] = "runs",
    facts: str | os.PathLike[str] | None = None,
) -> Exhibit:
    """A table or figure of a suite's paper, such as `table-3`, with runs among its rows.

    Named are runs, folders that hold runs, or names below `runs`; `facts` is a CSV file of what is
    known of their models, for LawBench's figures.
    """
    known = get_paper(suite)
    plate = known.plate(name)
    if plate is None:
        there_is = ", ".join(each.id for each in known.plates)
        raise UsageError(f"{suite} has no {name!r}; there is: {there_is}")
    names = [os.fspath(each) for each in named]
    shelf = make_shelf(known, names, Path(runs), facts=None if facts is None else Path(facts))
    return known.exhibit(plate, shelf)


def make_shelf(
    paper: Paper,
    named: Sequence[str],
    runs: Path,
    *,
    facts: Path | None = None,
    notify: Notify = quiet,
) -> Shelf:
    """What is at hand: runs by their names, and documents that other commands wrote."""
    files = [Path(name) for name in named if Path(name).is_file()]
    folders = [name for name in named if Path(name) not in files]
    sources = gather(folders, runs, notify) if folders else []
    return paper.shelf(sources, files, facts)


# --- exhibits as files ---


def write_exhibit(exhibit: Exhibit, file: Path, language: Language) -> list[str]:
    """Write an exhibit in the form that the ending of the file names; what to know is returned."""
    kind = file.suffix.lower()
    if kind in PICTURES:
        draw = exhibit.drawn
        if draw is None:
            why = "; ".join(needed.en for needed in exhibit.content.needs) or "it has no rows"
            raise UsageError(f"{exhibit.plate.id} has nothing to draw: {why}")
        return Drawing().save({**draw(language), "title": exhibit.title(language)}, file)
    if kind not in TEXTS:
        raise UsageError(f"{file}: the name must end in {', '.join((*TEXTS, *PICTURES))}")
    write_in_folder(file, _content_of(exhibit, kind, language))
    return []


def _content_of(exhibit: Exhibit, kind: str, language: Language) -> bytes:
    remarks = exhibit.remarks(language)
    match kind:
        case ".md":
            below = "\n" + "".join(f"- {escape_markdown(remark)}\n" for remark in remarks)
            return (as_markdown([exhibit.table(language)]) + below).encode()
        case ".tex":
            below = "".join(f"% {escape_latex(remark)}\n" for remark in remarks)
            return (as_latex([exhibit.table(language)]) + below).encode()
        case ".csv":
            return as_csv(exhibit.frame())
        case _:
            return msgspec.json.format(msgspec.json.encode(exhibit.as_json())) + b"\n"


def files_of(exhibit: Exhibit, folder: Path) -> list[Path]:
    """Where an exhibit goes that is written in every form: as a table, and as a picture."""
    kinds = (*TABLES, *((".svg",) if exhibit.drawn else ()))
    return [folder / f"{exhibit.plate.id}{kind}" for kind in kinds]
