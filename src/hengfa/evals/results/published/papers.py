"""What papers have printed: the scores of published models, to stand beside a run.

One CSV file per suite in `published/tables/`, and files beside it for a paper's other tables; the
README there says how they and their columns are named.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError

TABLES = Path(str(resources.files("hengfa.evals.results.published").joinpath("tables")))
IDENTITY = ("setting", "model", "title", "source")
"""The first columns of every file."""
GRADER = "grader"
"""The column after them, where scores are a grader's."""
PAPERS = "papers.csv"
"""In a folder of tables: suite and the paper that its tables are from."""

_outside: dict[str, Path] = {}
"""The folders of suites that are not ours."""


def set_outside(folders: Mapping[str, Path]) -> None:
    """Make known the tables of all suites from outside: folders with `papers.csv` and tables."""
    for suite, folder in folders.items():
        if suite not in _read_papers(folder / PAPERS):
            problem = f"the suite {suite!r} is not in it"
            raise DataError(problem, file=folder / PAPERS, field="suite")
    _outside.clear()
    _outside.update(folders)


def papers() -> dict[str, str]:
    """Suite to the paper that its tables are from."""
    named = _read_papers(TABLES / PAPERS)
    for suite, folder in _outside.items():
        named[suite] = _read_papers(folder / PAPERS)[suite]
    return named


def _read_papers(file: Path) -> dict[str, str]:
    with disk_errors(file), file.open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream)) or [[]]
    if header != ["suite", "paper"]:
        raise DataError("the columns must be suite and paper", file=file)
    return dict(row for row in rows if len(row) == 2)


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """The scores of one model in one setting, as a paper prints them.

    Values are fractions: the printed per cent divided by 100, nothing else. Papers round (LawBench
    to two decimals of a per cent), so a value may be off by half of the last printed digit, and a
    figure recomputed from tasks may differ from the printed one by twice that. What a paper leaves
    out is not there.
    """

    model: str
    """Its name in the released predictions."""
    title: str
    """Its name in the paper."""
    setting: str
    source: str
    """Where in the paper, such as `tables 24-27`."""
    tasks: dict[str, float]
    figures: dict[str, float]
    printed: dict[str, str] = field(default_factory=dict)
    """Every number by its name with the digits it is printed with, per cent as per cent."""
    grader: str = ""
    """Who graded, where a model did."""


def table_names(suite: str | None = None) -> list[str]:
    """The tables of a suite, or of all: the scores (`lawbench`), then others (`lawbench-data`)."""
    known = papers()
    return [
        file.stem
        for name in ([suite] if suite is not None else known)
        for file in sorted(_outside.get(name, TABLES).glob("*.csv"), key=lambda file: file.stem)
        if file.name != PAPERS and _suite_of(file.stem, known) == name
    ]


def _suite_of(table: str, known: Iterable[str]) -> str:
    """The suite in the name of a table: of several that fit, the longest."""
    fitting = (suite for suite in known if table == suite or table.startswith(f"{suite}-"))
    return max(fitting, key=len, default="")


def table_file(table: str) -> Path:
    """Where a table is."""
    return _outside.get(_suite_of(table, papers()), TABLES) / f"{table}.csv"


def paper_of(table: str) -> str:
    """The paper that a table is from, by the suite in its name."""
    known = papers()
    return known[_suite_of(table, known)]


def published(suite: str, setting: str | None = None) -> list[PublishedRun]:
    """The published runs of a suite, in the order of the paper; of all settings, or of one.

    Empty for a suite of which no tables are here.
    """
    file = table_file(suite)
    runs = read_tables(file) if file.is_file() else []
    return [run for run in runs if setting in (None, run.setting)]


class _Column(NamedTuple):
    """What a heading says: `1-1 %` is a task in per cent, `figure:tokens` a figure as it is."""

    heading: str
    name: str
    is_figure: bool
    per_cent: bool


def read_tables(file: Path) -> list[PublishedRun]:
    """Read a file of published scores; whatever is not as the README says is named."""
    with file.open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream)) or [[]]
    if tuple(header[:4]) != IDENTITY:
        raise DataError(f"the first columns must be {', '.join(IDENTITY)}", file=file)
    first = 5 if header[4:5] == [GRADER] else 4
    columns = [_column(heading) for heading in header[first:]]
    if len({(column.is_figure, column.name) for column in columns}) < len(columns):
        raise DataError("a task or figure has two columns", file=file)
    runs: dict[tuple[str, str, str], PublishedRun] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            problem = f"{len(row)} cells under {len(header)} headings"
            raise DataError(problem, file=file, row=number)
        setting, model, title, source = row[:4]
        grader = row[4] if first == 5 else ""
        if (setting, model, grader) in runs:
            raise DataError(f"{model} stands here twice in {setting}", file=file, row=number)
        run = PublishedRun(model, title, setting, source, {}, {}, grader=grader)
        runs[setting, model, grader] = run
        for column, cell in zip(columns, row[first:], strict=True):
            if cell:
                value = _number(cell, file, number, column.heading)
                values = run.figures if column.is_figure else run.tasks
                values[column.name] = value / 100 if column.per_cent else value
                run.printed[column.name] = cell
    return list(runs.values())


def _column(heading: str) -> _Column:
    kind_and_name = heading.removesuffix(" %")
    name = kind_and_name.removeprefix("figure:")
    return _Column(
        heading, name, is_figure=name != kind_and_name, per_cent=kind_and_name != heading
    )


def _number(cell: str, file: Path, row: int, field: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{cell!r} is not a number", file=file, row=row, field=field)
    return value
