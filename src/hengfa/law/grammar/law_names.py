"""The names of Chinese laws as strings: one spelling for each, and what is customarily shortened.

Nothing here knows which laws exist: a collection of laws decides that. The table lets a reader of
text recognise a name that stands without title marks, and says which names an abbreviation means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hengfa.law.grammar.numerals import format_number
from hengfa.law.grammar.script import simplified

STATE: Final = "中华人民共和国"

MAX_NAME: Final = 200
"""Longer strings are no names: the longest titles have about a hundred characters."""

_WIDTHS: Final = {
    **{ord("０") + digit: str(digit) for digit in range(10)},
    ord("("): "（",
    ord(")"): "）",
    ord("﹙"): "（",
    ord("﹚"): "）",
    ord("["): "〔",
    ord("]"): "〕",
    ord("［"): "〔",
    ord("］"): "〕",
    ord("【"): "〔",
    ord("】"): "〕",
    ord("."): "．",
    ord(","): "，",
}
# "《", "〈", "＜", " ", "\u200b"; not "（"
_MARKS_AND_BLANKS: Final = re.compile(r"[《》〈〉＜＞<>«»「」『』“”\"\s　\u200b\ufeff]++")

_YEAR: Final = r"(?:[0-9]{4}|[一二][零〇○一二三四五六七八九]{3})"
_EVENT: Final = "修正|修订|修改|订正|通过|施行|实施|试行|颁布|公布|发布|制定|生效|废止"
# What a bracket says of a version or a number: "（2018修正）", "〔2012年8月31日修正版〕",
# "（法释〔2015〕24号）", "（修订）"; not "（二）", "（试行）", "（草案）"
_VERSION_BRACKET: Final = re.compile(
    rf"（(?:{_YEAR}年?(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?[^（）]{{0,24}}+"
    rf"|[^（）]{{0,12}}[〔（]{_YEAR}[〕）][^（）]{{0,12}}号|(?:{_EVENT})(?<!试行)(?:版|本|稿)?|现行有效|节选)）"
    rf"|〔{_YEAR}年?[^〔〕]{{0,16}}+〕"
)
# "2018年修正", "1997年" at the end of a name; not "2018" in 2018年度预算
_VERSION_SUFFIX: Final = re.compile(rf"{_YEAR}年?(?:{_EVENT})?(?:版|本|文本)?\Z")
# "2017年" in 2017年民事诉讼法, "2014年修正的"; not in 2018年世界杯条例, which stays as it is
_VERSION_PREFIX: Final = re.compile(
    rf"\A{_YEAR}年(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?(?:{_EVENT})?(?:后?的)?(?=.{{0,60}}(?:法典?|解释|通则|总则)\Z)"
)
# The number of an interpretation or amendment: "三" in 公司法解释三, "之二", "（2）", "11" in
# 刑法修正案11; not "（三）", not in 规定三日
_COUNT: Final = re.compile(
    r"(?<=解释|规定|正案)(?:（(?P<digits>[1-9][0-9]?)）|之?(?P<count>[一二三四五六七八九十]{1,3}|[1-9][0-9]?))\Z"
)
CODE_PARTS: Final = ("物权编", "合同编", "人格权编", "婚姻家庭编", "继承编", "侵权责任编")
"""Parts of the Civil Code that no other law has; each may stand for it."""
# "民法典·合同编", "民法典（人格权编）"; not "民法典合同编通则解释"
_CODE_PART: Final = re.compile(
    rf"\A民法典[·•・．—–-]*（?(?:第[一二三四五六七]编)?(?:总则编?|{'|'.join(CODE_PARTS)})(?:通则|分则)?）?\Z"
)


@lru_cache(maxsize=4096)
def normalise_name(text: str) -> str:
    """One spelling for the names of one law: 《中华人民共和国刑法（2020修正）》 is 刑法.

    Title marks, blanks, the words 中华人民共和国 and remarks on the version go, wherever they
    stand; brackets become full-width, digits half-width and characters simplified; 解释三 becomes
    解释（三）, and a part of the Civil Code the code. What tells laws apart stays: （二）,
    （试行）, 实施细则, the court that issued an interpretation. Abbreviations are not resolved.
    Normalising twice changes nothing; a name of nothing but such ornaments is left as it is.
    """
    bare = simplified(_MARKS_AND_BLANKS.sub("", text)).translate(_WIDTHS)
    if len(bare) > MAX_NAME:
        return bare
    while True:
        shorter = bare.replace(STATE, "")
        shorter = _VERSION_BRACKET.sub("", shorter)
        shorter = _VERSION_SUFFIX.sub("", shorter)
        shorter = _VERSION_PREFIX.sub("", shorter)
        shorter = _CODE_PART.sub("民法典", _COUNT.sub(_in_brackets, shorter))
        if shorter == bare or not shorter:
            return bare
        bare = shorter


def _in_brackets(match: re.Match[str]) -> str:
    count = match["digits"] or match["count"]
    return f"（{format_number(int(count)) if count.isascii() else count}）"


def table(name: str) -> list[list[str]]:
    """The lines of a table beside this module; all names as `normalise_name` writes them."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines]


# Laws that are cited without title marks, by the name that they bear. Without this table a name is
# still found by its form (…法, …条例); with it, its first character is certain.
_STATUTES: Final = frozenset(name for (name,) in table("statute_names.txt"))
_SHORT: Final = {short: tuple(meant) for short, *meant in table("short_names.tsv")}
_PLAIN: Final = {short: meant[0] for short, meant in _SHORT.items() if len(meant) == 1}
"""Short names with one meaning."""

abbreviations: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    _SHORT | dict.fromkeys(CODE_PARTS, ("民法典",))
)
"""What a customary short name means, all as :func:`normalise_name` writes them.

Several names mean that the abbreviation is ambiguous: ask, or let the date of the case decide.
"""

CUSTOMARY: Final = _STATUTES | _PLAIN.keys()
"""Normalised names that are recognised without title marks: 刑法, 民诉法, 九民纪要.

Ambiguous ones are not among them: 处罚法 may be the end of a name that the table does not hold.
"""

ABBREVIATED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        full: tuple(short for short, meant in _PLAIN.items() if meant == full)
        for full in _STATUTES & frozenset(_PLAIN.values())
    }
)
"""The customary short names of a statute."""

ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {title: name for name, *titles in table("english_names.tsv") for title in titles}
)
"""Laws by their English titles, in small letters, without the words that say whose they are."""

# "最高人民法院、最高人民检察院", "两高" before the title of an interpretation; not "最高法院组织法"
_COURTS: Final = re.compile(
    r"\A(?:最高人民法院|最高人民检察院|最高法院|最高院|最高法|最高检|两高|公安部|国家安全部|司法部|[、，和]){1,9}"
    r"(?=关于|.{2,40}(?:解释|规定)(?:（[一二三四五六七八九十]{1,3}）)?\Z)"
)


def without_courts(name: str) -> str:
    """The title of an interpretation as it is cited: without those who issued it."""
    return _COURTS.sub("", name)
