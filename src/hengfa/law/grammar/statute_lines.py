"""The lines of a statute's text without their Markdown and HTML, and what is only markup set apart.

Nothing is decided about law here. A line of the source becomes one :class:`Line`, or several where
``<br>`` or an editor's note divides it; blank lines become none.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

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
