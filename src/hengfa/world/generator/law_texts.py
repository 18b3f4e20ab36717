"""Two collections of texts from a law library: its articles, and what a text book makes of them.

The law is that in force on the day on which the world stands still. A law whose version of that day
the library does not have is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from hengfa.law.numerals import format_article, format_number
from hengfa.library.model import Provision, Version
from hengfa.library.store import Library
from hengfa.library.versions import FoundVersion, in_force_on
from hengfa.world.generator.days import STANDSTILL
from hengfa.world.generator.law_sources import LawSource


def articles(law: LawSource) -> Iterator[str]:
    """`<law>第N条：<text>`, article by article."""
    library = law.library
    for version in _in_force(library):
        short = _short(library, version)
        for name, provisions in _articles(library, version):
            yield f"{short}{name}：{_text(provisions)}"
    for one in law.provisions:
        yield f"{one.law}{one.article}：{one.text}"


def knowledge(law: LawSource) -> Iterator[str]:
    """One line an article: law and headings with blanks between, then the numbered statement."""
    library = law.library
    for version in _in_force(library):
        short = _short(library, version)
        place = 0
        below: tuple[str, ...] = ()
        for name, provisions in _articles(library, version):
            headings = provisions[0].headings
            place = place + 1 if headings == below else 1
            below = headings
            titles = " ".join((short, *(title.partition("　")[2] or title for title in headings)))
            text = " ".join(_text(provisions).split("\n"))
            yield f"{titles} （{format_number(place)}）{name}的内容。{text}"


def _in_force(library: Library) -> Iterator[Version]:
    for law in library.laws("constitution", "statute", "interpretation"):
        answer = in_force_on(library, law, STANDSTILL)
        if isinstance(answer, FoundVersion) and answer.version.articles:
            yield answer.version


def _short(library: Library, version: Version) -> str:
    return library.shelf.by_name[version.law].short


def _articles(library: Library, version: Version) -> Iterator[tuple[str, list[Provision]]]:
    def key(one: Provision) -> tuple[int, int]:
        return one.position.article or 0, one.position.article_sub or 0

    for (number, sub), provisions in groupby(library.entries(version, None), key):
        yield format_article(number, sub), list(provisions)


def _text(provisions: list[Provision]) -> str:
    return "\n".join(one.label + one.text for one in provisions)
