"""Lengths of time in sentences: 三年六个月, 一年零六个月, 两年, 一年半, 拘役四个月十五日.

Numbers are read by :mod:`hengfa.law.numerals` in every script (judgment spec, section 8, Q7).
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.judgment.document import Term
from hengfa.law.numerals import parse_number

_NUMBER: Final = "[0-9〇○零一二两三四五六七八九十廿卅壹贰叁肆伍陆柒捌玖拾]{1,4}"
_AND: Final = " ?[又另加]?零?"
_Y, _M, _D = f"(?:半年|{_NUMBER} ?年半?)", f"{_NUMBER} ?(?:个半?月?|月)", f"{_NUMBER} ?[日天](?!内)"
# "三年六个月", "10个月", "一年又二个月", "半年", "一年半", "二年一个月零二十八日", "六个" (a slip);
# not "年", "以下", "十日内"
DURATION: Final = f"(?:{_Y}(?:{_AND}{_M})?+(?:{_AND}{_D})?+|{_M}(?:{_AND}{_D})?+|{_D})"
_YEARS: Final = re.compile(rf"({_NUMBER}) ?年(半)?")
_MONTHS: Final = re.compile(rf"({_NUMBER}) ?(?:个(半)?月?|月)")
_DAYS: Final = re.compile(rf"({_NUMBER}) ?[日天]")

_MOST_YEARS, _MOST_MONTHS, _MOST_DAYS = 40, 480, 366
_HALF_A_YEAR, _HALF_A_MONTH = 6, 15


def read_term(words: str) -> Term | None:
    """The length of time that ``DURATION`` matched, or None where it is a date or beyond reason."""
    months = days = 0
    if words.startswith("半年"):
        months, words = _HALF_A_YEAR, words[2:]
    if found := _YEARS.search(words):
        years = _number(found[1])
        if years is None or years > _MOST_YEARS:
            return None
        months += 12 * years + (_HALF_A_YEAR if found[2] else 0)
    if found := _MONTHS.search(words):
        count = _number(found[1])
        if count is None or count > _MOST_MONTHS:
            return None
        months += count
        days += _HALF_A_MONTH if found[2] else 0
    if found := _DAYS.search(words):
        count = _number(found[1])
        if count is None or count > _MOST_DAYS:
            return None
        days += count
    return Term(months, days)


def show_term(months: int | None, days: int = 0) -> str:
    """42 months are `3年6个月`, as lawyers count."""
    if months is None:
        return ""
    years, rest = divmod(months, 12)
    counted = ((years, "年"), (rest, "个月"), (days, "日"))
    return "".join(f"{count}{unit}" for count, unit in counted if count) or "0"


def _number(words: str) -> int | None:
    value = parse_number(words.replace("○", "〇").lstrip("零"))
    return value if isinstance(value, int) else None
