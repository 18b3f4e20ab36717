"""Whether a key of an official task follows from tool answers; see :mod:`.official`, point 3."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final, Literal, NamedTuple

from hengfa.world.cells import exact_amount, is_number
from hengfa.world.factory.canonical import amount_of, names_in
from hengfa.world.factory.rows import Row, day_of
from hengfa.world.factory.words import AMOUNTS, DATES
from hengfa.world.schema import Kind, Lookup

How = Literal["found", "converted", "computed", "missing"]

# A number with its unit as keys have it: "0.90亿元", "14次", "65"; not "2019年02月22日"
_NUMBER: Final = re.compile(
    r"(?P<number>[0-9]+(?:\.(?P<decimals>[0-9]+))?)(?P<unit>[万亿]?)(?P<rest>\D{0,2})"
)
# Numbers in prose: "5,911", "2955.5", "30.5万"
_IN_PROSE: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?[万亿]?")
# Years and amounts that a question names: "2020年", "12.5亿", "300万", "10000"
_YEARS: Final = re.compile(r"(?:19|20)[0-9]{2}(?=年)")
_AMOUNTS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?[万亿]?|百万|千万|亿")
_UNIT: Final = {"": 1, "万": 10_000, "亿": 100_000_000}
_SPOKEN: Final = {"百万": 1_000_000, "千万": 10_000_000, "亿": 100_000_000}
_PAUSES: Final = re.compile(r"[，。；、]")
MOST_FILTERS: Final = 1
SHORT: Final = 4
OWNED: Final = "上市公司参股比例"
LISTED: Final = "get_company_info"


class Called(NamedTuple):
    """One call and its rows."""

    lookup: Lookup
    values: tuple[str, ...]
    rows: tuple[Row, ...]


class _Filtered(NamedTuple):
    """Rows that a filter leaves, as places in the list."""

    kind: str
    places: frozenset[int]


def how_found(key: str, called: Sequence[Called], question: str) -> How:
    """The plainest way in which a key follows from what was called."""
    cells = [
        str(cell) for one in called for row in one.rows for cell in row.values() if cell is not None
    ]
    if _held(key, called, cells):
        return "found"
    if _converted(key, called, cells):
        return "converted"
    return "computed" if _computed(key, called, question) else "missing"


def _held(key: str, called: Sequence[Called], cells: Iterable[str]) -> bool:
    """Whether a cell has the key; a short number must be the whole value of a number's cell."""
    if key.isdecimal() and len(key) < SHORT:
        return any(value == int(key) for value in _numbers(called, ("number", "numeral")))
    return any(key in cell for cell in cells)


def _converted(key: str, called: Sequence[Called], cells: Iterable[str]) -> bool:
    """Amounts in another form, also those in prose; other numbers only from cells that count."""
    written = _NUMBER.fullmatch(key)
    if written is None:
        parts = [part for part in _PAUSES.split(key) if part]
        return len(parts) > 1 and all(any(part in cell for cell in cells) for part in parts)
    if not written["unit"] and not written["rest"].startswith("元"):
        return any(value == Decimal(written["number"]) for value in _numbers(called, ("number",)))
    numbers = set(_numbers(called, ("yuan", "money", "number", "numeral")))
    for cell in cells:
        for text in _IN_PROSE.findall(cell):
            value = exact_amount(text.replace(",", ""))
            if value is not None:
                numbers.add(Decimal(value))
    return any(_rounds_to(number, *_value(written)) for number in numbers)


def _numbers(called: Sequence[Called], kinds: Sequence[Kind]) -> Iterator[Decimal]:
    for one in called:
        columns = [column.name for column in one.lookup.table.columns if column.kind in kinds]
        for row in one.rows:
            for column in columns:
                if (value := amount_of(row.get(column))) is not None:
                    yield Decimal(value)


def _computed(key: str, called: Sequence[Called], question: str) -> bool:
    if "上市公司" in key:
        listed = any(one.lookup.name == LISTED and one.rows for one in called)
        return listed or key.startswith("不是")
    if key == "无":
        return any(not one.rows for one in called)
    written = _NUMBER.fullmatch(key)
    if written is None:
        return False
    wanted, unit, decimals = _value(written)
    if wanted == 0 and any(not one.rows for one in called):
        return True
    if written["rest"] == "天":
        return any(wanted == days for one in called for row in one.rows for days in _spans(row))
    by_tool: dict[str, list[Called]] = defaultdict(list)
    for one in called:
        by_tool[one.lookup.name].append(one)
    lists = [[one] for one in called] + [group for group in by_tool.values() if len(group) > 1]
    return any(
        _rounds_to(result, wanted, unit, decimals)
        for group in lists
        for result in _results(group, question)
    )


def _results(group: Sequence[Called], question: str) -> Iterator[Decimal]:
    """Counts and sums over the rows of some calls, and how many of the calls found anything."""
    table = group[0].lookup.table
    rows = [row for one in group for row in one.rows]
    yield Decimal(sum(bool(one.rows) for one in group))
    filters = list(_filters(group, rows, question))
    subsets = {frozenset(range(len(rows)))}
    for number in range(1, MOST_FILTERS + 1):
        for some in combinations(filters, number):
            if len({one.kind for one in some}) == number:
                subsets.add(frozenset.intersection(*(one.places for one in some)))
    for places in subsets:
        yield Decimal(len(places))
        for column in table.names:
            if is_number(table.kinds[column]):
                values = [amount_of(rows[place].get(column)) for place in places]
                yield sum((Decimal(value) for value in values if value is not None), Decimal(0))


def _filters(group: Sequence[Called], rows: Sequence[Row], question: str) -> Iterator[_Filtered]:
    table = group[0].lookup.table
    asked = {value for one in group for value in one.values}
    years = {int(year) for year in _YEARS.findall(question)}
    amounts = {_SPOKEN.get(text) or exact_amount(text) for text in _AMOUNTS.findall(question)}

    def of(kind: str, places: Iterable[int]) -> _Filtered:
        return _Filtered(kind, frozenset(places))

    for column in table.names:
        if column in DATES:
            days = [day_of(row.get(column)) for row in rows]
            for year in years:
                yield of(column, (n for n, on in enumerate(days) if on and on.year == year))
                yield of(column, (n for n, on in enumerate(days) if on and on.year >= year))
        if column in AMOUNTS:
            values = [amount_of(row.get(column)) for row in rows]
            for amount in amounts:
                if amount is not None:
                    yield of(column, (n for n, v in enumerate(values) if v and v > amount))
                    yield of(f"{column}<", (n for n, v in enumerate(values) if v and v < amount))
        if column == OWNED:
            yield of(column, (n for n, row in enumerate(rows) if amount_of(row.get(column)) == 100))
        if held_names := [names_in(row.get(column)) for row in rows]:
            yield of(column, (n for n, names in enumerate(held_names) if asked & set(names)))
        if table.kinds[column] == "text":
            for word in _WORDS:
                if word in question:
                    there = (n for n, row in enumerate(rows) if word in str(row.get(column)))
                    yield of(f"{column} {word}", there)


_WORDS: Final = ("劳动", "劳务", "执行", "股份", "人民法院")
"""Words by which official questions choose rows."""


def _spans(row: Row) -> Iterator[int]:
    days = [on for column in DATES if (on := day_of(row.get(column))) is not None]
    for first, second in combinations(days, 2):
        yield abs((first - second).days)


def _value(written: re.Match[str]) -> tuple[Decimal, int, int]:
    return Decimal(written["number"]), _UNIT[written["unit"]], len(written["decimals"] or "")


def _rounds_to(number: Decimal, wanted: Decimal, unit: int, decimals: int) -> bool:
    """Whether a number, written in this unit with so many decimals, is what is wanted."""
    return abs(number / unit - wanted) * 2 <= Decimal(1).scaleb(-decimals)
