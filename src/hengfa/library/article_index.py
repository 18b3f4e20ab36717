"""The index of the articles in force, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from hengfa.data.output import MANIFEST
from hengfa.data.paths import home
from hengfa.law.citation_model import Position
from hengfa.library.model import STATUTES, Law, Provision, Version
from hengfa.library.search import versions_of
from hengfa.library.store import Library, compose
from hengfa.progress import Progress
from hengfa.retrieval.corpus import Corpus, Document
from hengfa.retrieval.index import Index
from hengfa.retrieval.methods import LEXICAL

Steps: TypeAlias = Callable[[str], AbstractContextManager[Progress]]
"""Shows the progress of a step by its name, while the context lasts."""


def article_index(library: Library, notify: Callable[[str], None], steps: Steps) -> Index:
    """Articles of the statutes in force today. The library and the day decide which index it is."""
    today = datetime.now(UTC).astimezone().date()
    wanted = versions_of(library, None, STATUTES, today, "in force on")
    key = f"{library.meta.get('fingerprint', '')}:{sorted(wanted)}:{LEXICAL}"
    folder = home() / "indexes" / f"law-{sha256(key.encode()).hexdigest()[:16]}"
    if not (folder / MANIFEST).is_file():
        notify("making an index of the articles in force; this happens once")
        versions = [library.shelf.version_of[number] for number in sorted(wanted)]
        _build(library, versions, folder, steps)
    return Index.open(folder)


def is_of(name: str, law: Law) -> bool:
    """Whether an id of the index is of an article of this law."""
    return name.startswith(f"{law.name}/")


def _build(library: Library, versions: Sequence[Version], folder: Path, steps: Steps) -> None:
    documents: list[Document] = []
    with steps("reading laws") as watch:
        for number, version in enumerate(versions):
            watch(number, len(versions))
            documents += _articles(library, version)
    with steps("indexing") as watch:
        Index.build(Corpus(tuple(documents)), LEXICAL, watch).write(folder)


def _articles(library: Library, version: Version) -> Iterable[Document]:
    """The articles of a version; the law and its headings are searched with the text."""

    def article(provision: Provision) -> tuple[int | None, int | None]:
        return provision.position.article, provision.position.article_sub

    seen: set[str] = set()
    for (number, sub), provisions in groupby(library.entries(version, None), article):
        parts = tuple(provisions)
        name = f"{version.law}/{number}" + (f"-{sub}" if sub else "")
        text = compose(parts, Position(number, sub))
        if number and text and name not in seen:
            seen.add(name)
            heading = version.law + "".join(parts[0].headings)
            yield Document(name, text, heading, version.law)
