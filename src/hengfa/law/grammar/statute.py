"""A statute as its text is built: headings, articles (条), paragraphs (款) and items (项).

:func:`hengfa.law.grammar.statute_parsing.parse_statute` builds these from a text. Everything that
stood in the text is in one of them: what is not law, or could not be placed, is under ``unplaced``.

A paragraph that opens an item list keeps its lead sentence and its items apart; ``full_text`` puts
them together again, at every level, as they stood. Positions are those of citations, so
第一百二十条之一第二款第（三）项 is article 120, sub 1, paragraph 2, item 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.law.grammar.numerals import format_article

HeadingKind: TypeAlias = Literal["部分", "编", "分编", "章", "节"]
Form: TypeAlias = Literal["articles", "numbered", "none"]
Role: TypeAlias = Literal["lead", "leaf"]
Reason: TypeAlias = Literal[
    "markup",  # comments, rules, front matter, style sheets, pictures
    "contents",  # the table of contents
    "note",  # an editor's note, a footnote, the address of the source
    "table",  # a table between articles
    "repeated article",  # its number has been used
    "article out of sequence",  # its number does not fit between its neighbours
    "between heading and article",
    "after the last article",
]

LEVELS: Final[dict[HeadingKind, int]] = {"部分": 0, "编": 1, "分编": 2, "章": 3, "节": 4}
"""How deep a heading stands: a heading ends all those before it that are as deep or deeper."""

# "（2009年8月27日删除）", "（删去）" at the end; not "删去第三款。"
DELETION_MARK: Final = re.compile(r"[（(][0-9年月日]{0,11}(?:删除|删去|废止)[)）]\Z")


class Heading(msgspec.Struct, frozen=True):
    """第二章　公司的设立; 附则 and other titles without a number have ``number`` None."""

    kind: HeadingKind
    number: int | None
    title: str
    label: str  # "第二章" as written, "" where there is none
    line: int


class StatuteItem(msgspec.Struct, frozen=True):
    """One 项 without its number; what stands below it (1. 2. 3.) stays in its text, by lines."""

    number: int
    text: str
    label: str  # "（三）" as written

    @property
    def full_text(self) -> str:
        return self.label + self.text


class Paragraph(msgspec.Struct, frozen=True):
    """One 款. ``text`` is all of it, or the sentence that leads to its items."""

    text: str
    items: tuple[StatuteItem, ...] = ()

    @property
    def full_text(self) -> str:
        """The lead sentence and the items, a line each."""
        return "\n".join([*([self.text] if self.text else ()), *(i.full_text for i in self.items)])


class Article(msgspec.Struct, frozen=True):
    """One 条; ``sub`` is 1 for 第一百二十条之一 and 0 for 第一百二十条."""

    number: int
    sub: int
    headings: tuple[Heading, ...]  # from the outermost in
    paragraphs: tuple[Paragraph, ...]
    label: str  # "第一百二十条之一" as written
    line: int
    caption: str = ""  # what some editions print before the text: 【故意杀人罪】

    @property
    def name(self) -> str:
        """The number as statutes write it, whatever the source wrote."""
        return format_article(self.number, self.sub)

    @property
    def full_text(self) -> str:
        """All paragraphs, a line each, without the article's number."""
        return "\n".join(paragraph.full_text for paragraph in self.paragraphs)


class Annex(msgspec.Struct, frozen=True):
    """附件, 附表 or a table after the last article, its lines as they stood in the source."""

    title: str
    text: str
    line: int


class Unplaced(msgspec.Struct, frozen=True):
    """A line, or a part of one, that is not part of the statute, and why."""

    line: int
    text: str
    reason: Reason


class Statute(msgspec.Struct, frozen=True):
    """All of a text. Lines are counted from 1.

    ``form`` says how the act is built: in articles, in sections 一、二、三 as decisions and
    amending acts are, or neither. Only the first has ``articles``; the others have a ``body``.
    """

    title: str
    form: Form
    header: tuple[str, ...]  # who passed and amended the act, and when
    preamble: tuple[str, ...]
    articles: tuple[Article, ...]
    headings: tuple[Heading, ...]
    body: tuple[str, ...]
    annexes: tuple[Annex, ...]
    unplaced: tuple[Unplaced, ...]


class Entry(msgspec.Struct, frozen=True):
    """One provision of the flat list.

    ``paragraph`` is None in an article that has only one, ``item`` None where there is none, and
    ``article_sub`` 0 without 之N. A ``lead`` is the sentence before items, a ``leaf`` anything that
    is not divided further. ``deleted`` marks text that the source prints as no longer in force.
    """

    article: int
    article_sub: int
    paragraph: int | None
    item: int | None
    role: Role
    text: str
    deleted: bool


def entries(statute: Statute) -> Iterator[Entry]:
    """The provisions of a statute from first to last, each lead sentence before its items."""
    for article in statute.articles:
        several = len(article.paragraphs) > 1
        for place, paragraph in enumerate(article.paragraphs, 1):
            lead: Role = "lead" if paragraph.items else "leaf"
            texts: list[tuple[int | None, Role, str]] = []
            if paragraph.text:
                texts.append((None, lead, paragraph.text))
            texts += [(item.number, "leaf", item.text) for item in paragraph.items]
            at = article.number, article.sub, place if several else None
            for number, role, text in texts:
                deleted = DELETION_MARK.search(text, max(0, len(text) - 20)) is not None
                yield Entry(*at, number, role, text, deleted)
