"""Positions in a law in several styles, written and read: 第二十七条第二款第（一）项, 27.2.1."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from hengfa.law.citation_groups import group
from hengfa.law.citation_model import Position
from hengfa.law.citation_tokens import canonical, scan
from hengfa.law.numerals import MAX_ARTICLE, format_article, format_number, parse_article

CitationStyle: TypeAlias = Literal["full", "arabic", "dotted"]

# "27.2.1", "133-1.2", "27..1" (an item without a paragraph), ".2" (a paragraph alone); not "27-"
_DOTTED: Final = re.compile(
    r"(?P<article>[0-9]{1,4})?(?:-(?P<sub>[0-9]{1,4}))?"
    r"(?:\.(?P<paragraph>[0-9]{1,4})?(?:\.(?P<item>[0-9]{1,4}))?)?"
)


def format_citation(law: str | None, position: Position, style: CitationStyle = "full") -> str:
    """A citation as statutes write it (full), with Arabic numbers, or dotted as in 民法典 27.2.1.

    Without a law, the position alone. Title marks inside a name become 〈〉, as is the custom.
    """
    if not any(position):
        raise ValueError("a position needs an article, a paragraph or an item")
    if any(n is not None and not 1 <= n <= MAX_ARTICLE for n in position):
        raise ValueError(f"numbers in a position run from 1 to {MAX_ARTICLE:,}")
    if position.article_sub and not position.article:
        raise ValueError("a sub-article needs an article")
    where = _WRITERS[style](position)
    if not law:
        return where
    name = law.strip().removeprefix("《").removesuffix("》")
    if style == "dotted":
        return f"{name} {where}"
    return f"《{name.replace('《', '〈').replace('》', '〉')}》{where}"


def parse_position(text: str) -> Position | None:
    """The one position that a string names and nothing else, in any style, or None.

    Reads 第二十七条第二款第（一）项, 第27条第2款第1项, 27.2.1, 133-1.2, 27..1 and 一百三十三之一.
    """
    s = canonical(text).strip()
    if (found := _DOTTED.fullmatch(s)) and s.strip("."):
        numbers = [int(n) if n else None for n in found.groups()]
        return None if 0 in numbers or (numbers[1] and not numbers[0]) else Position(*numbers)
    groups = list(group(s, scan(s)))
    if len(groups) == 1 and (groups[0].start, groups[0].end) == (0, len(s)):
        elements = groups[0].elements
        one = elements[0]
        if len(elements) > 1 or one.until or one.relative or groups[0].anaphoric:
            return None
        return one.position
    article = parse_article(s)
    return Position(article.number, article.sub or None) if article else None


def _full(position: Position) -> str:
    article, sub, paragraph, item = position
    return (
        (format_article(article, sub or 0) if article else "")
        + (f"第{format_number(paragraph)}款" if paragraph else "")
        + (f"第（{format_number(item)}）项" if item else "")
    )


def _arabic(position: Position) -> str:
    article, sub, paragraph, item = position
    return (
        (f"第{article}条" if article else "")
        + (f"之{format_number(sub)}" if sub else "")
        + (f"第{paragraph}款" if paragraph else "")
        + (f"第{item}项" if item else "")
    )


def _dotted(position: Position) -> str:
    article, sub, paragraph, item = position
    written = f"{article or ''}" + (f"-{sub}" if sub else "")
    if paragraph or item:
        written += f".{paragraph or ''}"
    return written + (f".{item}" if item else "")


_WRITERS: Final = {"full": _full, "arabic": _arabic, "dotted": _dotted}
