"""Choosing among rows: those that count, the first of them, and what occurs most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from hengfa.world.cells import Exact, blank, day
from hengfa.world.factory.canonical import amount_of, names_in, single_text
from hengfa.world.factory.plan import Filter, Order, Pick
from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.world import Cell

Row = dict[str, Cell]

_DATED: Final[frozenset[Order]] = frozenset({"latest", "earliest"})


def passes(row: Row, one: Filter, asked: str) -> bool:
    """Whether a row counts; `asked` is what the tool was asked with."""
    cell = row[one.column]
    if one.kind == "role":
        return asked in names_in(cell)
    if one.kind == "year":
        on = day_of(cell)
        return on is not None and on.year == one.value
    if one.kind == "over":
        value = amount_of(cell)
        return value is not None and value > int(one.value or 0)
    if isinstance(one.value, int):
        return amount_of(cell) == one.value
    return cell == one.value


def day_of(cell: Cell) -> date | None:
    """The date in a cell; None where there is none."""
    return day(cell) if isinstance(cell, str) and not blank(cell) else None


def picked(rows: Sequence[Row], pick: Pick) -> Row:
    """The row that a pick means, if it means one only."""
    if pick.order in _DATED:
        return _first(rows, pick, day_of)
    return _first(rows, pick, amount_of)


def most_frequent(rows: Sequence[Row], column: str) -> tuple[str, int]:
    """The value that occurs most, and how often; it must occur twice."""
    counts = Counter(
        cell for row in rows if isinstance(cell := row[column], str) and not blank(cell)
    )
    ranked = counts.most_common(2)
    if not ranked:
        raise Refused(Reason.MISSING)
    value, times = ranked[0]
    if times < 2 or (len(ranked) > 1 and ranked[1][1] == times):
        raise Refused(Reason.TIE)
    return single_text(value), times


def _first(rows: Sequence[Row], pick: Pick, value_of: Callable[[Cell], Exact | date | None]) -> Row:
    values = [(value, row) for row in rows if (value := value_of(row[pick.column])) is not None]
    if not values:
        raise Refused(Reason.MISSING)
    if pick.order in ("smallest", "earliest") and len(values) < len(rows):
        raise Refused(Reason.MISSING)  # nobody knows whether the blank one comes first
    upwards = pick.order in ("smallest", "earliest")
    values.sort(key=lambda one: one[0], reverse=not upwards)
    if pick.order == "second":
        _apart(values, 0)
        values = values[1:]
        if not values:
            raise Refused(Reason.EMPTY)
    _apart(values, 0)
    value, row = values[0]
    if not isinstance(value, date) and value <= 0:
        raise Refused(Reason.TRIVIAL)
    return row


def _apart(values: Sequence[tuple[Exact | date, Row]], place: int) -> None:
    """The value at this place is not the next one's as well."""
    if len(values) > place + 1 and values[place][0] == values[place + 1][0]:
        raise Refused(Reason.TIE)
