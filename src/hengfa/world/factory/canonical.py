"""How answers are written: the one form in which a value counts as key.

Success is judged by literal containment, so each form goes with a hint that the question gives in
parentheses. A value that has no exact form within its hint is refused, never rounded.

Rules: legalagentbench.md 5 and 6.5.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.world.factory.task import Reason, Refused
from hengfa.world.tables.cells import Exact, blank, day, exact_amount, written
from hengfa.world.tables.schema import Kind
from hengfa.world.tables.world import Cell

WAN: Final = 10_000
YI: Final = 100_000_000
LONGEST: Final = 60
CENT: Final = Decimal("0.01")

YUAN_HINT: Final = "金额单位为元，保留两位小数"
WAN_HINT: Final = "金额单位为万元，保留两位小数"
YI_HINT: Final = "金额单位为亿元，保留两位小数"
DATE_HINT: Final = "日期写成XXXX年XX月XX日"
PERCENT_HINT: Final = "用百分数表示，保留两位小数"
UNIT_HINT: Final = "数字写成“{}”"
LISTED_HINT: Final = "请用“已”或“未”加“上市”作答"

# An ASCII comma joins names in a cell: "甲公司,乙公司"; a full-width one belongs to a text.
JOINT: Final = ","


class Shown(NamedTuple):
    """A value as key, and the hint that tells its form."""

    text: str
    hint: str = ""


@lru_cache(maxsize=65_536, typed=True)
def amount_of(cell: Cell) -> Exact | None:
    """The number in a cell; None where it says nothing."""
    return None if blank(cell) else exact_amount(cell)


def names_in(cell: Cell) -> tuple[str, ...]:
    """The names in a cell, each once."""
    if not isinstance(cell, str):
        return ()
    parts = (part.strip() for part in cell.split(JOINT))
    return tuple(dict.fromkeys(part for part in parts if not blank(part)))


def single_text(cell: Cell) -> str:
    """The one name or text in a cell, as the cell has it: look-ups compare to the letter."""
    if blank(cell) or not isinstance(cell, str):
        raise Refused(Reason.MISSING)
    if JOINT in cell:
        raise Refused(Reason.SEVERAL_VALUES)
    return cell


def yuan(value: Exact) -> Shown:
    """1234元 as 1234.00元."""
    exact = Decimal(value)
    if exact <= 0:
        raise Refused(Reason.TRIVIAL)
    return Shown(f"{_two_places(exact)}元", YUAN_HINT)


def money(value: Exact) -> Shown:
    """In the largest of 亿元, 万元 and 元 in which two decimals say all."""
    exact = Decimal(value)
    if exact <= 0:
        raise Refused(Reason.TRIVIAL)
    for unit, name, hint in ((YI, "亿元", YI_HINT), (WAN, "万元", WAN_HINT)):
        if exact >= unit and exact / unit == (exact / unit).quantize(CENT):
            return Shown(f"{_two_places(exact / unit)}{name}", hint)
    return yuan(value)


def percent(part: int, whole: int) -> Shown:
    """25.00%; a share of nothing or all is no question."""
    if not 0 < part < whole:
        raise Refused(Reason.TRIVIAL)
    exact = Decimal(100 * part) / whole
    rounded = exact.quantize(CENT)
    if abs(exact - rounded) * 1000 > Decimal("4.9"):
        raise Refused(Reason.INEXACT)  # so near to a half that calculators differ
    return Shown(f"{rounded}%", PERCENT_HINT)


def counted(number: int, measure: str) -> Shown:
    """3家; nothing to count is no question."""
    if number < 1:
        raise Refused(Reason.TRIVIAL)
    return Shown(f"{number}{measure}")


def shown(cell: Cell, kind: Kind, unit: str = "", before: str = "") -> Shown:
    """A cell as key. `unit` and `before` are what people say with a plain number."""
    if blank(cell):
        raise Refused(Reason.MISSING)
    if kind == "date":
        return Shown(_date(cell), DATE_HINT)
    if kind == "text":
        return Shown(_text(cell))
    value = exact_amount(cell)
    if value is None:
        raise Refused(Reason.MISSING)
    if kind == "yuan":
        return yuan(value)
    if kind == "money":
        return money(value)
    if value <= 0:
        raise Refused(Reason.TRIVIAL)
    hint = UNIT_HINT.format(f"{before}X{unit}") if unit else ""
    return Shown(_not_trivial(f"{before}{plain(value)}{unit}"), hint)


def in_passing(cell: Cell, kind: Kind) -> str | None:
    """A value on the way as the tables write it: 740564元, 24.05亿元; None for a blank."""
    if blank(cell):
        return None
    if kind == "money":
        text = str(cell).strip()
        return text if text.endswith("元") else f"{text}元"
    value = exact_amount(cell) if kind in ("yuan", "number", "numeral") else None
    if value is None:
        return str(cell).strip()
    return f"{plain(value)}元" if kind == "yuan" else plain(value)


def joined_region(values: tuple[str, ...]) -> str:
    """Province, city and county in one word, municipalities twice, as the official data has it."""
    return "".join(values)


def plain(value: Exact) -> str:
    """A number without needless zeros: 65.0 is 65, and 33.50 is 33.5."""
    text = f"{Decimal(value):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _two_places(exact: Decimal) -> str:
    rounded = exact.quantize(CENT)
    if rounded != exact:
        raise Refused(Reason.INEXACT)
    return f"{rounded:f}"


def _date(cell: Cell) -> str:
    on = day(cell) if isinstance(cell, str) else None
    if on is None:
        raise Refused(Reason.INEXACT)
    return written(on)


# What ends a sentence or a line: a cell with it is prose, which nobody repeats to the letter.
_PROSE: Final = re.compile(r"[。；\n\\]")


def _text(cell: Cell) -> str:
    text = str(cell).strip()
    if len(text) > LONGEST or _PROSE.search(text):
        raise Refused(Reason.INEXACT)
    return _not_trivial(text)


def _not_trivial(text: str) -> str:
    if len(text) < 2:
        raise Refused(Reason.TRIVIAL)
    return text
