"""Days, and the one way in which the tables write them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from hengfa.world.generator.dice import Dice

STANDSTILL: Final = date(2024, 1, 1)
"""The world ends here: nothing in it is younger, and its law is that in force on this day."""

CASE_YEARS: Final = (2019, 2019, 2019, 2020, 2020, 2020, 2020, 2021, 2021)
"""The years of case numbers, in the proportion of the observed judgments."""


def written(day: date) -> str:
    return f"{day.year:04d}年{day.month:02d}月{day.day:02d}日"


def drawn(dice: Dice, first: date, last: date) -> date:
    """A day between two days, both included."""
    return first + timedelta(days=dice.between(0, (last - first).days))


def in_year(dice: Dice, year: int) -> date:
    return drawn(dice, date(year, 1, 2), date(year, 12, 28))


def later(dice: Dice, day: date, fewest: int, most: int) -> date:
    """Some days after ``day``, at least one, and not after the world's end."""
    return min(day + timedelta(days=dice.between(fewest, most)), STANDSTILL)
