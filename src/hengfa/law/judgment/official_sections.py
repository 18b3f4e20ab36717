"""A judgment in five sections as the published evaluator cuts it (judgment spec 2.2).

Sections are taken from the front, one after the other. Two quirks of the published cutting can be
switched off: it deletes a section wherever its text comes again (Q1), and where several marks could
end a section, the first of its list wins, not the first in the text (Q2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias


class OfficialSections(NamedTuple):
    """The five sections; one that was not found is empty."""

    heading: str
    fact: str
    reason: str
    judgment: str
    appendix: str


Span: TypeAlias = tuple[int, int]
_Mark: TypeAlias = Callable[[str], Span | None]
"""Where a mark first stands in a text."""

_CJK: Final = "[\u4e00-\u9fa5]"


def _pattern(expression: str) -> _Mark:
    compiled = re.compile(expression)

    def mark(text: str) -> Span | None:
        found = compiled.search(text)
        return found and found.span()

    return mark


def _on_new_line(expression: str) -> _Mark:
    """A mark after a line break and any white space; it begins at the first such break.

    Looked for from its words backwards: a pattern that begins with the white space would look at
    every line of a long gap again.
    """
    compiled = re.compile(expression)

    def mark(text: str) -> Span | None:
        for found in compiled.finditer(text):
            gap = len(text[: found.start()].rstrip()) if _after_blank(text, found) else -1
            line_break = text.find("\n", gap, found.start()) if gap >= 0 else -1
            if line_break >= 0:
                return line_break, found.end()
        return None

    return mark


def _after_blank(text: str, found: re.Match[str]) -> bool:
    return found.start() > 0 and text[found.start() - 1].isspace()


_HEADING: Final = (
    _pattern(f"审理终结{_CJK}{{0,10}}。"),  # "现已审理终结。"; not "审理终结，"
    _pattern(f"公开开庭审理{_CJK}{{0,10}}。"),  # "公开开庭审理了本案。"; not "公开开庭审理，"
)
_ACCUSER: Final = re.compile("(?:公诉|抗诉)机关[\u4e00-\u9fa5，、]{0,30}(?:认为|指控)")
_NAME: Final = re.compile(f"{_CJK}{{0,10}}\\Z")


def _accusation(text: str) -> Span | None:
    """Who accuses: "月湖县公诉机关指控", "抗诉机关某院，认为"; not "公诉机关某院。".

    Up to ten characters before belong to it; they are looked at only where there is something.
    """
    found = _ACCUSER.search(text)
    if found is None:
        return None
    start = found.start()
    name = _NAME.search(text, max(0, start - 10), start)
    return (name.start() if name else start), found.end()


_FACT: Final = _pattern("本院认为")
_REASON: Final = (
    _pattern("判决如下[:：,，\n]"),  # "判决如下："; not "判决如下 "
    _pattern("判决如下"),
    _pattern("裁定(?:如下)?[:：\n]"),  # "裁定如下：", "裁定："; not "裁定准许"
)
_JUDGMENT: Final = (
    _pattern(f"如{_CJK}{{0,3}}不服本判决"),
    _on_new_line("本判决为终审判决"),
    _pattern(f"如{_CJK}{{0,5}}未按本判决指定的期间{_CJK}{{0,5}}给付金钱义务"),
    _on_new_line(r"(?:代理)?审\s{0,3}判\s{0,3}长"),
    _on_new_line(r"(?:代理)?审\s{0,3}判\s{0,3}员"),
    _pattern("附录"),
    _pattern("附："),
    _pattern(f"附{_CJK}{{0,10}}法律"),
    _pattern(f"附{_CJK}{{0,10}}："),
    _on_new_line("本案.{0,10}法律"),
    _pattern("\n《"),
    _pattern(r"\n?\Z"),
)


def cut_sections(
    normalised: str, *, by_position: bool = False, earliest: bool = False
) -> OfficialSections:
    """Cut a normalised document. `by_position` repairs Q1, `earliest` Q2 of reason and judgment."""
    first = _earliest if earliest else _first_listed
    rest = normalised

    def take(section: str) -> str:
        nonlocal rest
        if section and not section.isspace():
            rest = rest[len(section) :] if by_position else rest.replace(section, "")
        return section

    heading = take(_heading(rest))
    fact = take(_before(rest, _FACT(rest)))
    found = first(rest, _REASON)
    reason = take(rest if found is None else rest[: found[1]])
    judgment = take(_before(rest, first(rest, _JUDGMENT)) or rest)
    return OfficialSections(heading, fact, reason, judgment, rest)


def _heading(text: str) -> str:
    """The later of two sentences that may end it comes first in the list, and rightly so."""
    found = _first_listed(text, _HEADING)
    heading = "" if found is None else text[: found[1]]
    return heading if heading.strip() else _before(text, _accusation(text))


def _before(text: str, found: Span | None) -> str:
    return "" if found is None else text[: found[0]]


def _spans(text: str, marks: Sequence[_Mark]) -> Iterator[Span]:
    return (span for mark in marks if (span := mark(text)) is not None)


def _first_listed(text: str, marks: Sequence[_Mark]) -> Span | None:
    """Q2: the mark that comes first in the list."""
    return next(_spans(text, marks), None)


def _earliest(text: str, marks: Sequence[_Mark]) -> Span | None:
    """Of marks at the same place, the first of the list, which is the longest."""
    return min(_spans(text, marks), key=lambda span: span[0], default=None)
