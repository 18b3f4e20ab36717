"""The text of a web page as a browser shows it: no tags, no scripts, one line for each paragraph.

Read from the beginning to the end once, whatever it holds: a tag, a comment or a script that never
ends takes the rest of the page with it, as it does in a browser. Nothing is fetched.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

# <p class="a>b">, </td>, <br/>; not "<5克", "< p>"
_TAG: Final = re.compile(
    r"""<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"""
    r"""(?:[^>=]|=\s*+"[^"]*+"|=\s*+'[^']*+'|=(?!\s*+["']))*+>"""
)
# What begins markup; any other < is one of the text
_OPENING: Final = re.compile(r"<(?=/?[A-Za-z]|[!?])")
_UNREAD: Final = frozenset({"script", "style", "title", "template", "noscript", "textarea"})
_INLINE: Final = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "label", "mark", "q", "rb", "ruby", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
"""Elements inside a line; all others end one."""
# "&#99999999999;": more digits than any character has, which Python would not even count
_NO_CHARACTER: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{8,});?")
_BLANKS: Final = re.compile(r"[ \t\n\f\x1c]+")
_SOFT: Final = "\x1c"
"""A line end of the source, which is none of the text."""
_HARD: Final = "\x00"
"""A line end of the text."""
# Between two characters of Chinese a line end of the source is nothing, elsewhere a blank
_NOTHING: Final = re.compile(rf"(?<=[\u2e80-\uffef]){_SOFT}(?=[\u2e80-\uffef])")
_LINE_ENDS: Final = re.compile(r" ?(?:\n ?)+")


def html_text(source: str) -> str:
    """The text of a page, its entities read, its blanks as a browser has them."""
    text = "".join(_pieces(source.replace("\r", "\n").removeprefix("\ufeff")))
    single = _BLANKS.sub(lambda run: _SOFT if "\n" in run[0] else " ", text)
    plain = _NOTHING.sub("", single).replace(_SOFT, " ").replace(_HARD, "\n")
    return _LINE_ENDS.sub("\n", plain).strip("\n ")


def _pieces(source: str) -> Iterator[str]:
    at = kept = 0
    spaced = False
    while opening := _OPENING.search(source, at):
        start = opening.start()
        at, name, ends = _markup(source, start)
        yield _unescape(source[kept:start], spaced=spaced)
        kept = at
        if name == "pre":
            spaced = not ends
        if name in _UNREAD and not ends:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, at)
            at = kept = closing.start() if closing else len(source)
        elif name and name not in _INLINE:
            yield _HARD
    yield _unescape(source[kept:], spaced=spaced)


def _markup(source: str, start: int) -> tuple[int, str, bool]:
    """Where what begins with a < ends, the element's name if it is a tag, whether that ends it."""
    if source.startswith("<!--", start):
        return _after(source, "-->", start + 4), "", False
    if source[start + 1] in "!?":
        return _after(source, ">", start), "", False
    if tag := _TAG.match(source, start):
        return tag.end(), tag["name"].lower(), bool(tag["end"])
    return len(source), "", False


def _after(source: str, mark: str, start: int) -> int:
    end = source.find(mark, start)
    return len(source) if end < 0 else end + len(mark)


def _unescape(text: str, *, spaced: bool) -> str:
    read = html.unescape(_NO_CHARACTER.sub("\ufffd", text)).replace(_HARD, "")
    return read.replace("\n", _HARD) if spaced else read
