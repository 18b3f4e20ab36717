"""The index of all articles of a library, made when it is first needed: what searches rank by.

It holds every version, so that one index serves every law, kind and day; a search says which
versions it means.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError, HengfaError
from hengfa.base.progress import Progress
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library.lay_words import with_legal_words
from hengfa.law.library.model import STATUTES, Version
from hengfa.law.library.store import Library, compose
from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.index import Hit, Index
from hengfa.law.retrieval.methods import LEXICAL

_STATUTE: Final = np.float32(1.2)
"""So much more articles of statutes count: most questions are answered there, and what regulates
one trade or interprets one statute says much the same words."""

Steps: TypeAlias = Callable[[str], AbstractContextManager[Progress]]
"""Shows the progress of a step by its name, while the context lasts."""


class Articles:
    """The articles of all versions, found by questions; what :class:`Searcher` asks for, it has.

    An article of the latest version at hand has the id `law/27` or `law/133-1`; of an earlier one
    the day of promulgation follows, `law/27@2018-10-26`.
    """

    def __init__(self, index: Index, library: Library) -> None:
        self.index = index
        self._file = library.path
        self.ids, self.names, self.texts = index.ids, index.names, index.texts
        self._versions = {  # by what ids say: the law, and of earlier ones the day
            (version.law, "" if _is_latest(library, version) else str(version.promulgated)): version
            for version in library.versions()
        }
        named = [self._version(name) for name in self.ids]
        self._version_numbers = np.array([version.id for version in named], np.int64)
        statutes = {law.name for law in library.laws(*STATUTES)}
        weights = [_STATUTE if version.law in statutes else 1 for version in named]
        self._weights = np.array(weights, np.float32)

    def __len__(self) -> int:
        return len(self.index)

    def within(self, versions: Collection[int]) -> NDArray[np.bool_]:
        return np.isin(self._version_numbers, np.array(sorted(versions), np.int64))

    def place(self, number: int) -> tuple[Version, Position]:
        name = self.ids[number]
        position = parse_position(name.rpartition("/")[2].partition("@")[0])
        if position is None:
            problem = f"its index names {name!r}, which is no article: delete the folder `indexes`"
            raise DataError(problem, file=self._file)
        return self._version(name), position

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: NDArray[np.bool_] | None = None,
        watch: Progress | None = None,
    ) -> list[list[Hit]]:
        """For each query at most ``k`` articles, best first; lay words are read as legal ones."""
        weights = self._weights if only is None else self._weights * only
        return self.index.search(list(map(with_legal_words, queries)), k, only=weights, watch=watch)

    def _version(self, name: str) -> Version:
        law, _, article = name.rpartition("/")
        return self._versions[law, article.partition("@")[2]]


_OPEN: Final[WeakKeyDictionary[Library, Articles]] = WeakKeyDictionary()


def articles_of(
    library: Library, notify: Callable[[str], None] | None = None, steps: Steps | None = None
) -> Articles:
    """The articles of a library. Their index is kept beside it; one that is damaged is made anew.

    Where nothing can be written, it lasts as long as the library is open.
    """
    if library not in _OPEN:
        folder = library.path.parent / "indexes" / f"law-{_key(library)}"
        kept: Articles | None = None
        with suppress(DataError, KeyError):  # damaged, or of another library
            kept = Articles(Index.open(folder), library) if (folder / MANIFEST).is_file() else None
        say, show = notify or (lambda _: None), steps or (lambda _: nullcontext(lambda *_: None))
        _OPEN[library] = kept or _make(library, folder, say, show)
    return _OPEN[library]


def _key(library: Library) -> str:
    """What an index depends on: the texts, how they were divided, and how they are ranked."""
    sql = """
        SELECT (SELECT max(id) FROM provisions), max(id), sum(digest & 0xffffffff) FROM texts
    """
    with library.reading():
        content = library.connection.execute(sql).fetchone()
    key = f"{library.meta.get('fingerprint', '')}:{content}:{LEXICAL}"
    return sha256(key.encode()).hexdigest()[:16]


def _make(library: Library, folder: Path, notify: Callable[[str], None], steps: Steps) -> Articles:
    notify("making an index of all articles; this happens once")
    versions = library.versions()
    documents: list[Document] = []
    with steps("reading laws") as watch:
        for number, version in enumerate(versions):
            watch(number, len(versions))
            documents += _articles(library, version)
    with steps("indexing") as watch:
        index = Index.build(Corpus(tuple(documents)), LEXICAL, watch)
    try:
        index.write(folder)
    except HengfaError as error:
        notify(f"it cannot be kept: {error}")
    return Articles(index, library)


def _articles(library: Library, version: Version) -> Iterable[Document]:
    """The articles of a version; the law and its headings are searched with the text."""
    earlier = "" if _is_latest(library, version) else f"@{version.promulgated}"
    seen: set[str] = set()
    for parts in library.articles(version):
        number, sub, *_ = parts[0].position
        name = f"{version.law}/{number}" + (f"-{sub}" if sub else "") + earlier
        text = compose(parts, Position(number, sub))
        if number and text and name not in seen:
            seen.add(name)
            heading = version.law + "".join(parts[0].headings)
            yield Document(name, text, heading, version.law)


def _is_latest(library: Library, version: Version) -> bool:
    return library.shelf.versions[version.law][-1] is version
