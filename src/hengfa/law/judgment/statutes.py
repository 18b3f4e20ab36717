"""The provisions a court applies: every law, article with its 之一, paragraph, item (Q9)."""

from __future__ import annotations

from collections.abc import Iterator

from hengfa.law.citation import Citation, Position, find_citations, resolve_relative
from hengfa.law.judgment.document import Statute
from hengfa.law.judgment.plain import Plain
from hengfa.law.law_names import abbreviations, normalise_name

CRIMINAL_LAW = "刑法"


def read_statutes(reasoning: Plain) -> tuple[Statute, ...]:
    """What the reasoning cites, in order, each position once."""
    seen: dict[tuple[object, ...], Statute] = {}
    for law, position, citation in _positions(find_citations(reasoning.text)):
        if position.article is None:
            continue
        article = (law, position.article, position.article_sub or 0)
        key = (*article, position.paragraph, position.item)
        start, end = reasoning.span(citation.start, citation.end)
        statute = Statute(
            *article, position.paragraph, position.item, start, end, law == CRIMINAL_LAW
        )
        seen.setdefault(key, statute)
    return tuple(seen.values())


def _positions(citations: list[Citation]) -> Iterator[tuple[str, Position, Citation]]:
    """Every cited position with its law; 第三款 after 第六十七条 is of that article."""
    law: str | None = None
    here = Position()
    for found in citations:
        one = resolve_relative(found, here) or found
        if one.law is not None:
            law = _full_name(one.law)
        if law is None or one.kind != "law" or one.within is not None:
            continue
        for position in one.expand():
            yield law, position, one
        here = one.until or one.position


def _full_name(law: str) -> str:
    """One spelling; a customary short form is written out where it means one law."""
    name = normalise_name(law)
    meant = abbreviations.get(name, ())
    return meant[0] if len(meant) == 1 else name
