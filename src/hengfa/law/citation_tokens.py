"""The numbered parts of citations in running text, one by one: 第十条 | 第一、三款 | 前款 | 该条.

They are found in text after :func:`canonical`, in which every character has one spelling at the
same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from hengfa.law import numeral_tables as tables
from hengfa.law.citation_model import Level, Relative
from hengfa.law.numerals import ArticleNumber, parse_article

Join: TypeAlias = Literal["new", "list", "range"]

# Besides the spellings of numerals: a traditional unit, and one kind of blank within a line.
_OTHER: Final = tables.CANONICAL | {ord("項"): "项", ord("　"): " ", ord("\xa0"): " "}
# "壹〇", "，", "項"; not "一"
_OTHER_SPELLINGS: Final = re.compile(f"[{''.join(map(chr, _OTHER))}]++")

_N: Final = "[0-9零○O一二三四五六七八九十百千两廿卅卌]"
# No article number is longer than 一千二百六十五 with two slips of the pen.
_NUMERAL: Final = f"{_N}{{1,10}}+(?!{_N})"
_ELEMENT: Final = rf"(?:[（(] ?{_NUMERAL} ?[)）]|{_NUMERAL}(?:之{_NUMERAL})?)"
_AND: Final = "以及|或者|[、和及与或至到~～—-]"
_NEXT: Final = rf"(?: ?(?:{_AND}|,) ?|(?<=[)）])){_ELEMENT}"
_NEXT_ORDINAL: Final = rf" ?(?:{_AND}) ?第 ?{_ELEMENT}"
_BRACKETED: Final = rf"[（(] ?{_NUMERAL} ?[)）]"
# "之一" in 第一百三十三条之一; not in 第三条之一般规定
_SUB: Final = rf" ?之{_NUMERAL}(?![般切种些分])"

# The numbered parts of a law. Repetitions are possessive and pass over at most six further 第, so
# that each character is looked at a bounded number of times.
#
# ordinal:   "第五十二条", "第52、53条", "第（一）至（三）项", "第一至第三条"; not "第三人"
# no_unit:   "第六十七" in 第六十七第三款 and 第六十七之规定, where 条 was forgotten; not in 第七号
# after_law: "三百零七条之一" after 《刑法》, "264条" in 刑法264条; not in 增加十条
# bare:      "二款" in 第七十二条二款, "（三）项" in 第四条（三）项; not in 前二款
# before:    "前款", "前两款"; not in 提前款项, 前条件
# this:      "本条" in 本条第二款, 本条规定; not in 本条例, 基本条件
# that:      "该条" in 该条第二款; not in 合同条款
_TOKEN: Final = re.compile(
    rf"第 ?(?P<ordinal>{_ELEMENT}(?:{_NEXT})*+(?:{_NEXT_ORDINAL}(?:{_NEXT})*+){{0,6}}+)"
    rf" ?(?P<unit>条(?:款(?!项)|(?!件))|款|项)(?P<sub>{_SUB}(?:[、和及与至到]{_SUB})*+)?"
    rf"|第(?P<no_unit>{_NUMERAL})(?:(?=第{_NUMERAL}[款项])|(?P<trailing>)(?=[之的]规定))"
    rf"|(?<=[》〉法])(?P<after_law>{_NUMERAL})条(?![约例件])(?P<after_sub>{_SUB})?"
    rf"|(?<=[条款])(?P<bare>{_NUMERAL})(?P<bare_unit>[款项])"
    rf"|(?<=[条款0-9一二三四五六七八九十])"
    rf"(?P<bracketed>{_BRACKETED}(?: ?[、,和及至到]? ?{_BRACKETED})*+)(?:项|(?=[之的]?规定|所列))"
    rf"|(?<![提此之以目日年月天先事])前(?P<back>[一二两三四五六七])?(?P<before>[条款项])"
    rf"(?![例约件目款]|(?<=款)项)"
    rf"|(?<![基根资日版样])(?<!(?<![构造完形达])成)本(?P<this>[条款项])"
    rf"(?=[第所的之前各中列罪另,、和及或]|规定)"
    rf"|(?<!合)(?:[该同]|上述|前述)(?P<that>[条款])(?=第)"
)
# "（一）" and "五十三" in 第（一）、五十三; not "、"
_ONE: Final = re.compile(rf"(?:第 ?)?(?P<one>{_ELEMENT})")
# "之一" and "之二" in 之一、之二; not "一"
_ONE_SUB: Final = re.compile(rf"之(?P<one>{_NUMERAL})")
# "至" in 第一至第三条; not "、"
_RANGE: Final = re.compile(r"[至到~～—-]")
# "1,260" in 第1,260条; not "52,53"
_GROUPED: Final = re.compile(r"[1-9],[0-9]{3}")

_BACK: Final = "零一两三四五六七"
_LEVEL_OF_UNIT: Final[dict[str, Level]] = {"条": "article", "款": "paragraph", "项": "item"}


@dataclass(slots=True)
class Number:
    """One number of a token, where it stands, and how it is joined to the one before."""

    value: ArticleNumber
    start: int
    end: int
    join: Join


@dataclass(slots=True)
class Token:
    """第52、53条 is one token of two numbers; 前款 is one without; ``text[start:end]`` in all."""

    start: int
    end: int
    level: Level
    numbers: list[Number] = field(default_factory=list)
    relative: Relative | None = None
    anaphoric: bool = False  # 该条, 同条: the article cited last
    loose: bool = False  # without 第: counts only right after a law or a higher part
    slip: bool = False  # 第二条款, 第六十七: an article, or a paragraph right after an article
    trailing: bool = False  # 第六十七之规定: counts only at the end of a list


def canonical(text: str) -> str:
    """The text with one spelling for each character, at the same places."""
    return _OTHER_SPELLINGS.sub(lambda run: run[0].translate(_OTHER), text)


def scan(s: str) -> Iterator[Token]:
    """The tokens of a canonical text from left to right; numbers that cannot be read give none."""
    for found in _TOKEN.finditer(s):
        start, end = found.span()
        if unit := found["before"]:
            back = _BACK.index(found["back"].replace("二", "两")) if found["back"] else 1
            level = _LEVEL_OF_UNIT[unit]
            yield Token(start, end, level, relative=Relative(level, back))
        elif unit := found["this"]:
            level = _LEVEL_OF_UNIT[unit]
            yield Token(start, end, level, relative=Relative(level, 0))
        elif unit := found["that"]:
            yield Token(start, end, _LEVEL_OF_UNIT[unit], anaphoric=True)
        else:
            token = _read(s, found)
            if token.numbers:
                token.numbers[0].start, token.numbers[-1].end = token.start, token.end
                yield token


def _read(s: str, found: re.Match[str]) -> Token:
    """A token with numbers; without them where they cannot be read."""
    start, end = found.span()
    if unit := found["unit"]:
        numbers = _read_list(s, *found.span("ordinal"))
        if numbers and found["sub"]:
            numbers = _read_subs(s, numbers, *found.span("sub"))
        return Token(start, end, _LEVEL_OF_UNIT[unit[0]], numbers, slip=len(unit) > 1)
    if found["bracketed"]:
        numbers = _read_list(s, *found.span("bracketed"))
        return Token(start, end, "item", numbers, loose=True)
    if numeral := found["no_unit"]:
        trailing = found["trailing"] is not None
        token = Token(start, end, "article", slip=not trailing, trailing=trailing)
    else:
        numeral = found["bare"] or found["after_law"] + (found["after_sub"] or "").strip()
        token = Token(start, end, _LEVEL_OF_UNIT[found["bare_unit"] or "条"], loose=True)
    if value := _number(numeral):
        token.numbers = [Number(value, start, end, "new")]
    return token


def _read_list(s: str, start: int, end: int) -> list[Number]:
    """The numbers of 52、53 or （一）至（三）; none where one of them cannot be read."""
    if _GROUPED.fullmatch(s, start, end):
        value = _number(s[start] + s[start + 2 : end])
        return [Number(value, start, end, "new")] if value else []
    numbers: list[Number] = []
    place = start
    while found := _ONE.search(s, place, end):
        value = _number(found["one"].strip("（()） "))
        if value is None:
            return []
        before = numbers[-1] if numbers else None
        hyphen = s[place : found.start()] == "-"
        if before and hyphen and value.number < before.value.number and not before.value.sub:
            before.value = ArticleNumber(before.value.number, value.number)  # 第133-1条
            before.end = found.end()
        else:
            ranges = before and _RANGE.search(s, place, found.start())
            join: Join = "range" if ranges else "list" if before else "new"
            numbers.append(Number(value, found.start(), found.end(), join))
        place = found.end()
    return numbers


def _read_subs(s: str, numbers: list[Number], start: int, end: int) -> list[Number]:
    """第一百二十条之一、之二: the sub-articles belong to the last number."""
    last = numbers.pop()
    place = start
    while found := _ONE_SUB.search(s, place, end):
        value = _number(found["one"])
        if value is None:
            return []
        article = ArticleNumber(last.value.number, value.number)
        if place == start:
            numbers.append(Number(article, last.start, found.end(), last.join))
        else:
            join: Join = "range" if _RANGE.search(s, place, found.start()) else "list"
            numbers.append(Number(article, found.start(), found.end(), join))
        place = found.end()
    return numbers


@lru_cache(maxsize=4096)
def _number(numeral: str) -> ArticleNumber | None:
    return parse_article(numeral)
