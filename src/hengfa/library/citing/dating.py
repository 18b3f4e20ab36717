"""The day of a document, read from its text: for judgments, the date above the clerk's name.

A judgment ends with the names of the judges, the date in Chinese numerals and the clerk; the
provisions it applies are often appended. Other documents bear a date of their own on one of the
last lines. Dates elsewhere are those of events, and are never taken.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_number

_DIGIT: Final = "零〇○ＯOo一二三四五六七八九0-9０-９"
# "二〇一七年六月二十八日", "2017年6月28日", "二〇一五年四月××日", "二〇一七年十一月七无" (a slip);
# not "2017年6月", "二十八日"
_DATE: Final = re.compile(
    rf"(?P<year>[一二12１２][{_DIGIT}]{{3}})\s?年\s?(?P<month>[一二三四五六七八九十0-9０-９元]{{1,2}})\s?月\s?"
    rf"(?:(?P<day>[一二三四五六七八九十廿卅0-9０-９]{{1,3}})|[×xX*]{{1,3}}|某)\s?(?:日|无|(?=\s))"
)
# Who signs before the date: "审判员李某", "人民陪审员"; not "审判员认为"
_JUDGE: Final = re.compile(r"(?:审判长|审判员|陪审员|仲裁员)[^，。；：年月日\n]{0,16}\Z")
# Who signs after it
_CLERK: Final = re.compile(r"[\s\d]{0,8}(?:代?书记员|法官助理|速录员|本件与原本)")
# A line that has nothing but a date, with a seal or place before it at most
_ALONE: Final = re.compile(r"[^\n，。；]{0,30}\Z")
_LAST_LINES: Final = 12


class DocumentDay(NamedTuple):
    """A day and the words that say so."""

    day: date
    text: str


def document_day(text: str) -> DocumentDay | None:
    """The date of a document, or None where it bears none.

    The last one that a judge or clerk signs; else the last one that has a line to itself near the
    end or, in a letter, at the beginning.
    """
    dated = list(_dates(text))
    for found, day in reversed(dated):
        before, after = text[max(0, found.start() - 60) : found.start()], found.end()
        if _CLERK.match(text, after) or _JUDGE.search(before.rstrip()):
            return DocumentDay(day, found[0])
    alone = [(found, day) for found, day in dated if _is_alone(text, found)]
    for found, day in alone[-1:] + alone[:1]:
        if _near_an_end(text, found):
            return DocumentDay(day, found[0])
    return None


def _dates(text: str) -> Iterator[tuple[re.Match[str], date]]:
    for found in _DATE.finditer(text):
        year, month = _number(found["year"], digits=True), _number(found["month"])
        if not year or not month or not 1949 <= year <= 2100 or not 1 <= month <= 12:
            continue
        last = calendar.monthrange(year, month)[1]
        day = _number(found["day"]) if found["day"] else last  # masked: the month is known
        if day and 1 <= day <= last:
            yield found, date(year, month, day)


def _number(written: str, *, digits: bool = False) -> int | None:
    plain = written.translate(_PLAIN)
    if plain.isascii() and plain.isdigit():
        return int(plain)
    if digits:
        return None
    value = parse_number(written.translate(_WIDE).replace("元", "一"))
    return None if value is None else int(value)


_WIDE: Final = {ord("０") + n: str(n) for n in range(10)}
_PLAIN: Final = (
    _WIDE
    | {ord(sign): "0" for sign in "零〇○ＯOo"}
    | {ord(sign): str(n) for n, sign in enumerate("一二三四五六七八九", 1)}
)


def _is_alone(text: str, found: re.Match[str]) -> bool:
    line = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    after = text[found.end() : len(text) if end < 0 else end]
    return not after.strip() and _ALONE.match(text[line : found.start()]) is not None


def _near_an_end(text: str, found: re.Match[str]) -> bool:
    after = [line for line in text[found.end() :].split("\n") if line.strip()]
    before = [line for line in text[: found.start()].split("\n") if line.strip()]
    return len(after) <= _LAST_LINES or len(before) <= _LAST_LINES
