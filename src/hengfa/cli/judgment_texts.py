"""The judgments of a file: one text, or the rows of JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from hengfa.cli.options import say
from hengfa.errors import DataError, UsageError

_MOST_NAMED = 5

file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
charges_option = click.option(
    "--charges",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Name crimes as the charges.txt (and charge_aliases.json) of this folder does.",
)


class Text(NamedTuple):
    """A document and its name: the file's, or the id of a row."""

    name: str
    text: str


def texts_of(file: Path, wanted: str | None = None) -> list[Text]:
    """The documents of a file, or the one of JSON lines that is wanted."""
    # documents and rows are read by those who need them
    from hengfa.library.documents import read_document  # noqa: PLC0415
    from hengfa.suites.judgment.rows import is_lines  # noqa: PLC0415

    if not is_lines(file):
        if wanted is not None:
            raise UsageError("--id is for JSON lines: this file is one document")
        document = read_document(file)
        for note in document.notes:
            say(f"{file}: {note}")
        return [Text(document.name, document.text)]
    rows = list(_rows(file))
    if not rows:
        raise DataError("there is no document in it", file=file)
    found = [row for row in rows if wanted is None or row.name == wanted]
    if not found:
        some = ", ".join(row.name for row in rows[:_MOST_NAMED])
        more = ", …" if len(rows) > _MOST_NAMED else ""
        raise UsageError(f"{file} has no document {wanted!r}; it has {some}{more}")
    return found


def _rows(file: Path) -> Iterator[Text]:
    from hengfa.suites.judgment.rows import read_rows  # noqa: PLC0415

    for number, row in read_rows(file):
        if row.whole is None:
            problem = "no field document, fd or content"
            raise DataError(problem, file=file, row=number, field="document")
        yield Text(row.name or str(number), row.whole)
