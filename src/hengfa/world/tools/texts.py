"""The three collections of texts: searched by words or by a model, and provisions by their number.

BM25 over pairs of characters is the default. Another retriever is an index of the same texts, of
words or of vectors, or any callable that takes a query and a number and returns the numbers of the
best texts; it is given for each collection by name.
A provision is found by the name of its law and its number, never the nearest one: first among the
texts of the world, as `民法典第一条：…`; then in the law library, where one is given, which also
knows versions and paragraphs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError
from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.law_names import normalise_name
from hengfa.law.grammar.numerals import parse_article
from hengfa.law.library import FoundVersion, Library, candidates, in_force_on
from hengfa.world.tables.cells import day
from hengfa.world.tables.schema import CORPUS_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import (
    NOT_RETRIEVED,
    Observation,
    RefusedCall,
    Status,
    echo,
    observe,
    read,
    refusal_of,
)

if TYPE_CHECKING:
    from hengfa.law.retrieval.opening import Searcher as Index

Retriever = Callable[[str, int], Sequence[int]]
"""Query and k to the numbers of at most k texts, the best first, counted from 0."""

_MOST_TEXTS: Final = 100
_LONGEST_QUERY: Final = 20_000

CORPUS_OF_TOOL: Final = {
    "legal_knowledge_retriever": ("LegalKnowledge", 5),
    "legal_article_retriever": ("LegalArticle", 5),
    "legal_case_retriever": ("LegalCases", 1),
}
"""Tool to its collection, and how many texts it returns unless told."""


class Searcher:
    """Searches the collections of a world; an index is built when it is first needed."""

    def __init__(self, world: World, dense: Mapping[str, Retriever] | None = None) -> None:
        self.world = world
        self._dense = dict(dense or {})
        self._texts: dict[str, list[str]] = {}
        self._indexes: dict[str, Retriever] = {}
        self._lock = threading.Lock()

    def texts(self, corpus: str) -> list[str]:
        """All texts of a collection; some ten thousand, kept once read."""
        with self._lock:
            return self._load(corpus)

    def search(self, corpus: str, query: str, k: int) -> list[str]:
        """The k best texts, the best first."""
        with self._lock:
            texts = self._load(corpus)
            if corpus not in self._indexes:
                self._indexes[corpus] = self._dense.get(corpus) or _by_words(texts)
        numbers = self._indexes[corpus](query[:_LONGEST_QUERY], min(k, _MOST_TEXTS))
        return [texts[number] for number in numbers[:k]]

    def _load(self, corpus: str) -> list[str]:
        if corpus not in self._texts:
            self._texts[corpus] = list(self.world.texts(corpus))
        return self._texts[corpus]


def retrieve(searcher: Searcher, tool: str, arguments: Any) -> Observation:
    """A retriever as published: a bare text is the query, any failure is one and the same text."""
    corpus, k = CORPUS_OF_TOOL[tool]
    if isinstance(arguments, dict):
        arguments, k = arguments.get("identifier"), arguments.get("k", k)
    whole = isinstance(k, int) and not isinstance(k, bool) and k > 0
    if not isinstance(arguments, str) or not whole:
        return Observation(NOT_RETRIEVED, Status.RETRIEVAL_ERROR)
    try:
        texts = searcher.search(corpus, arguments, k)
    except Exception:  # noqa: BLE001 - a retriever of the user's own may fail in any way
        return Observation(NOT_RETRIEVED, Status.RETRIEVAL_ERROR)
    return Observation(str(texts), Status.OK if texts else Status.NO_DATA, value=texts)


def _by_words(texts: Sequence[str]) -> Retriever:
    from hengfa.law.retrieval.index import BM25Index  # noqa: PLC0415 - loads NumPy

    index = BM25Index(texts)
    return lambda query, k: index.search([query], k)[0]


def indexed_in(folder: Path) -> dict[str, Path]:
    """The indexes in a folder by the collections after which they are named."""
    places = {name: folder / name for name in CORPUS_OF}
    return {name: place for name, place in places.items() if (place / MANIFEST).is_file()}


def index_retrievers(folder: Path, world: World) -> dict[str, Retriever]:
    """The indexes in a folder as retrievers over a world; refused where the texts are others."""
    from hengfa.law.retrieval.opening import open_index  # noqa: PLC0415 - loads NumPy

    retrievers: dict[str, Retriever] = {}
    for corpus, place in indexed_in(folder).items():
        index = open_index(place)
        if list(index.texts) != list(world.texts(corpus)):
            raise DataError(
                f"an index of other texts than {corpus} of this world: build it of what `hengfa "
                f"world texts {corpus}` writes",
                file=place,
            )
        retrievers[corpus] = partial(_by_index, index, threading.Lock())
    return retrievers


def _by_index(index: Index, lock: threading.Lock, query: str, k: int) -> list[int]:
    """One query at a time: several agents search at once, and not every encoder may be shared."""
    with lock:
        return [hit.number for hit in index.search([query], k)[0]]


_LONGEST_CITATION: Final = 200
# "食品安全法第一百四十八条：…", "某某条例第三条之一 …"; not a text that only mentions an article
_NAMED: Final = re.compile(
    r"(?P<law>[^：:。，\n]{2,60}?)(?P<article>第[零〇一二三四五六七八九十百千0-9]+条(?:之[一二三四五六七八九十])?)[：:\s]"
)
_Key = tuple[str, int, int]


class _StatuteArguments(msgspec.Struct, forbid_unknown_fields=True):
    identifier: str
    on: str | None = None


class Provisions:
    """The provisions among the texts of a world, by law and number."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: dict[_Key, str] = {}
        for text in texts:
            if key := _key(text):
                self._texts.setdefault(key, text)
        self._laws = {law for law, _, _ in self._texts}

    def __contains__(self, text: str) -> bool:
        """Whether the provision that a text begins with is there, in whatever words."""
        return _key(f"{text}：") in self._texts

    def cited_in(self, text: str) -> list[str]:
        """The texts of all provisions that a short text names, in its order."""
        if len(text) > _LONGEST_CITATION:
            return []
        cited = (
            (citation.law, citation.position.article, citation.position.article_sub or 0)
            for citation in find_citations(text, known_names=self._laws.__contains__)
            if citation.law and citation.position
        )
        return [self._texts[key] for key in dict.fromkeys(cited) if key in self._texts]


def _key(text: str) -> _Key | None:
    named = _NAMED.match(text)
    number = parse_article(named["article"]) if named else None
    return (normalise_name(named["law"]), number.number, number.sub) if named and number else None


def get_statute(provisions: Provisions, library: Library | None, arguments: Any) -> Observation:
    asked = read(arguments, _StatuteArguments)
    on = None
    if asked.on is not None and (on := day(asked.on)) is None:
        problem = f"参数on：“{echo(asked.on)}”不是日期，例如2021-01-01"
        raise RefusedCall(Status.BAD_ARGUMENTS, problem)
    if on is None and (texts := provisions.cited_in(asked.identifier)):
        return observe({"texts": texts, "from": "world"})
    cited = _from_library(library, asked.identifier, on) if library else []
    if cited:
        return observe({"provisions": cited, "from": "library"})
    return refusal_of(
        Status.NO_DATA,
        f"没有找到“{echo(asked.identifier)}”，请写明法律名称和条号，例如：民法典第五百七十七条",
    )


def _from_library(library: Library, text: str, on: date | None) -> list[dict[str, str]]:
    provisions = []
    for citation in find_citations(text[:_LONGEST_CITATION]):
        if not citation.law or not citation.position:
            continue
        for law in candidates(library, citation.law):
            versions = library.versions(law)
            version = versions[-1] if versions else None
            if on is not None:
                answer = in_force_on(library, law, on)
                version = answer.version if isinstance(answer, FoundVersion) else None
            words = version and library.text(version, citation.position)
            if version and words:
                at, on_day = format_position(citation.position), str(version.promulgated)
                provisions.append({"law": law.name, "version": on_day, "at": at, "text": words})
    return provisions
