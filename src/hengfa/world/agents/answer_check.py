"""Numbers and names in an answer that nothing the agent saw accounts for.

A number counts as seen if some number in the question or the observations equals it, rounded to as
many digits as it has, in any of the units 元, 千, 万, 亿, or as a share in percent; days also if
they lie between two dates that were seen. Whole numbers below a hundred are counts, and pass. It is
a question to the model, not a verdict: the model may have been right. How often it was, in
published answers, is counted by benchmarks/agent_replay.py.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import combinations
from typing import Final

from hengfa.law.grammar.dates import find_dates

_SMALL: Final = 100
_MOST_DATES: Final = 200
_MOST_ITEMS: Final = 8

# 1,234.50 and 12万; not the 12 in A12
_NUMBER: Final = re.compile(r"(?<![0-9A-Za-z.])([0-9]{1,30}(?:\.[0-9]{1,20})?)([千万亿]{0,2})")
_DIGIT_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]{3})")
# (2031)云岭01执17号, after width folding; not (2031)年
_CASE: Final = re.compile(r"\([0-9]{4}\)[^\s,;:。()]{2,30}?号")
# a credit code such as 91990100XHYL00001A: digits and letters; not a plain number or a word
_CODE: Final = re.compile(r"(?<![0-9A-Za-z])(?=[0-9A-Z]*[0-9])(?=[0-9A-Z]*[A-Z])[0-9A-Z]{8,32}")
# the end of a full name: 星禾器材有限公司, 云岭区人民法院, 明衡律师事务所; not 该公司 or 本院
_NAME: Final = re.compile(
    r"[\u4e00-\u9fff()A-Z]{4}(?:股份有限公司|有限责任公司|有限公司|人民法院|律师事务所)"
)
# a firm that is not named: 注册资本最高的律师事务所, 两家律师事务所; not 明衡律师事务所
_DESCRIBED: Final = re.compile(
    r"(?:[的该其新]|具体|关于|相关|被告|原告|合作|代理|[一两几多各]家)"
    r"(?:股份|有限|责任|公司|人民|法院|律师|事务所)+$"
)
_BEFORE: Final = "是为由及和与即系("  # what stands before a name
# 127天; not 1.5天
_DAYS: Final = re.compile(r"(?<![0-9A-Za-z.])([0-9]{1,6})天")
_UNITS: Final = {"千": Decimal(1_000), "万": Decimal(10_000), "亿": Decimal(100_000_000)}
_SCALES: Final = (*(Decimal(1) / unit for unit in (Decimal(1), *_UNITS.values())), Decimal(100))


def unsupported(answer: str, seen: Iterable[str]) -> list[str]:
    """What the answer says and nothing seen does, at most a few items."""
    known = _Evidence(seen)
    text = _fold(answer)
    items = []
    for pattern in (_CASE, _CODE):
        items += [name for name in pattern.findall(text) if name not in known.text]
    items += [name for name in _NAME.findall(text) if not known.has_name(name)]
    rest = _CODE.sub(" ", _CASE.sub(" ", text))
    rest = _DAYS.sub(lambda days: " " if int(days[1]) in known.spans else days[0], rest)
    items += [written for written, value, step in _numbers(rest) if not known.has(value, step)]
    return list(dict.fromkeys(items))[:_MOST_ITEMS]


class _Evidence:
    def __init__(self, texts: Iterable[str]) -> None:
        self.text = "\n".join(map(_fold, texts))
        values = {
            base * scale
            for written, value, _ in _numbers(self.text, least=0)
            for base in {value, Decimal(written.rstrip("千万亿"))}
            for scale in _SCALES
        }
        self.values = sorted(values)

    def has_name(self, name: str) -> bool:
        """Whether the end of a name was seen, or there is none; it may begin with other words."""
        parts = [name, name[1:], *([name[2:]] if name[1] in _BEFORE else [])]
        return any(part in self.text for part in parts) or _DESCRIBED.search(name) is not None

    @cached_property
    def spans(self) -> set[int]:
        """How many days lie between two dates seen."""
        days = sorted({written.day for written in find_dates(self.text)})[:_MOST_DATES]
        return {(later - earlier).days for earlier, later in combinations(days, 2)}

    def has(self, value: Decimal, step: Decimal) -> bool:
        """Whether some number seen is this one, as exactly as it is written."""
        place = bisect.bisect_left(self.values, value - step / 2)
        return place < len(self.values) and self.values[place] <= value + step / 2


def _numbers(text: str, least: int = _SMALL) -> Iterator[tuple[str, Decimal, Decimal]]:
    """Each number as written, its value, and the value of one in its last digit."""
    for number in _NUMBER.finditer(text):
        try:
            value = Decimal(number[1])
        except InvalidOperation:
            continue
        if value == int(value) and value < least and not number[2] and "." not in number[1]:
            continue
        step = Decimal(1).scaleb(-len(number[1].partition(".")[2]))
        for unit in number[2]:
            value, step = value * _UNITS[unit], step * _UNITS[unit]
        yield number[0], value, step


def _fold(text: str) -> str:
    """One width, no blanks, no commas in numbers."""
    folded = unicodedata.normalize("NFKC", text)
    return _DIGIT_COMMA.sub("", "".join(folded.split()))
