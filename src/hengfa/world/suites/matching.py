"""Whether a key stands in a text: letter by letter as published, or as the same value
(legalagentbench.md 5).

The published match is containment: `1000.00万元` is not in 1000万元, and `1家` is in 11家. The
tolerant match reads both sides into characters, numbers and dates, and looks for the key's parts in
a row. It takes for the same

* full and half width, and any blanks between characters;
* numbers with and without commas and closing zeros: 1,700.00 and 1700;
* amounts by their value: 478万元, 4780000元 and 0.0478亿元;
* dates: 2019年02月22日, 2019年2月22日, 2019-02-22, 2019/2/22, 2019.2.22.

And it takes nothing for the same that is not. A number matches as a whole: 1万 is not in 11万 or
1.1万, 5次 not in 15次, 京73 not in 京7301. Numbers with a leading zero or letters beside them are
codes and have no value. A text may say more than the key and not less: the key 4063 is in 4063元,
the key 4063元 not in 4063; 600000, perhaps the code of a share, is in 60万元 and not in 60万股;
3.56亿 is in 3.56亿元, and 3.56亿元 in 3.56亿 if no other unit follows. Nothing is rounded, and
Chinese numerals stay words: 一家 is not 1家, since it is mostly not a count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from hengfa.law.grammar.numerals import Number, find_numbers

HasKey: TypeAlias = Callable[[str], bool]  # whether a key stands in the text at hand

Match: TypeAlias = Callable[[str], HasKey]


class _Amount(NamedTuple):
    """A number. `yuan` and `scaled` say with which unit it was written; `ends` that no word, which
    could be another unit, follows."""

    value: Number
    yuan: bool
    scaled: bool
    ends: bool


class _Date(NamedTuple):
    year: int
    month: int
    day: int | None


_Part: TypeAlias = str | _Amount | _Date  # what is compared as a whole; a `str` is a code


class _Reading(NamedTuple):
    """A text without blanks, with a mark for every part, and the parts by their place in it."""

    characters: str
    parts: dict[int, _Part]


_MARK: Final = "\0"
# "2019年02月22日", "2019 年 2 月", "2019年2月22号"; not "12019年2月", not "2019年13月"
_CHINESE_DATE: Final = (
    r"(?<![0-9])(?P<y>[12][0-9]{3})\s*+年\s*+(?P<m>1[0-2]|0?[1-9])\s*+月"
    r"(?:\s*+(?P<d>3[01]|[12][0-9]|0?[1-9])\s*+[日号])?"
)
# "2019-02-22", "2019/2/22", "2019.2.22"; not "2019-02.22", "2019-02-22-01", "0755-2019-1-1"
_NUMERIC_DATE: Final = (
    r"(?<![0-9])(?<![0-9][-/.])(?P<Y>[12][0-9]{3})(?P<joint>[-/.])(?P<M>1[0-2]|0?[1-9])"
    r"(?P=joint)(?P<D>3[01]|[12][0-9]|0?[1-9])(?![0-9])(?!(?P=joint)[0-9])"
)
_DATE: Final = re.compile(f"{_CHINESE_DATE}|{_NUMERIC_DATE}")
# Letters and digits in a row: "91110108MA002BK3X2", "A204"; "1204" and "ABC" too, which are no code
_RUN: Final = re.compile(r"[0-9A-Za-z]++")
_YUAN: Final = re.compile(r"\s*+[元圆]")
_UNIT: Final = re.compile(r"\s*+\w")
_SCALES: Final = frozenset("百千万亿")
_MONEY_BEFORE: Final = re.compile(r"(?:¥|人民币)\s*+\Z")
_DIGITS: Final = re.compile(r"[0-9]++")


def literal(text: str) -> HasKey:
    """The published match: the key is part of the text, every character alike."""
    return lambda key: key in text


def tolerant(text: str) -> HasKey:
    """The key's parts stand in the text one after the other, each with the same value."""
    there = _reading_of(text)

    def has_key(key: str) -> bool:
        wanted = _reading_of(key)
        start = there.characters.find(wanted.characters) if wanted.characters else -1
        while start >= 0:
            if all(_same(part, there.parts[start + place]) for place, part in wanted.parts.items()):
                return True
            start = there.characters.find(wanted.characters, start + 1)
        return False

    return has_key


def _same(wanted: _Part, there: _Part) -> bool:
    if isinstance(wanted, _Date) and isinstance(there, _Date):
        return wanted[:2] == there[:2] and wanted.day in (None, there.day)
    if isinstance(wanted, _Amount) and isinstance(there, _Amount):
        # a text may say more than the key, not less, and no other unit
        says = there.scaled and there.ends if wanted.yuan else wanted.scaled == there.scaled
        return wanted.value == there.value and (there.yuan or says)
    return wanted == there


@lru_cache(maxsize=1024)
def _reading_of(text: str) -> _Reading:
    s = unicodedata.normalize("NFKC", text).replace(_MARK, " ")
    parts: dict[int, _Part] = {}
    pieces: list[str] = []
    length = place = 0
    for start, end, part in _spans(s):
        piece = "".join(s[place:start].split())
        length += len(piece)
        parts[length] = part
        pieces += [piece, _MARK]
        length += 1
        place = end
    return _Reading("".join(pieces) + "".join(s[place:].split()), parts)


def _spans(s: str) -> Iterator[tuple[int, int, _Part]]:
    """Dates, codes, amounts and other digits in order; where they overlap, so they go first."""
    spans: list[tuple[int, int, _Part]] = []
    for date in _DATE.finditer(s):
        year, month, day = date.group("y", "m", "d") if date["y"] else date.group("Y", "M", "D")
        read = _Date(int(year), int(month), int(day) if day else None)
        spans.append((date.start(), date.end(), read))
    spans += _beside(spans, [
        (run.start(), run.end(), run[0])
        for run in _RUN.finditer(s)
        if not run[0].isdecimal() and not run[0].isalpha()
    ])  # fmt: skip
    spans += _beside(spans, [
        _amount(s, number.start, number.end, number.value)
        for number in find_numbers(s)
        if s[number.start].isascii()
    ])  # fmt: skip
    spans += _beside(spans, [(run.start(), run.end(), run[0]) for run in _DIGITS.finditer(s)])
    yield from sorted(spans, key=lambda span: span[0])


def _beside(
    taken: Sequence[tuple[int, int, _Part]], more: Sequence[tuple[int, int, _Part]]
) -> list[tuple[int, int, _Part]]:
    """Those of `more` that overlap nothing taken."""
    places = {place for start, end, _ in taken for place in range(start, end)}
    return [span for span in more if places.isdisjoint(range(span[0], span[1]))]


def _amount(s: str, start: int, end: int, value: Number) -> tuple[int, int, _Part]:
    """A number with the unit after it; digits that begin with a zero are a code."""
    written = s[start:end]
    if written.isdecimal() and written.startswith("0") and len(written) > 1:
        return start, end, written
    unit = _YUAN.match(s, end)
    yuan = unit is not None or _MONEY_BEFORE.search(s, max(0, start - 8), start) is not None
    scaled = not _SCALES.isdisjoint(written)
    amount = _Amount(value, yuan, scaled, _UNIT.match(s, end) is None)
    return start, unit.end() if unit else end, amount
