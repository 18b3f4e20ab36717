"""Days as documents write them: 二〇一七年六月二十八日, 2017年6月28日, 二O一八年元月三日.

Zeros come in many shapes, since people type whatever looks like one. A day may be masked
(二〇一五年四月××日); the month is known then, and its last day stands for it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_number

_ZEROS: Final = "零〇○ＯOoΟО"  # the last two are Greek and Cyrillic
_DIGIT: Final = f"{_ZEROS}一二三四五六七八九0-9０-９"
# "二〇一七年六月二十八日", "2017年6月28日", "二〇一五年四月××日", "二〇一七年十一月七无" (a slip);
# not "2017年6月", "二十八日"
_DAY: Final = re.compile(
    rf"(?P<year>[一二12１２][{_DIGIT}]{{3}})\s?年\s?(?P<month>[元一二三四五六七八九十0-9０-９]{{1,2}})\s?月\s?"
    rf"(?:(?P<day>[一二三四五六七八九十廿卅0-9０-９]{{1,3}})|[×xX*]{{1,3}}|某)\s?(?:日|无|(?=\s))"
)
_PLAIN: Final = {
    **{ord(zero): "0" for zero in _ZEROS},
    **{ord(sign): str(n) for n, sign in enumerate("一二三四五六七八九", 1)},
    **{ord("０") + n: str(n) for n in range(10)},
}
_FIRST_YEAR, _LAST_YEAR = 1949, 2100


class WrittenDay(NamedTuple):
    """A day that stands at ``text[start:end]``; of a masked one only the month is sure."""

    day: date
    start: int
    end: int
    masked: bool


def find_days(text: str, start: int = 0) -> Iterator[WrittenDay]:
    """Every day of a text, from left to right; what no calendar has is left out."""
    for match in _DAY.finditer(text, start):
        year, month = int(match["year"].translate(_PLAIN)), _number(match["month"])
        if not _FIRST_YEAR <= year <= _LAST_YEAR or not 1 <= month <= 12:
            continue
        last = calendar.monthrange(year, month)[1]
        masked = match["day"] is None
        day = last if masked else _number(match["day"])
        if 1 <= day <= last:
            yield WrittenDay(date(year, month, day), *match.span(), masked)


def _number(written: str) -> int:
    """A month or a day of the month; 0 for what is no number."""
    value = parse_number(written.replace("元", "一"))
    return int(value) if value is not None else 0
