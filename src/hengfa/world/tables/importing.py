"""A user's own tables as a world: a workbook with one sheet, or a folder with one file, a table.

A folder holds `CompanyInfo.csv` and so on, and texts as `LegalArticle.jsonl` (lines with
`contents`) or `LegalArticle.csv`. Tables that are not there stay empty; one that is there must have
exactly the columns of the schema, in any order. Errors name the file, the row as a person counts it
(the header is row 1), and the column.

Tables of a declaration come from the files that it names: CSV, a workbook, or Parquet. Columns that
it does not name are left out.
"""

from __future__ import annotations

import csv
import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.declaration import Declaration, DeclaredTable, read_declaration
from hengfa.world.tables.schema import CORPORA, TABLES, Corpus, WorldTable
from hengfa.world.tables.workbook import read_sheets
from hengfa.world.tables.world import Cell, Row, write_world

_LONGEST_CELL: Final = 64 * 1024 * 1024
_WORKBOOKS: Final = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_CONTENTS: Final = "contents"  # the one column of a collection of texts
_TABLES: Final = {table.name.casefold(): table for table in TABLES}
_CORPORA: Final = {corpus.name.casefold(): corpus for corpus in CORPORA}
_Tables = dict[str, Iterable[Row]]
_Texts = dict[str, Iterable[str]]
Wanted = TypeVar("Wanted")


class _Line(msgspec.Struct):
    contents: str


def import_world(source: Path | None, file: Path, declared: Path | None = None) -> None:
    """Write a world file from a workbook or a folder of CSV files, from a declaration, or both."""
    named = source or declared
    if named is None:
        raise UsageError("give SOURCE, a workbook or a folder, or --declare FILE.toml, or both")
    own = read_declared(declared) if declared else None
    kind = "declared"
    tables: _Tables = {}
    texts: _Texts = {}
    if source and source.is_dir():
        kind, (tables, texts) = "folder", _folder(source)
    elif source and source.suffix.lower() in _WORKBOOKS:
        kind, (tables, texts) = "workbook", _workbook(source)
    elif source:
        raise UsageError(f"{source} is neither a workbook nor a folder of CSV files")
    if source and not tables and not texts:
        raise DataError("holds no table of a world, such as CompanyInfo", file=source)
    write_world(
        file,
        {**tables, **(own.rows if own else {})},
        texts,
        source=kind,
        note=named.name,
        declared=own.declaration if own else None,
    )


# --- declared tables ---


class OwnTables(NamedTuple):
    """A declaration and the rows of its tables."""

    declaration: Declaration
    rows: dict[str, Iterable[Row]]


def read_declared(file: Path) -> OwnTables:
    """The tables that a TOML file declares; their files are named from its folder."""
    declaration = read_declaration(file)
    schema = declaration.schema
    rows: dict[str, Iterable[Row]] = {}
    for told in declaration.tables:
        if not told.source:
            field = f"table {told.name!r}"
            raise DataError("names no source: a file with its rows", file=file, field=field)
        table = schema.table_of[told.name]
        rows[table.name] = _declared_rows(table, told, file.parent / told.source)
    return OwnTables(declaration, rows)


def _declared_rows(table: WorldTable, told: DeclaredTable, file: Path) -> Iterator[Row]:
    """Rows of one file, whatever its kind."""
    kind = file.suffix.lower()
    if kind == ".csv":
        header, records = _csv(file)
        _check_columns(table, header, file)
        yield from _rows_of_text(table, header, records, file)
    elif kind in _WORKBOOKS:
        sheets = read_sheets(file, partial(operator.eq, told.sheet) if told.sheet else bool)
        if len(sheets) != 1:
            many = f"has {len(sheets)} sheets: say which one"
            problem = f"has no sheet {told.sheet!r}" if told.sheet else many
            raise DataError(problem, file=file, field="sheet")
        ((name, sheet),) = sheets.items()
        place = f"{file}, sheet {name!r}"
        header = [str(cell) for cell in sheet[0]] if sheet else []
        _check_columns(table, header, place)
        yield from _rows_of_sheet(table, header, sheet[1:], place)
    elif kind == ".parquet":
        header, records_ = _parquet(table, file)
        yield from _rows_of_sheet(table, header, records_, file)
    else:
        known = ", ".join((".csv", ".parquet", *sorted(_WORKBOOKS)))
        raise DataError(f"rows of {table.name} are read from {known}", file=file)


def _parquet(table: WorldTable, file: Path) -> tuple[list[str], list[Sequence[Any]]]:
    import polars as pl  # noqa: PLC0415 - only for those who have such a file

    with disk_errors(file):
        content = file.read_bytes()
    try:
        frame = pl.read_parquet(content)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be read as Parquet: {error}", file=file) from error
    _check_columns(table, frame.columns, file)
    return frame.columns, list(frame.rows())


def _check_columns(table: WorldTable, header: Sequence[str], place: str | Path) -> None:
    """Every declared column once; others may be there too."""
    for name in table.names:
        if header.count(name) != 1:
            there = "is there twice" if name in header else "is missing"
            raise DataError(f"this column of {table.name} {there}", file=place, row=1, field=name)


# --- published tables ---


def _folder(folder: Path) -> tuple[_Tables, _Texts]:
    tables: _Tables = {}
    texts: _Texts = {}
    for file in sorted(folder.iterdir()):
        table = _table_called(file.stem)
        if table is None or file.suffix.lower() not in {".csv", ".jsonl"}:
            continue
        if table.name in tables or table.name in texts:
            raise DataError(f"{table.name} is there twice", file=file)
        if isinstance(table, Corpus):
            lines = (line.contents for _, line in read_lines(file, _Line))
            texts[table.name] = _csv_texts(table, file) if file.suffix.lower() == ".csv" else lines
        elif file.suffix.lower() == ".csv":
            tables[table.name] = _csv_rows(table, file)
    return tables, texts


def _csv_rows(table: WorldTable, file: Path) -> Iterator[Row]:
    header, records = _csv(file)
    _check_header(table, header, file)
    yield from _rows_of_text(table, header, records, file)


def _csv_texts(corpus: Corpus, file: Path) -> Iterator[str]:
    header, records = _csv(file)
    _check_header(corpus, header, file)
    for number, record in records:
        if len(record) != 1:
            raise DataError(f"has {len(record)} cells instead of one", file=file, row=number)
        yield record[0]


def _csv(file: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The header, and the rows that are not blank with their number."""
    records = _csv_records(file)
    return next(records, (1, []))[1], records


def _csv_records(file: Path) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_LONGEST_CELL)
    number = 0
    try:
        with disk_errors(file), file.open(encoding="utf-8-sig", newline="") as stream:
            for record in csv.reader(stream, strict=True):
                number += 1
                if record:
                    yield number, record
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", file=file, row=number + 1) from error


def _workbook(file: Path) -> tuple[_Tables, _Texts]:
    tables: _Tables = {}
    texts: _Texts = {}
    for name, rows in read_sheets(file, _table_called).items():
        table = _table_called(name)
        if table is None:  # pragma: no cover - only those are read
            continue
        place = f"{file}, sheet {name!r}"
        if table.name in tables or table.name in texts:
            raise DataError(f"{table.name} is there twice", file=place)
        header = [str(cell) for cell in rows[0]] if rows else []
        _check_header(table, header, place)
        records = rows[1:]
        if isinstance(table, Corpus):
            texts[table.name] = [str(record[0]) for record in records]
        else:
            tables[table.name] = _rows_of_sheet(table, header, records, place)
    return tables, texts


def _table_called(name: str) -> WorldTable | Corpus | None:
    """The table or collection that a sheet or file is named after: `company_info` as well."""
    bare = name.replace("_", "").replace(" ", "").casefold()
    return _TABLES.get(bare) or _CORPORA.get(bare)


def _check_header(table: WorldTable | Corpus, header: Sequence[str], place: str | Path) -> None:
    """Every column of the schema once, and no other."""
    wanted = table.names if isinstance(table, WorldTable) else (_CONTENTS,)
    for name in header:
        if name not in wanted:
            raise DataError(f"{table.name} has no such column", file=place, row=1, field=name)
        if header.count(name) > 1:
            raise DataError("this column is there twice", file=place, row=1, field=name)
    for name in wanted:
        if name not in header:
            raise DataError("this column is missing", file=place, row=1, field=name)


# --- rows, checked and given their types ---

# "12", "-3"; not "007", which is a code
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
# "12.50", "0.0"; not "1,000" or "1e5"
_FRACTION: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]+")


def _rows_of_text(
    table: WorldTable,
    header: Sequence[str],
    records: Iterable[tuple[int, Sequence[str]]],
    place: str | Path,
) -> Iterator[Row]:
    """Rows of a file in which all is text: columns of numbers become numbers, "" a blank."""
    kept = [
        (at, name, table.kinds[name] in {"yuan", "number"})
        for at, name in enumerate(header)
        if name in table.place
    ]
    for number, record in records:
        if len(record) != len(header):
            problem = f"has {len(record)} cells, the header has {len(header)}"
            raise DataError(problem, file=place, row=number)
        yield {
            name: _number(record[at]) if counted else record[at] or None
            for at, name, counted in kept
        }


def _rows_of_sheet(
    table: WorldTable, header: Sequence[str], records: Sequence[Sequence[Any]], place: str | Path
) -> Iterator[Row]:
    """Rows of a workbook, in which a cell has a type.

    Numbers are made whole or not by column, as the published tools read them: all of them whole
    only if all are and none is blank; beside texts each for itself.
    """
    columns, names = [], [name for name in header if name in table.place]
    for at, name in enumerate(header):
        if name not in table.place:
            continue
        column = [record[at] for record in records]
        texts = table.kinds[name] == "text"
        mixed = any(isinstance(cell, str) and cell != "" for cell in column)
        whole = texts or mixed or all(_is_whole(cell) for cell in column)
        numbered = enumerate(column, 2)
        columns.append(
            [_cell(c, place, row, name, whole=whole, as_text=texts) for row, c in numbered]
        )
    for cells in zip(*columns, strict=True):
        yield dict(zip(names, cells, strict=True))


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
        return write_date(cell)
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        problem = f"a {type(cell).__name__} cannot be a cell"
        raise DataError(problem, file=place, row=row, field=name)
    number = int(cell) if whole and _is_whole(cell) else float(cell)
    return str(number) if as_text else number
