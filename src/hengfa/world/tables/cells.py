"""What a cell means: an amount as a number, a date as a date; `-` and the like mean nothing."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any, Final

from hengfa.law.grammar.numerals import parse_number
from hengfa.world.tables.schema import Kind, WorldTable
from hengfa.world.tables.world import Cell

MISSING: Final = frozenset({"", "-", "--", "无", "nan", "None"})
_NUMERIC: Final[frozenset[Kind]] = frozenset({"yuan", "money", "number", "numeral"})
_LONGEST: Final = 60

# "元" in 3万元, "元人民币" in 3万元人民币, "￥" in ￥30; not "元" in 3万美元, another currency
_CURRENCY: Final = re.compile(r"^(?:人民币|[¥￥])|(?<!美)(?<!欧)(?<!日)(?<!港)元(?:人民币|整)?$")
# "2020年1月2日", "2020-01-02", "2020/1/2", "2020.1.2", "20200102"; not "2020年1月" or "2020123"
_DATE: Final = re.compile(
    r"(?P<y>[0-9]{4})(?:年|-|/|\.)(?P<m>[0-9]{1,2})(?:月|-|/|\.)(?P<d>[0-9]{1,2})日?"
    r"|(?P<y2>[0-9]{4})(?P<m2>[0-9]{2})(?P<d2>[0-9]{2})"
)

Exact = int | Decimal


def is_number(kind: Kind) -> bool:
    return kind in _NUMERIC


def blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in MISSING)


def exact_amount(cell: Any) -> Exact | None:
    """The number in a cell, units multiplied out: 1.06亿 is 106000000; None if there is none."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int):
        return cell
    if isinstance(cell, float):
        return Decimal(str(cell)) if abs(cell) < float("inf") else None
    if not isinstance(cell, str) or len(cell) > _LONGEST:
        return None
    number = parse_number(_CURRENCY.sub("", cell.strip()))
    return number if isinstance(number, int | Decimal) else None


def amount(cell: Any) -> int | float | None:
    """The same as a plain number."""
    number = exact_amount(cell)
    return None if number is None else plain(number)


def plain(number: Exact) -> int | float:
    """A whole number where it is one."""
    if isinstance(number, Decimal):
        if number == number.to_integral_value() and abs(number) < Decimal(10) ** 18:
            return int(number)
        return float(number)
    return number


def day(text: str) -> date | None:
    """The date that a text is, in one of the usual forms."""
    match = _DATE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return None
    parts = match.group("y", "m", "d") if match["y"] else match.group("y2", "m2", "d2")
    try:
        return date(*map(int, parts))
    except ValueError:
        return None


def write_date(on: date) -> str:
    return f"{on.year:04}年{on.month:02}月{on.day:02}日"


def type_cells(table: WorldTable, row: dict[str, Cell]) -> dict[str, Cell]:
    """A row with null for what is missing, and amounts with a unit also in 元."""
    cells: dict[str, Cell] = {}
    for name, cell in row.items():
        kind = table.kinds[name]
        if blank(cell):
            cells[name] = None
        elif kind == "money":
            cells[name] = cell
            if (yuan := amount(cell)) is not None:
                cells[f"{name}（换算为元）"] = yuan
        elif is_number(kind) and (number := amount(cell)) is not None:
            cells[name] = number
        else:
            cells[name] = cell
    return cells
