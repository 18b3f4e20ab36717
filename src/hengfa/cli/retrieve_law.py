"""The index over the law library that `hengfa retrieve QUERY` searches, made when first needed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from hengfa.cli.options import say
from hengfa.data.paths import home
from hengfa.law.citation_model import Position
from hengfa.library.compose import compose
from hengfa.library.model import STATUTES, Law, Provision, Version
from hengfa.library.search import versions_of
from hengfa.library.store import Library
from hengfa.report.progress import counting
from hengfa.retrieval.corpus import Corpus, Document
from hengfa.retrieval.folder import MANIFEST
from hengfa.retrieval.index import Index
from hengfa.retrieval.methods import LEXICAL


def law_index(library: Library) -> Index:
    """Articles of the statutes in force today. The library and the day decide which index it is."""
    today = datetime.now(UTC).astimezone().date()
    wanted = versions_of(library, None, STATUTES, today, "in force on")
    key = f"{library.meta.get('fingerprint', '')}:{sorted(wanted)}:{LEXICAL}"
    folder = home() / "indexes" / f"law-{sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / MANIFEST).is_file():
        _build(library, [library.shelf.version_of[one] for one in sorted(wanted)], folder)
    return Index.open(folder)


def is_of(name: str, law: Law) -> bool:
    """Whether an id of the index is of an article of this law."""
    return name.startswith(f"{law.name}/")


def _build(library: Library, versions: Iterable[Version], folder: Path) -> None:
    say("making an index of the articles in force; this happens once")
    chosen = list(versions)
    documents: list[Document] = []
    with counting("reading laws") as watch:
        for number, version in enumerate(chosen):
            watch(number, len(chosen))
            documents += _articles(library, version)
    with counting("indexing") as watch:
        Index.build(Corpus(tuple(documents)), LEXICAL, watch).write(folder)


def _articles(library: Library, version: Version) -> Iterable[Document]:
    """The articles of a version; the law and its headings are searched with the text."""

    def article(one: Provision) -> tuple[int | None, int | None]:
        return one.position.article, one.position.article_sub

    seen: set[str] = set()
    for (number, sub), provisions in groupby(library.entries(version, None), article):
        parts = tuple(provisions)
        name = f"{version.law}/{number}" + (f"-{sub}" if sub else "")
        text = compose(parts, Position(number, sub))
        if number and text and name not in seen:
            seen.add(name)
            heading = version.law + "".join(parts[0].headings)
            yield Document(name, text, heading, version.law)
