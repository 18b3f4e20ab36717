"""Days as documents write them: 二〇一七年六月二十八日, 2017年6月28日, 2017-06-28, 28 June 2017.

Zeros come in many shapes, since people type whatever looks like one. A day may be masked
(二〇一五年四月××日); the month is known then, and its last day stands for it. Days of the lunar
calendar and years of the Republic (民国) are told from these, and not read.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.base.errors import UsageError
from hengfa.law.grammar.numerals import parse_number

_ZEROS: Final = "零〇○ＯOoΟО"  # the last two are Greek and Cyrillic
_DIGIT: Final = f"{_ZEROS}一二三四五六七八九0-9０-９"
_COUNTED: Final = "一二三四五六七八九十廿卅0-9０-９"
_LUNAR: Final = "农历|農曆|阴历|陰曆|旧历|夏历"
# "二〇一七年六月二十八日", "2017年6月28日", "二〇一五年四月××日", "二 〇 一 四 年 九 月 一 日",
# "2017年6月28号", "二〇一七年十一月七无" (a slip); not "2017年6月", "二十八日", "农历2017年6月2日"
_DAY: Final = re.compile(
    rf"(?P<year>[一二12１２](?:\s?[{_DIGIT}]){{3}})\s{{0,4}}+年\s{{0,4}}+"
    rf"(?P<month>[元{_COUNTED}](?:\s?[{_COUNTED}])?)\s{{0,4}}+月\s{{0,4}}+"
    rf"(?:(?P<day>[{_COUNTED}](?:\s?[{_COUNTED}]){{0,2}})|[×xX*]{{1,3}}|某)"
    r"(?:\s{0,4}+[日号无]|(?=\s))"
)
# "2019-03-05", "2019.3.5", "2019/3/5", "2019 - 3 - 5"; not "2019-03", "12019-3-5", "2019.3.5.1"
_NUMERIC: Final = re.compile(
    r"(?P<year>[1１2２][9９0０](?<![0-9０-９./-]..)[0-9０-９]{2}) ?(?P<mark>[-－./．／]) ?"
    r"(?P<month>[0-9０-９]{1,2}) ?(?P=mark) ?(?P<day>[0-9０-９]{1,2})"
    r"(?![0-9０-９]|[-－./．／][0-9０-９])"
)
_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTH: Final = (
    r"(?P<month>[JFMASOND](?<![A-Za-z].)(?i:an(?:uary)?|eb(?:ruary)?|ar(?:ch)?|pr(?:il)?|ay|une?"
    r"|uly?|ug(?:ust)?|ept?(?:ember)?|ct(?:ober)?|ov(?:ember)?|ec(?:ember)?))\.?"
)
_YEAR: Final = r"(?P<year>[12][0-9]{3})(?![0-9])"
# "5 March 2019", "5th of March, 2019", "5-Mar-2019"; not "15 May"
_ENGLISH: Final = re.compile(
    rf"(?P<day>[0-9]{{1,2}})(?<![0-9]{{3}})(?:st|nd|rd|th)?[ -](?:of )?{_MONTH},?[ -]{_YEAR}"
)
# "March 5, 2019", "Mar. 5th 2019"; not "March 2019"
_AMERICAN: Final = re.compile(rf"{_MONTH} (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}")
_OTHER_CALENDAR: Final = re.compile(f"{_LUNAR}|民[国國]")
# "二〇一九年农历正月初八", "农历二〇一九年三月五日", "中華民國一一二年五月十日"; not "2019年3月5日"
_UNREAD: Final = re.compile(
    rf"(?:[{_DIGIT}\s]{{2,8}}年)?(?:{_LUNAR})[{_DIGIT}{_COUNTED}正元冬腊臘初年月日\s]{{2,16}}"
    rf"|(?:中华|中華)?民[国國]\s?[元十百{_DIGIT}]{{1,5}}\s?年(?:\s?[{_COUNTED}]{{1,3}}\s?月)?"
    rf"(?:\s?[{_COUNTED}]{{1,3}}\s?日)?"
)
_PLAIN: Final = {
    **{ord(zero): "0" for zero in _ZEROS},
    **{ord(sign): str(n) for n, sign in enumerate("一二三四五六七八九", 1)},
    **{ord("０") + n: str(n) for n in range(10)},
}
_LUNAR_WORDS: Final = tuple(_LUNAR.split("|"))
_FIRST_YEAR, _LAST_YEAR = 1949, 2100


class WrittenDay(NamedTuple):
    """A day that stands at ``text[start:end]``; of a masked one only the month is sure."""

    day: date
    start: int
    end: int
    masked: bool


def find_days(text: str, start: int = 0) -> Iterator[WrittenDay]:
    """Every day that is written with 年月日, from left to right; what no calendar has is left out.

    So statutes and judgments write them.
    """
    for match in _DAY.finditer(text, start):
        if not text.endswith(_LUNAR_WORDS, 0, match.start()):
            yield from _day_of(match)


def find_dates(text: str) -> list[WrittenDay]:
    """Every day in any usual form, as letters and memos write them too, from left to right."""
    forms = (form.finditer(text) for form in (_NUMERIC, _ENGLISH, _AMERICAN))
    others = (day for matches in forms for match in matches for day in _day_of(match))
    return sorted((*find_days(text), *others), key=lambda day: day.start)


def unread_date(text: str) -> str | None:
    """The first date of the lunar calendar or of the Republic, which is not read, or None."""
    for word in _OTHER_CALENDAR.finditer(text):
        if match := _UNREAD.search(text[max(0, word.start() - 10) : word.end() + 16]):
            return match[0].strip()
    return None


def _day_of(match: re.Match[str]) -> Iterator[WrittenDay]:
    year, written = int("".join(match["year"].split()).translate(_PLAIN)), match["month"]
    if written.isascii() and written.isalpha():
        months, odd = divmod(_MONTHS.find(written[:3].lower()), 3)
        month = 0 if odd else months + 1
    else:
        month = _number(written)
    if not _FIRST_YEAR <= year <= _LAST_YEAR or not 1 <= month <= 12:
        return
    last = calendar.monthrange(year, month)[1]
    masked = match["day"] is None
    day = last if masked else _number(match["day"])
    if 1 <= day <= last:
        yield WrittenDay(date(year, month, day), *match.span(), masked)


@lru_cache(maxsize=1024)
def _number(written: str) -> int:
    """A month or a day of the month; 0 for what is no number."""
    value = parse_number("".join(written.split()).replace("元", "一"))
    return int(value) if value is not None else 0


def today() -> date:
    return datetime.now(UTC).astimezone().date()


def read_day(text: str) -> date:
    """A day as options and arguments have it; an error says how to write one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day; write it as 2021-01-01") from None
