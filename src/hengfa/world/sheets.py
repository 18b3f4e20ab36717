"""Rows of a user's own tables, checked and given their types.

A table must have exactly the columns of the schema, in any order. Errors name the file, the row as
a person counts it (the header is row 1), and the column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from hengfa.errors import DataError
from hengfa.world.schema import CORPORA, TABLES, Corpus, Table
from hengfa.world.write import Cell, Row

CONTENTS: Final = "contents"
"""The one column of a collection of texts."""

# "12", "-3"; not "007", which is a code
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
# "12.50", "0.0"; not "1,000" or "1e5"
_FRACTION: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]+")

_TABLES: Final = {table.name.casefold(): table for table in TABLES}
_CORPORA: Final = {corpus.name.casefold(): corpus for corpus in CORPORA}


def table_called(name: str) -> Table | Corpus | None:
    """The table or collection that a sheet or file is named after: `company_info` as well."""
    bare = name.replace("_", "").replace(" ", "").casefold()
    return _TABLES.get(bare) or _CORPORA.get(bare)


def check_header(table: Table | Corpus, header: Sequence[str], place: str | Path) -> None:
    """Every column of the schema once, and no other."""
    wanted = table.names if isinstance(table, Table) else (CONTENTS,)
    for name in header:
        if name not in wanted:
            raise DataError(f"{table.name} has no such column", file=place, row=1, field=name)
        if header.count(name) > 1:
            raise DataError("this column is there twice", file=place, row=1, field=name)
    for name in wanted:
        if name not in header:
            raise DataError("this column is missing", file=place, row=1, field=name)


def rows_of_text(
    table: Table,
    header: Sequence[str],
    records: Iterable[tuple[int, Sequence[str]]],
    place: str | Path,
) -> Iterator[Row]:
    """Rows of a file in which all is text: columns of numbers become numbers, "" a blank."""
    numeric = [table.kinds[name] in {"yuan", "number"} for name in header]
    for number, record in records:
        if len(record) != len(header):
            problem = f"has {len(record)} cells, the header has {len(header)}"
            raise DataError(problem, file=place, row=number)
        cells = zip(record, numeric, strict=True)
        values = [_number(cell) if counted else cell or None for cell, counted in cells]
        yield dict(zip(header, values, strict=True))


def rows_of_sheet(
    table: Table, header: Sequence[str], records: Sequence[Sequence[Any]], place: str | Path
) -> Iterator[Row]:
    """Rows of a workbook, in which a cell has a type.

    Numbers are made whole or not by column, as the published tools read them: all of them whole
    only if all are and none is blank; beside texts each for itself.
    """
    columns = []
    for at, name in enumerate(header):
        column = [record[at] for record in records]
        texts = table.kinds[name] == "text"
        mixed = any(isinstance(cell, str) and cell != "" for cell in column)
        whole = texts or mixed or all(_is_whole(cell) for cell in column)
        columns.append(
            [
                _cell(cell, place, row, name, whole=whole, as_text=texts)
                for row, cell in enumerate(column, 2)
            ]
        )
    for cells in zip(*columns, strict=True):
        yield dict(zip(header, cells, strict=True))


def _number(text: str) -> Cell:
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else text or None


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer())


def _cell(cell: Any, place: str | Path, row: int, name: str, *, whole: bool, as_text: bool) -> Cell:
    if cell is None or cell == "":
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime | date):
        return f"{cell.year:04}年{cell.month:02}月{cell.day:02}日"
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise DataError(
            f"a {type(cell).__name__} cannot be a cell", file=place, row=row, field=name
        )
    number = int(cell) if whole and _is_whole(cell) else float(cell)
    return str(number) if as_text else number
