"""The marks that divide a statute, and how each is known on a line of its own.

Headings (第二章　总则), items （一） and what stands below them, annexes (附件一), the titles that
have lost their mark. The numbers of articles are read in
:mod:`hengfa.law.grammar.statute_articles`, because only the articles around one tell whether it is
there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.law.grammar.numerals import parse_number
from hengfa.law.grammar.statute import LEVELS, HeadingKind
from hengfa.law.grammar.statute_lines import NUMERAL, Line, tidy

ItemStyle: TypeAlias = Literal["一、", "（一）", "1.", "（1）", "①"]

STYLES: Final[tuple[ItemStyle, ...]] = ("一、", "（一）", "1.", "（1）", "①")
"""The numberings from the outermost in: a list holds only lists of the styles after its own."""

LONGEST_TITLE: Final = 60
"""Headings and titles of annexes are shorter than this many characters."""

_UNMARKED_TITLE: Final = 40
"""A title without its mark is shorter still: a longer line has only lost its full stop."""

# What titles are that are numbered like items; statutes themselves have 章 and 节.
_TITLE_KINDS: Final[dict[ItemStyle, HeadingKind]] = {"一、": "部分", "（一）": "节"}

_KINDS: Final[dict[str, HeadingKind]] = {kind: kind for kind in LEVELS}

# Titles of parts that mostly carry no number.
_PART_TITLES: Final = frozenset({"总则", "分则", "附则", "序言", "总纲"})

_CHINESE: Final = "一二三四五六七八九十百零〇"

# "第一章 总则", "第二分编", "第3节 行政机关"; not "第一条"
_HEADING: Final = re.compile(
    rf"([第笫]\s?[{NUMERAL}]{{1,8}}\s?(编|分编|章|节|部分))(\s?)(.*)", re.DOTALL
)
# What follows a number that is cited and opens nothing: "规定的情形", "第二款", "、第三条",
# "的规定"; not "第一审人民法院", "规划", "中华人民共和国"
CITED: Final = re.compile(
    rf"之?规定|的|所[列称指规]|中[的“‘\"]|[、，。；,;）)]|(?:[至和及与或]|以及|或者)第"
    rf"|第\s?[{NUMERAL}]{{1,8}}\s?[条款项章节编]|修改为|修正为|改为|后增加|增加一"
)
# "一、管辖"; not "一,二", not "一、"
_NUMBERED_TITLE: Final = re.compile(rf"([{_CHINESE}]{{1,5}}、)\s*(.+)", re.DOTALL)
# "。", "？", "。”", "。）" at the end; not "；", not "第二条"
_SENTENCE_END: Final = re.compile(r"[。！？!?.．][”’）)》]{0,3}\Z")
# "，", "；", "：" at the end; not "。"
_PAUSE_END: Final = re.compile(r"[，,；;：:、]\Z")
# "附件一 名单", "附：", "附表", "附 税率表", "附录1"; not "附则", "附带民事诉讼", "附件所列……。"
_ANNEX: Final = re.compile(
    rf"附(?:[件表录图](?=[{_CHINESE}0-9:：\s（(]|\Z)|[:：\s]|\Z)[{_CHINESE}0-9]{{0,4}}(.*)",
    re.DOTALL,
)
# An item's number in each style: "（一）", "(十二)"; "一、"; "1.", "１．", "1、", also the "1." of
# "1.300吨"; "（1）"; "①". Not "（茶）", "一审", "1.5吨", "2020年".
_ITEM: Final[dict[ItemStyle, re.Pattern[str]]] = {
    "（一）": re.compile(rf"[（(]\s?[{_CHINESE}]{{1,5}}\s?[)）]|[㈠-㈩]"),
    "一、": re.compile(rf"[{_CHINESE}]{{1,5}}、"),
    "1.": re.compile(r"[0-9０-９]{1,3}\s?(?:[.．](?![0-9０-９]{1,2}[^0-9０-９\s])|、)"),
    "（1）": re.compile(r"[（(]\s?[0-9０-９]{1,3}\s?[)）]|[⑴-⒇]|[0-9０-９]{1,3}[)）]"),
    "①": re.compile(r"[①-⑳]"),
}


class ItemLabel(NamedTuple):
    style: ItemStyle
    number: int
    label: str
    rest: str


class HeadingMark(NamedTuple):
    """What a heading line says; ``kind`` None where only the headings around it can tell."""

    kind: HeadingKind | None
    number: int | None
    label: str
    title: str


def ends_sentence(text: str) -> bool:
    """Whether nothing is wanting: a full stop, a question, and quotes or brackets that close."""
    return _SENTENCE_END.search(text, max(0, len(text) - 4)) is not None


def ends_in_pause(text: str) -> bool:
    """Whether a comma, a semicolon or a colon says that something follows."""
    return _PAUSE_END.search(text, max(0, len(text) - 1)) is not None


def breaks_off(text: str) -> bool:
    """Whether a line ends in the middle of a sentence: with a word instead of a mark."""
    return text[-1:].isalnum()


def read_heading(line: Line) -> HeadingMark | None:
    """The heading that a line is by its number, or by its Markdown mark."""
    text = line.text
    if len(text) > 2 * LONGEST_TITLE or not (line.depth or text[0] in "第笫"):
        return None
    if match := _HEADING.fullmatch(text):
        label, kind, blank, title = match.groups()
        whole = not (ends_sentence(title) or ends_in_pause(title)) or line.depth > 0
        cited = not blank and not line.depth and CITED.match(title)
        number = parse_number(re.sub(r"\s", "", label)[1 : -len(kind)])
        if whole and not cited and isinstance(number, int):
            return HeadingMark(_KINDS[kind], number, tidy(label), bare(title))
    if not line.depth:
        return None
    if bare(text) in _PART_TITLES:
        return HeadingMark(None, None, "", bare(text))
    if (numbered := _NUMBERED_TITLE.fullmatch(text)) and not ends_sentence(text):
        number = parse_number(numbered[1][:-1])
        if isinstance(number, int):
            return HeadingMark("部分", number, numbered[1], tidy(numbered[2]))
    return None


def read_numbered_title(text: str) -> HeadingMark | None:
    """一、管辖 or （一）动产质押, if it stands like a heading and is no item of a list."""
    label = read_item(text)
    kind = _TITLE_KINDS.get(label.style) if label else None
    if label and kind and is_title(label.rest):
        return HeadingMark(kind, label.number, label.label, bare(label.rest))
    return None


def is_title(text: str) -> bool:
    """Whether a line without a mark can be a title: short, not numbered, not a sentence."""
    return (
        0 < len(text) <= _UNMARKED_TITLE
        and not ends_sentence(text)
        and not ends_in_pause(text)
        and read_item(text) is None
    )


def is_part_title(text: str) -> bool:
    """总则, 分则, 附则 or 序言, with any blanks."""
    return len(text) < 12 and bare(text) in _PART_TITLES


def is_annex(line: Line) -> bool:
    """Whether a line opens an annex, if an annex may begin there."""
    text = line.text
    if len(text) > 2 * LONGEST_TITLE or not text.startswith("附") or is_part_title(text):
        return False
    match = _ANNEX.fullmatch(text)
    return match is not None and not ends_sentence(text)


def read_item(text: str) -> ItemLabel | None:
    if not text or text[0] not in _ITEM_STARTS:
        return None
    for style, pattern in _ITEM.items():
        if match := pattern.match(text):
            number = _item_number(match[0])
            if number is not None:
                return ItemLabel(style, number, match[0], text[match.end() :].lstrip())
    return None


def bare(title: str) -> str:
    """A title without blanks: 附　　则 is 附则."""
    return "".join(title.split())


_ITEM_STARTS: Final = frozenset(
    "（(㈠㈡㈢㈣㈤㈥㈦㈧㈨㈩" + _CHINESE + "0123456789０１２３４５６７８９"
).union(map(chr, range(ord("①"), ord("⒇") + 1)))


@lru_cache(maxsize=1024)
def _item_number(label: str) -> int | None:
    for first, last in ("①⑳", "⑴⒇", "㈠㈩"):
        if first <= label <= last:
            return ord(label) - ord(first) + 1
    number = parse_number(label.strip("（()）.．、 \u3000"))
    return number if isinstance(number, int) else None
