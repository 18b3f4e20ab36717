"""A judgment's text as the published evaluator prepares it before cutting it (judgment spec 2.1).

Texts with mark-up are read as HTML. The reader here is lenient and linear: a tag ends at the next
`>`, whatever stands in quotes. The standard library's parser gives the same text for well-formed
input, but on Python 3.11 it takes minutes for 60 KB of tags that are never closed.
"""

from __future__ import annotations

import html
import re
from typing import Final

# Step 1: in this order, each on the result of the one before.
_REPLACED: Final = (
    (":", "："),
    (" ", ""),
    ("(", "（"),
    (")", "）"),
    ("\u3000", " "),
    ("\u00a0", " "),
    ("<p>", ""),
    ("</p>", ""),
    ("<br>", ""),
    ("&#xD;", ""),
    ("\ufffd", ""),
)

# Step 2. The comma of "甲,乙"; not those of "1,000" and "甲,1".
_LONE_COMMA: Final = re.compile(r"(?<!\d),(?!\d)")

# The beginning of mark-up: "<b", "</p", "<!--", "<!DOCTYPE", "<?xml", "</>"; not "<刑法>", "a < b".
_MARKUP: Final = re.compile(r"<(?:(?P<name>[A-Za-z][^\s/>]*)|(?P<comment>!--)|/|!|\?)")

# Elements whose content is no text, with what ends them: "</script", "</STYLE"; not "</scripts".
_UNREAD: Final = {
    name: re.compile(rf"</{name}(?![A-Za-z0-9])", re.IGNORECASE) for name in ("script", "style")
}


def normalise(document: str) -> str:
    """The document with one spelling of its punctuation, without blanks and without mark-up."""
    text = document
    for old, new in _REPLACED:
        text = text.replace(old, new)
    text = _LONE_COMMA.sub("，", text)
    if "<" not in text and "&" not in text:
        return text.strip()
    nodes = (html.unescape(node).strip() for node in _text_nodes(text))
    return " ".join(node for node in nodes if node)


def _text_nodes(text: str) -> list[str]:
    """What stands between tags and comments; what is never closed is text."""
    last = {mark: text.rfind(mark) for mark in (">", "-->")}
    nodes: list[str] = []
    begin = at = 0
    while found := _MARKUP.search(text, at):
        mark = "-->" if found["comment"] else ">"
        at = found.end()
        if at > last[mark]:
            continue
        nodes.append(text[begin : found.start()])
        begin = at = text.index(mark, at) + len(mark)
        unread = _UNREAD.get((found["name"] or "").lower())
        if unread is not None:
            closing = unread.search(text, at)
            if closing is None:
                return nodes
            begin = at = closing.start()
    nodes.append(text[begin:])
    return nodes
