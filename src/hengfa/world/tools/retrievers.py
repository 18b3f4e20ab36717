"""Searching the three collections of texts: by words, by a model of the user's own, or by citation.

BM25 over pairs of characters is the default. A dense retriever is any callable that takes a query
and a number and returns the numbers of the best texts; it is given for each collection by name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hengfa.world.tools.observation import NOT_RETRIEVED, Observation, Status
from hengfa.world.world import World

Retriever = Callable[[str, int], Sequence[int]]
"""Query and k to the numbers of at most k texts, the best first, counted from 0."""

MOST: Final = 100
LONGEST_QUERY: Final = 20_000

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
            return self._read(corpus)

    def search(self, corpus: str, query: str, k: int) -> list[str]:
        """The k best texts, the best first."""
        with self._lock:
            texts = self._read(corpus)
            if corpus not in self._indexes:
                self._indexes[corpus] = self._dense.get(corpus) or _by_words(texts)
        numbers = self._indexes[corpus](query[:LONGEST_QUERY], min(k, MOST))
        return [texts[number] for number in numbers[:k]]

    def _read(self, corpus: str) -> list[str]:
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
        found = searcher.search(corpus, arguments, k)
    except Exception:  # noqa: BLE001 - a retriever of the user's own may fail in any way
        return Observation(NOT_RETRIEVED, Status.RETRIEVAL_ERROR)
    return Observation(str(found), Status.OK if found else Status.NO_DATA, value=found)


def _by_words(texts: Sequence[str]) -> Retriever:
    from hengfa.retrieval.index import BM25Index  # noqa: PLC0415 - loads numba

    index = BM25Index(texts)
    return lambda query, k: index.search([query], k)[0]
