"""The day of a document, read from its text: for judgments, the date above the clerk's name.

A judgment ends with the names of the judges, the date in Chinese numerals and the clerk; the
provisions it applies are often appended. Other documents bear a date of their own on one of the
last lines. Dates elsewhere are those of events, and are never taken.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.dates import WrittenDay, find_days

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
    written = list(find_days(text))
    for found in reversed(written):
        before = text[max(0, found.start - 60) : found.start]
        if _CLERK.match(text, found.end) or _JUDGE.search(before.rstrip()):
            return _told(text, found)
    alone = [found for found in written if _is_alone(text, found)]
    for found in alone[-1:] + alone[:1]:
        if _near_an_end(text, found):
            return _told(text, found)
    return None


def _told(text: str, found: WrittenDay) -> DocumentDay:
    return DocumentDay(found.day, text[found.start : found.end])


def _is_alone(text: str, found: WrittenDay) -> bool:
    line = text.rfind("\n", 0, found.start) + 1
    end = text.find("\n", found.end)
    after = text[found.end : len(text) if end < 0 else end]
    return not after.strip() and _ALONE.match(text[line : found.start]) is not None


def _near_an_end(text: str, found: WrittenDay) -> bool:
    after = [line for line in text[found.end :].split("\n") if line.strip()]
    before = [line for line in text[: found.start].split("\n") if line.strip()]
    return len(after) <= _LAST_LINES or len(before) <= _LAST_LINES
