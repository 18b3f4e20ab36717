"""What a document is, from its title or from what the parties are called, and how long it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

CLAIM, DEFENCE, OTHER = "claim", "defence", "other"
"""Kinds of documents: a statement of claim, a defence, one that was not asked for."""

TITLES: Final[Mapping[str, str]] = {
    "答辩状": DEFENCE,
    "答辩书": DEFENCE,
    "答辩意见": DEFENCE,
    "起诉状": CLAIM,
    "起诉书": CLAIM,
    "反诉状": OTHER,
    "上诉状": OTHER,
    "申请书": OTHER,
    "判决书": OTHER,
    "裁定书": OTHER,
    "代理词": OTHER,
    "律师函": OTHER,
}
_TITLE: Final = "|".join(TITLES)
# A title on a line of its own, blanks removed: "# 民事起诉状", "**民事答辩状**"; not
# "针对原告起诉状的答复如下：".
_TITLE_LINE: Final = re.compile(
    rf"[\s#*_【《<>a-z/=\"':-]*[^\s，。：:；、的]{{0,12}}?(?P<title>{_TITLE})"
    r"(?:[（(][^（）()]{1,20}[）)])?[\s*_】》<>a-z/]*"
)
# Who signs, or who speaks: "具状人：", "答辩人（被告）："; not "被答辩人：".
_SPEAKER: Final = re.compile(r"(?<!被)(?P<who>答辩人|具状人|起诉人)\s*[（(：:]")
_LONGEST_TITLE: Final = 60


class Document(NamedTuple):
    """A document: its text, its kind (None where it has no sign of one), its length."""

    text: str
    kind: str | None
    length: int


def read_document(response: str) -> Document:
    return Document(response, kind_of(response), count(response))


def count(text: str) -> int:
    """Characters without white space: how length is counted where nobody says how."""
    return sum(not character.isspace() for character in text)


def kind_of(text: str) -> str | None:
    """By the first line that is a title, else by who speaks."""
    for line in text.splitlines():
        short = "".join(line.split()) if len(line) <= _LONGEST_TITLE else ""
        title = _TITLE_LINE.fullmatch(short)
        if title:
            return TITLES[title["title"]]
    speaker = _SPEAKER.search(text)
    if speaker is None:
        return None
    return DEFENCE if speaker["who"] == "答辩人" else CLAIM
