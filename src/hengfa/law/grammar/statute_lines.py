"""The lines of a statute's text without their Markdown and HTML, and the marks that divide it.

A line of the source becomes one :class:`Line`, or several where ``<br>`` or an editor's note
divides it; blank lines become none, and what is only markup is set apart. Of a line by itself one
can tell whether it is a heading (第二章　总则), an item （一） or what stands below one, an annex
(附件一), or a title that has lost its mark. The numbers of articles are read in
:mod:`hengfa.law.grammar.statute_articles`: only the articles around one tell whether it is there.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.law.grammar.numerals import parse_number
from hengfa.law.grammar.statute import LEVELS, HeadingKind

LineKind: TypeAlias = Literal["text", "markup", "contents", "note", "table"]

_LONGEST_NOTE: Final = 40
"""A note in braces that has not ended after so many lines is no note."""

_FRONT_MATTER: Final = 40
"""Front matter that has not ended by this line is none."""

_MARKUP: Final[LineKind] = "markup"
_QUOTES: Final = (">", "-", "*", "+")

# How blocks that may take several lines open, how they end, and what they are.
_BLOCKS: Final[dict[str, tuple[str, LineKind]]] = {
    "<!--": ("-->", "markup"),
    "<style": ("</style>", "markup"),
    "<script": ("</script>", "markup"),
    "<table": ("</table>", "table"),
    "{": ("}", "note"),
}

# "<!--", "<table", the brace of "{原条文：……"; not "<tr", not the brace of "{ color: red }"
_OPENING: Final = re.compile(r"<!--|<(?:style|script|table)|\{(?=\s{0,4}[一-鿿《（])")

# The forms in which an article may be numbered: 一百二十, 120, １２０, with the zeros of typists.
NUMERAL: Final = "一二三四五六七八九十百千零〇○两廿卅0-9０-９"

# "第一条", "笫五十四条", "第 120 条之一", "第一百二十八 条"; not "第一款"
ARTICLE_LABEL: Final = re.compile(
    rf"[第笫]\s{{0,4}}[{NUMERAL}]{{1,12}}\s{{0,4}}条(?:\s{{0,4}}之\s{{0,4}}[{NUMERAL}]{{1,6}})?"
)

# "<br>", "</br>", "<p class=a>"; not "<b>", not "<某法>"
_BREAK: Final = re.compile(r"</?(?:br|p|div)\b[^<>]{0,200}>", re.IGNORECASE)
# "<b>", "</font>", "<span style=a>"; not "<body>", not "<某法>"
_INLINE: Final = re.compile(
    r"</?(?:b|strong|i|em|u|s|font|span|center|sup|sub|a)\b[^<>]{0,200}>", re.IGNORECASE
)
# "---", "* * *", "====", "```"; not "--", not "-- a"
_RULE: Final = re.compile(r"(?:[-=*_~`+]\s{0,4}){3,}+")
# "![国旗](./flag.jpg)"; not "[国旗](./flag.jpg)"
_PICTURE: Final = re.compile(r"!\[[^\]]{0,200}\]\([^)]{0,500}\)")
# "::: tip 说明", ":::"; not "：：：说明"
_CONTAINER: Final = re.compile(r":::.*+")
# "[来源](http://a.b/c)", "[责任编辑： 某某]", "责任编辑：某某"; not "来源不明的，应当说明。"
_SOURCE: Final = re.compile(
    r"\[[^\]]{0,20}\]\(\s{0,4}https?://.*+|\[?责任编辑\s{0,4}[:：].{0,40}|来源[:：].{0,80}"
)
# "- [第一章 总则](#第一章-总则)", "[[toc]]"; not "[第一章](http://a.b)"
_CONTENTS_LINK: Final = re.compile(
    r"(?:[-*+]\s{1,8}|[0-9]{1,3}\.\s{1,4})?\[[^\]]{1,200}\]\(#.*+|\[\[?toc\]\]?", re.IGNORECASE
)
# "| 级数 | 税率 |", "<td>甲</td>"; not "<中华人民共和国某法>的决定"
_TABLE: Final = re.compile(r"\||</?(?:table|thead|tbody|tfoot|tr|td|th|caption)\b", re.IGNORECASE)
# "> ", "## ", "- " before a text, and any of these together; not "**第一条**", not "-5度"
_PREFIX: Final = re.compile(r"(?:>\s{0,8}|#{1,6}(?=\s|第|附)\s{0,8}|[-*+]\s{1,8})*+")
# "{原条文：……}"; not a note that ends on another line
_NOTE: Final = re.compile(r"\{[^{}]++\}")
# "{" or "}"; not "｛"
_BRACE: Final = re.compile(r"[{}]")
# Characters that take no room: zero-width blanks, joiners and marks of direction, byte order marks
INVISIBLE: Final = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]++")
# A blank beside Chinese: "第 3 章", "总 则"; not the one in "A 1"
_INNER_BLANK: Final = re.compile(r"(?<=[　-〿一-鿿＀-￯“”‘’…—]) | (?=[　-〿一-鿿＀-￯“”‘’…—])")


class Line(NamedTuple):
    """A line of the source: ``raw`` as it stood, ``text`` with single blanks and without marks."""

    number: int  # counted from 1
    text: str
    depth: int  # of a Markdown heading, 0 for other lines
    quoted: bool  # after ">" or "-"
    kind: LineKind
    raw: str


def read_lines(text: str) -> list[Line]:
    """All lines that are not blank, in order."""
    source = text.splitlines()
    front = 0  # the last line of the block between two rules that some sites put first
    if source and INVISIBLE.sub("", source[0]).strip() == "---":
        rules = (n for n, raw in enumerate(source[1:_FRONT_MATTER], 2) if raw.strip() == "---")
        front = next(rules, 0)
    lines = [_set_apart(n, raw, "markup") for n, raw in enumerate(source[:front], 1) if raw.strip()]
    blocks = _Blocks(source)
    for index in range(front, len(source)):
        raw = INVISIBLE.sub("", source[index]).strip()
        if raw and index > blocks.last and "<" not in raw and "{" not in raw:
            lines.append(_classify(index + 1, raw))
        elif raw:
            for piece, kind in blocks.pieces(index, raw):
                if kind == "text":
                    lines += _divide(index + 1, piece)
                elif piece.strip():
                    lines.append(_set_apart(index + 1, piece, kind))
    return lines


def tidy(text: str) -> str:
    """Without the blanks that typesetting leaves in Chinese; those between Latin words stay."""
    text = " ".join(text.split())
    return _INNER_BLANK.sub("", text) if " " in text else text


class _Blocks:
    """What may span several lines: comments, style sheets, tables, notes in braces.

    A block counts only if it ends: an opening mark without its closing one is text.
    """

    def __init__(self, source: Sequence[str]) -> None:
        self.source = source
        self.mark, self.kind, self.last = "", _MARKUP, -1  # the block that goes on from above
        self.places = {
            mark: deque(index for index, raw in enumerate(source) if mark in raw)
            for mark, _ in _BLOCKS.values()
        }

    def pieces(self, index: int, raw: str) -> Iterator[tuple[str, LineKind]]:
        if index < self.last:
            yield raw, self.kind
            return
        if index == self.last:
            inside, mark, raw = raw.partition(self.mark)
            yield inside + mark, self.kind
        start, missing = 0, set[str]()  # what has been given; the marks that come no more
        for opening in _OPENING.finditer(raw):
            mark, kind = _BLOCKS[opening[0]]
            if opening.start() < start or mark in missing:
                continue
            end = self._end(raw, opening, mark)
            if end is None:
                if mark != "}":
                    missing.add(mark)
                if not self._goes_on(index, raw, opening, mark):
                    continue
                self.mark, self.kind, self.last = mark, kind, self.places[mark][0]
                end = len(raw)
            yield raw[start : opening.start()], "text"
            yield raw[opening.start() : end], kind
            start = end
        yield raw[start:], "text"

    @staticmethod
    def _end(raw: str, opening: re.Match[str], mark: str) -> int | None:
        if mark == "}":
            note = _NOTE.match(raw, opening.start())
            return note.end() if note else None
        end = raw.find(mark, opening.end())
        return end + len(mark) if end >= 0 else None

    def _goes_on(self, index: int, raw: str, opening: re.Match[str], mark: str) -> bool:
        places = self.places[mark]
        while places and places[0] <= index:
            places.popleft()
        if not places:
            return False
        if mark != "}":
            return True
        if places[0] > index + _LONGEST_NOTE or _BRACE.search(raw, opening.end()):
            return False
        below = self.source[index + 1 : places[0] + 1]
        return not any(ARTICLE_LABEL.match(line.strip().lstrip("*")) for line in below)


def _divide(number: int, piece: str) -> Iterator[Line]:
    """The parts between ``<br>`` and the like; a piece that is nothing but these is markup."""
    parts = [part for part in map(str.strip, _BREAK.split(piece)) if part]
    if not parts and piece.strip():
        yield _set_apart(number, piece, "markup")
    for raw in parts:
        yield _classify(number, raw)


def _classify(number: int, raw: str) -> Line:
    """A line without its marks, or set apart where it is nothing but marks."""
    marks = ""
    if not "一" <= raw[0] <= "鿿" or raw[0] in "责来":
        if kind := _kind(raw):
            return _set_apart(number, raw, kind)
        prefix = _PREFIX.match(raw)
        marks = prefix[0] if prefix else ""
    text = raw[len(marks) :]
    if "<" in text:
        text = _INLINE.sub(" ", text)
    if "&" in text:
        text = INVISIBLE.sub("", html.unescape(text))
    if "*" in text:  # a blank for each pair of stars, which stand where an article's number ends
        text = text.replace("**", " ").strip()
        text = text[1:-1] if len(text) > 2 and text[0] == text[-1] == "*" else text
    text = " ".join(text.split())
    if not text:
        return _set_apart(number, raw, "markup")
    return Line(number, text, marks.count("#"), marks.startswith(_QUOTES), "text", raw)


def _kind(raw: str) -> LineKind | None:
    if _TABLE.match(raw):
        return "table"
    if _RULE.fullmatch(raw) or _PICTURE.fullmatch(raw) or _CONTAINER.match(raw):
        return "markup"
    if _CONTENTS_LINK.match(raw):
        return "contents"
    return "note" if _SOURCE.fullmatch(raw) else None


def _set_apart(number: int, raw: str, kind: LineKind) -> Line:
    return Line(number, raw.strip(), 0, False, kind, raw.strip())


# Marks: how each is known on a line of its own

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
