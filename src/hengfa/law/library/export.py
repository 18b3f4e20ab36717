"""The provisions as JSON lines for other tools, and the articles as documents for retrievers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.statute import Role
from hengfa.law.library.model import Version
from hengfa.law.library.store import Library, compose
from hengfa.law.retrieval.corpus import Document


class Exported(msgspec.Struct, frozen=True):
    """One line. ``article_sub`` is 0 without 之N, ``paragraph`` null in an article that has one."""

    law: str
    version: str  # the day of promulgation
    article: int
    article_sub: int
    paragraph: int | None
    item: int | None
    role: Role
    text: str


def export_provisions(
    library: Library, versions: Iterable[Version], role: Role | None = None
) -> Iterator[bytes]:
    """A line for each provision of these versions, from first to last."""
    encoder = msgspec.json.Encoder()
    for version in versions:
        day = str(version.promulgated)
        for provision in library.entries(version, role):
            article, sub, paragraph, item = provision.position
            place = article or 0, sub or 0, paragraph, item
            line = Exported(version.law, day, *place, provision.role, provision.text)
            yield encoder.encode(line) + b"\n"


def articles_as_documents(library: Library, versions: Iterable[Version]) -> Iterator[Document]:
    """Each article of these versions, found by its law, its number and its words.

    The id is `民法典/2020-05-28/27`, and the name says the same as people cite it, so that whoever
    reads what was found sees of which version it is.
    """
    for version in versions:
        short = library.shelf.by_name[version.law].short
        seen: set[Position] = set()
        for provisions in library.articles(version):
            article = Position(*provisions[0].position[:2])
            text = compose(provisions, article)
            if not text or not article.article or article in seen:
                continue
            seen.add(article)
            own = f"{short}/{version.promulgated}/{format_position(article, 'dotted')}"
            cited = f"《{version.law}》（{version.promulgated}）{format_position(article)}"
            yield Document(own, text, cited, version.law)
