"""The names of Chinese laws as strings: one spelling for each, and what is customarily shortened.

Nothing here knows which laws exist: a collection of laws decides that. The table lets a reader of
text recognise a name that stands without title marks, and says which names an abbreviation means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hengfa.law import citation_abbreviations as table

STATE: Final = "中华人民共和国"

MAX_NAME: Final = 200
"""Longer strings are no names: the longest titles have about a hundred characters."""

abbreviations: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {short: (full,) for short, full in table.PLAIN.items()} | table.AMBIGUOUS
)
"""What a customary short name means, all as :func:`normalise_name` writes them.

Several names mean that the abbreviation is ambiguous: ask, or let the date of the case decide.
"""

CUSTOMARY: Final = table.STATUTES | table.PLAIN.keys()
"""Normalised names that are recognised without title marks: 刑法, 民诉法, 九民纪要.

Ambiguous ones are not among them: 处罚法 may be the end of a name that the table does not hold.
"""

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


def normalise_name(text: str) -> str:
    """One spelling for the names of one law: 《中华人民共和国刑法（2020修正）》 is 刑法.

    Title marks, blanks, the words 中华人民共和国 and remarks on the version go, wherever they
    stand; brackets become full-width and digits half-width. What tells laws apart stays: （二）,
    （试行）, 实施细则, the court that issued an interpretation. Abbreviations are not resolved.
    Normalising twice changes nothing; a name of nothing but such ornaments is left as it is.
    """
    bare = _MARKS_AND_BLANKS.sub("", text).translate(_WIDTHS)
    if len(bare) > MAX_NAME:
        return bare
    while True:
        shorter = bare.replace(STATE, "")
        shorter = _VERSION_BRACKET.sub("", shorter)
        shorter = _VERSION_SUFFIX.sub("", shorter)
        shorter = _VERSION_PREFIX.sub("", shorter)
        if shorter == bare or not shorter:
            return bare
        bare = shorter
