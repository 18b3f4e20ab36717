"""A user's own tables as a world: a workbook with one sheet, or a folder with one file, a table.

A folder holds `CompanyInfo.csv` and so on, and texts as `LegalArticle.jsonl` (lines with
`contents`) or `LegalArticle.csv`. Tables that are not there stay empty.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError, MissingExtra, UsageError
from hengfa.world.schema import Corpus, Table
from hengfa.world.sheets import (
    check_header,
    rows_of_sheet,
    rows_of_text,
    table_called,
)
from hengfa.world.write import Row, write_world

LONGEST_CELL: Final = 64 * 1024 * 1024
_WORKBOOKS: Final = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}

Tables = dict[str, Iterable[Row]]
Texts = dict[str, Iterable[str]]


class _Line(msgspec.Struct):
    contents: str


def import_world(source: Path, file: Path) -> None:
    """Write a world file from a workbook or a folder of CSV files."""
    if source.is_dir():
        kind, (tables, texts) = "folder", _folder(source)
    elif source.suffix.lower() in _WORKBOOKS:
        kind, (tables, texts) = "workbook", _workbook(source)
    else:
        raise UsageError(f"{source} is neither a workbook nor a folder of CSV files")
    if not tables and not texts:
        raise DataError("holds no table of a world, such as CompanyInfo", file=source)
    write_world(file, tables, texts, source=kind, note=source.name)


def _folder(folder: Path) -> tuple[Tables, Texts]:
    tables: Tables = {}
    texts: Texts = {}
    for file in sorted(folder.iterdir()):
        table = table_called(file.stem)
        if table is None or file.suffix.lower() not in {".csv", ".jsonl"}:
            continue
        if table.name in tables or table.name in texts:
            raise DataError(f"{table.name} is there twice", file=file)
        if isinstance(table, Corpus):
            read = _csv_texts if file.suffix.lower() == ".csv" else _line_texts
            texts[table.name] = read(table, file)
        elif file.suffix.lower() == ".csv":
            tables[table.name] = _csv_rows(table, file)
    return tables, texts


def _csv_rows(table: Table, file: Path) -> Iterator[Row]:
    header, records = _csv(table, file)
    yield from rows_of_text(table, header, records, file)


def _csv_texts(corpus: Corpus, file: Path) -> Iterator[str]:
    _, records = _csv(corpus, file)
    for number, record in records:
        if len(record) != 1:
            raise DataError(f"has {len(record)} cells instead of one", file=file, row=number)
        yield record[0]


def _line_texts(_corpus: Corpus, file: Path) -> Iterator[str]:
    for _, line in read_lines(file, _Line):
        yield line.contents


def _csv(table: Table | Corpus, file: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    records = _csv_records(file)
    _, header = next(records, (1, []))
    check_header(table, header, file)
    return header, records


def _csv_records(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with their number."""
    csv.field_size_limit(LONGEST_CELL)
    number = 0
    try:
        with disk_errors(file), file.open(encoding="utf-8-sig", newline="") as stream:
            for record in csv.reader(stream, strict=True):
                number += 1
                if record:
                    yield number, record
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", file=file, row=number + 1) from error


def _workbook(file: Path) -> tuple[Tables, Texts]:
    try:
        import python_calamine  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("xlsx", "reading a workbook") from error
    tables: Tables = {}
    texts: Texts = {}
    try:
        book = python_calamine.CalamineWorkbook.from_path(str(file))
        sheets = {name: table_called(name) for name in book.sheet_names}
        wanted = {name: table for name, table in sheets.items() if table is not None}
        contents = {name: book.get_sheet_by_name(name).to_python() for name in wanted}
    except (python_calamine.CalamineError, OSError) as error:
        raise DataError(f"cannot be read as a workbook: {error}", file=file) from error
    for name, table in wanted.items():
        place = f"{file}, sheet {name!r}"
        if table.name in tables or table.name in texts:
            raise DataError(f"{table.name} is there twice", file=place)
        header = [str(cell) for cell in contents[name][0]] if contents[name] else []
        check_header(table, header, place)
        records = contents[name][1:]
        if isinstance(table, Corpus):
            texts[table.name] = [str(record[0]) for record in records]
        else:
            tables[table.name] = rows_of_sheet(table, header, records, place)
    return tables, texts
