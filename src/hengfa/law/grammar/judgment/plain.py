"""A document as a person reads it: no tags, no runs of blanks, one width of digits and marks.

Judgments come from web pages, scans and models. Everything is looked for in this plain text, and
what was found is told as offsets into the text that was given.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final, NamedTuple

# "<p class=x>", "</td>", "<!-- note -->", "&nbsp;", "&#xD;", blanks, U+200B, and the marks of
# Markdown that models write ("**", "## "); not "<5克", "A&B"
_NOISE: Final = re.compile(
    r"<(?:/?(?P<tag>[A-Za-z][A-Za-z0-9]{0,10})(?:[\s/][^<>]{0,400})?|!--[^<>]{0,400}--)>"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});)"
    r"|(?P<blank>\s+)|(?P<bold>\*\*)|(?<![^\n])#{1,6} |[\u200b-\u200f\u2060\ufeff\ufffd]+"
)
# Elements that end a paragraph; others stand inside a line.
_BLOCKS: Final = frozenset(
    {"p", "br", "div", "tr", "td", "th", "li", "ul", "ol", "table", "hr", "body", "title"}
    | {f"h{level}" for level in range(1, 7)}
)
_UNREAD: Final = frozenset({"style", "script"})
# One width for digits, letters and the marks that the expressions of this package name.
_WIDTHS: Final = {ord("！") + place: chr(ord("!") + place) for place in range(94)} | {
    ord(mark): wide
    for narrow, wide in zip("!,:;?()", "！，：；？（）", strict=True)
    for mark in (narrow, wide)
}
# Bold words inside a sentence: "被告人**林帆**犯"; not "**、李**"
_BOLD: Final = re.compile(r"\*\*(?P<words>[^\s*，。、；：）][^*\n。]{0,80}(?<!\s))\*\*")
# The commonest surnames
_SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾"
    "丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤"
    "尹黎易常武乔贺赖龚文"
)
# A surname before the sign that masks a name: "被告人张**", "、欧阳**"; not "被告人**", "判处**"
_SURNAME: Final = re.compile(
    rf"(?:[人位、和与及，。：；]|\s|\A)(?:欧阳|司徒|上官|诸葛|司马|夏侯|[{_SURNAMES}])[某小]?\Z"
)
_BRACKET: Final = re.compile("[（）]")
_LONGEST_REMARK: Final = 1_000


class Plain(NamedTuple):
    """A text whose every character knows where it stands in the text that was given.

    Runs of characters are kept together: the run that begins at ``starts[n]`` here begins at
    ``origins[n]`` there.
    """

    text: str
    starts: list[int]
    origins: list[int]

    def origin(self, place: int) -> int:
        """Where the character at ``place`` stands in the text that was given."""
        if not self.starts:
            return 0
        run = max(bisect_right(self.starts, place) - 1, 0)
        return self.origins[run] + place - self.starts[run]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the text that was given of what is ``text[start:end]`` here."""
        if end <= start:
            return self.origin(start), self.origin(start)
        return self.origin(start), self.origin(end - 1) + 1

    def part(self, start: int, end: int) -> Plain:
        return _concatenation(self, [(start, end)])

    def without(self, gaps: Iterable[tuple[int, int]]) -> Plain:
        """The text without some stretches, which come from left to right."""
        kept, reached = [], 0
        for start, end in gaps:
            kept.append((reached, start))
            reached = end
        return _concatenation(self, [*kept, (reached, len(self.text))])


def plain(text: str) -> Plain:
    pieces = [piece for piece in _pieces(text) if piece[0]]
    starts = [0, *accumulate(len(words) for words, _ in pieces)][:-1]
    whole = "".join(words for words, _ in pieces).translate(_WIDTHS)
    return Plain(whole, starts, [origin for _, origin in pieces])


def brackets(text: str) -> list[tuple[int, int]]:
    """Remarks in brackets, outermost ones; a bracket that is never closed hides nothing."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(text):
        if match[0] == "（":
            opened.append(match.start())
        elif opened:
            start = opened.pop()
            if match.end() - start <= _LONGEST_REMARK:
                while pairs and pairs[-1][0] > start:
                    pairs.pop()
                pairs.append((start, match.end()))
    return pairs


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    kept_from = place = 0
    bold = False
    unclosed: set[str] = set()
    while noise := _NOISE.search(text, place):
        start, place = noise.span()
        tag = (noise["tag"] or "").lower()
        if noise["blank"] == " ":
            continue
        if noise["bold"]:
            before, after = text[max(0, start - 1) : start], text[place : place + 1]
            # **判决** begins bold words; a masked name or number ends in it: 张**
            opens = not before.isalnum() and bool(after.strip("* ：，。"))
            opens = opens or (not bold and _emphasises(text, start))
            if not (opens or bold):
                continue
            bold = opens
        if noise["entity"]:
            meant = html.unescape(noise[0])
            stands_for = " " if meant.isspace() else meant if len(meant) == 1 else noise[0]
        else:
            stands_for = " " if noise["blank"] or tag in _BLOCKS else ""
        if tag in _UNREAD and tag not in unclosed and noise[0][1] != "/":
            closing = text.find(f"</{tag}", place)
            if closing < 0:
                unclosed.add(tag)
            else:
                place = closing
        yield text[kept_from:start], kept_from
        if len(stands_for) <= 1:
            yield stands_for, start
            kept_from = place
        else:
            kept_from = start
    yield text[kept_from:], kept_from


def _emphasises(text: str, start: int) -> bool:
    """Whether ** begins bold words in the middle of a sentence; a surname before it is masked."""
    marked = _BOLD.match(text, start)
    if marked is None or text[start - 1 : start].isascii():
        return False
    words = marked["words"]
    goes_on = words[0] in "犯男女" and "，" in words
    return not goes_on and not _SURNAME.search(text, max(0, start - 4), start)


def _concatenation(whole: Plain, spans: Iterable[tuple[int, int]]) -> Plain:
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for start, end in spans:
        if end <= start:
            continue
        run = max(bisect_right(whole.starts, start) - 1, 0)
        while run < len(whole.starts) and (begin := max(whole.starts[run], start)) < end:
            starts.append(length + begin - start)
            origins.append(whole.origins[run] + begin - whole.starts[run])
            run += 1
        pieces.append(whole.text[start:end])
        length += end - start
    return Plain("".join(pieces), starts, origins)
