"""Numerals as Chinese law writes them: numbers, sums, days and articles, from one script into the
other, and days counted on.

Questions are made by rule and answered by the same grammar that reads statutes (`law/numerals.py`).
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import read_toml
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.numerals import format_number
from hengfa.train.rewards.final_answer import (
    Kind,
    MadeSample,
    Question,
    Wording,
    draw,
    made_task,
    show_day,
)

_WORDS: Final = read_toml(Path(__file__).with_suffix(".toml"), dict[str, Wording])


def make_samples(count: int, seed: int) -> list[MadeSample]:
    return draw(KINDS, "numerals", count, seed)


def _size(dice: random.Random) -> int:
    """As many small numbers as large ones, and zeros in the middle."""
    number = dice.randrange(10 ** dice.randint(1, 9))
    return number - number % 10 ** dice.randint(0, 3) or 7


def _to_chinese(dice: random.Random) -> Question:
    number = _size(dice)
    return _WORDS["to_chinese"].question(format_number(number), number=number)


def _to_digits(dice: random.Random) -> Question:
    number = _size(dice)
    style = dice.choice(("lower", "financial"))
    written = format_number(number, "lower" if style == "lower" else "financial")
    return _WORDS["to_digits"].question(str(number), number=written)


def _sum_in_words(dice: random.Random) -> Question:
    yuan = _size(dice)
    return _WORDS["sum_in_words"].question(f"{format_number(yuan, 'financial')}元整", yuan=yuan)


def _sum_in_digits(dice: random.Random) -> Question:
    tenths = dice.randint(1, 9999)
    unit, worth = dice.choice((("万", 1000), ("亿", 10_000_000)))
    written = f"{tenths // 10}.{tenths % 10}{unit}元"
    return _WORDS["sum_in_digits"].question(f"{tenths * worth}元", yuan=written)


def _day(dice: random.Random) -> date:
    return date(1990, 1, 1) + timedelta(days=dice.randrange(20_000))


def _in_chinese(day: date) -> str:
    year = format_number(day.year, "positional")
    return f"{year}年{format_number(day.month)}月{format_number(day.day)}日"


def _day_in_digits(dice: random.Random) -> Question:
    day = _day(dice)
    return _WORDS["day_in_digits"].question(day.isoformat(), day=_in_chinese(day))


def _day_in_chinese(dice: random.Random) -> Question:
    day = _day(dice)
    return _WORDS["day_in_chinese"].question(_in_chinese(day), day=show_day(day))


def _days_later(dice: random.Random) -> Question:
    day, days = _day(dice), dice.choice((5, 7, 10, 15, 30, 60, 90))
    end = day + timedelta(days=days)
    return _WORDS["days_later"].question(end.isoformat(), day=show_day(day), days=days)


def _place(dice: random.Random) -> Position:
    sub = dice.randint(1, 9) if dice.random() < 0.2 else None
    paragraph = dice.randint(1, 9) if dice.random() < 0.6 else None
    item = dice.randint(1, 15) if paragraph and dice.random() < 0.5 else None
    return Position(dice.randint(1, 1260), sub, paragraph, item)


def _place_in_digits(dice: random.Random) -> Question:
    place = _place(dice)
    answer = format_position(place, "dotted")
    return _WORDS["place_in_digits"].question(answer, place=format_position(place))


def _place_in_chinese(dice: random.Random) -> Question:
    place = _place(dice)
    dotted = format_position(place, "dotted")
    return _WORDS["place_in_chinese"].question(format_position(place), place=dotted)


KINDS: Final[tuple[Kind, ...]] = (
    _to_chinese, _to_digits, _sum_in_words, _sum_in_digits, _day_in_digits, _day_in_chinese,
    _days_later, _place_in_digits, _place_in_chinese,
)  # fmt: skip

NUMERALS: Final = made_task(
    "numerals", "数字与日期", "Numerals, sums, days and articles",
    lambda _root, _setting, _options: make_samples(100, 0),
)  # fmt: skip
