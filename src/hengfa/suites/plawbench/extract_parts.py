"""The four parts of a case analysis by their headings (PLawBench spec 2).

The prompt asks for 【结论】【案件事实】【推理过程】【法条依据】, the questions of the data for
【结论】【案情简述】【分析过程】【依据法条】 or for all four in one pair of brackets. Both sets are
read, with variants: in brackets, as Markdown headings, in bold, numbered, or as bare words on a
line of their own. Numbers and bare words are looked at only where brackets and Markdown do not
make headings: a step of reasoning may begin with “3. 结论：”.

A heading that names two parts (【分析过程与法条依据】) stands for both. One that names all four is
the question repeated; it counts only where no other heading is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

CONCLUSION, FACTS, REASONING, STATUTES = PARTS = ("conclusion", "facts", "reasoning", "statutes")
"""The dimensions of a case analysis, in the order that is asked for."""

TITLES: Final[Mapping[str, tuple[str, ...]]] = {
    CONCLUSION: ("结论", "结论意见", "核心结论", "法律结论", "最终结论"),
    FACTS: (
        *("案件事实", "案情简述", "案情简介", "案情概述", "案情事实", "事实概述"),
        *("基本事实", "基本案情", "案情摘要", "案情", "事实"),
    ),
    REASONING: (
        *("推理过程", "分析过程", "推理分析", "法律分析", "论证过程", "分析论证", "分析推理"),
        *("分析", "推理"),
    ),
    STATUTES: (
        *("法条依据", "依据法条", "法律依据", "相关法条", "法律条文", "适用法条", "引用法条"),
        "法条",
    ),
}
"""What headings call a part; the first is the one that the prompt asks for."""

_PART_OF: Final = {title: part for part, titles in TITLES.items() for title in titles}
_TITLE: Final = "|".join(sorted(_PART_OF, key=len, reverse=True))
_BLANKS: Final = r"[ \t\u3000]{0,9}"
_AND: Final = rf"(?:(?:[+＋、与和及/—–-]|以及){_BLANKS})?"
_JOINED: Final = rf"(?P<titles>(?:{_TITLE})(?:{_BLANKS}{_AND}(?:{_TITLE})){{0,5}})"
_NUMBER: Final = (
    rf"(?:第?[一二三四五1-5][、.．:：]|[（(][一二三四五1-5][）)]|第[一二三四]部分[:：]?){_BLANKS}"
)
# A heading in brackets, whatever its line goes on with: "【结论】", "## 【案情】：某甲",
# "1. [法条]"; not "见【结论】部分".
_BRACKETED: Final = re.compile(
    rf"[ \t\u3000#>*_]{{0,12}}(?:{_NUMBER})?\*{{0,2}}[【\[「［]{{1,2}}{_BLANKS}{_JOINED}"
    rf"{_BLANKS}[】\]」］]{{1,2}}\*{{0,2}}{_BLANKS}[:：]?\*{{0,2}}"
)
_ENDS: Final = rf"[*_]{{0,2}}{_BLANKS}(?:[:：][*_]{{0,2}}|$)"
# A heading in Markdown, with a colon or nothing after it: "## 一、结论", "**案情简述**",
# "**结论：**是"; not "**结论**不能成立".
_MARKDOWN: Final = re.compile(
    rf"[ \t\u3000>]{{0,12}}(?:{_NUMBER})?(?:#{{1,6}}{_BLANKS}\*{{0,2}}|\*\*|__)(?:{_NUMBER})?"
    rf"{_JOINED}{_ENDS}"
)
# Numbered or bare: "一、结论：支持", "3. 分析过程", "案情简述：甲与乙"; not "1. 结论不能成立".
_PLAIN: Final = re.compile(rf"[ \t\u3000>]{{0,12}}(?:{_NUMBER})?{_JOINED}{_ENDS}")
_ONE_TITLE: Final = re.compile(_TITLE)
_ENOUGH: Final = 2
"""With so many parts in brackets or Markdown, plain words are no headings."""


class Parts(NamedTuple):
    """A case analysis: the response, and the text of each part that has a heading."""

    text: str
    parts: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts without a heading or without words under it."""
        return tuple(name for name in PARTS if not self.parts.get(name))


class _Heading(NamedTuple):
    line: int
    end: int
    """Where the text on the heading's own line begins."""
    names: frozenset[str]
    strong: bool


def read_parts(response: str) -> Parts:
    """Split a case analysis; a part that comes twice is the two together."""
    lines = response.splitlines()
    headings = _that_count([found for found in map(_heading, range(len(lines)), lines) if found])
    found: dict[str, list[str]] = {}
    ends = [*(heading.line for heading in headings[1:]), len(lines)]
    for heading, end in zip(headings, ends, strict=False):
        below = [lines[heading.line][heading.end :], *lines[heading.line + 1 : end]]
        for name in heading.names:
            found.setdefault(name, []).append("\n".join(below).strip())
    return Parts(response, {name: "\n".join(found[name]) for name in PARTS if name in found})


def _heading(number: int, line: str) -> _Heading | None:
    strong = _BRACKETED.match(line) or _MARKDOWN.match(line)
    found = strong or _PLAIN.match(line)
    if found is None:
        return None
    names = frozenset(_PART_OF[title] for title in _ONE_TITLE.findall(found["titles"]))
    return _Heading(number, found.end(), names, strong is not None)


def _that_count(headings: list[_Heading]) -> list[_Heading]:
    separate = [heading for heading in headings if len(heading.names) < len(PARTS)] or headings
    strong = [heading for heading in separate if heading.strong]
    named = frozenset(name for heading in strong for name in heading.names)
    return strong if len(named) >= _ENOUGH else separate
