"""Opens an index of any kind, of words or of vectors, and puts a reranker behind it.

Whoever searches need not know which of them it is: all are a :class:`Searcher`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from hengfa.base.errors import UsageError
from hengfa.base.hooks import part
from hengfa.base.progress import Progress
from hengfa.base.workers import Executor, Processes, Work
from hengfa.law.retrieval.corpus import Document, fields_of
from hengfa.law.retrieval.folder import IndexFolder
from hengfa.law.retrieval.index import Hit, Index, Only
from hengfa.law.retrieval.methods import Fields

VECTORS: Final = "dense.vectors"
"""The array that an index of vectors has, and no other."""
RERANKED: Final = 50
"""How many hits are read again, unless told."""


class Searcher(Protocol):
    """Finds targets for queries, and knows their ids, names and texts by number."""

    @property
    def ids(self) -> Sequence[str]: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def texts(self) -> Sequence[str]: ...

    def __len__(self) -> int: ...

    def search(
        self, queries: Sequence[str], k: int, *, only: Only = None, watch: Progress | None = None
    ) -> list[list[Hit]]: ...


class CrossEncoder(Protocol):
    """A model that reads passages beside a query, and orders them."""

    def rerank(
        self, query: str, passages: Mapping[str, str], watch: Callable[[int], None] | None = None
    ) -> list[tuple[str, float]]: ...


Query: TypeAlias = tuple[str, Mapping[str, str]]
Reading: TypeAlias = Work[Query, list[tuple[str, float]]]
"""The same as work for an executor: an item is a query with its passages by id."""


class Neural(Protocol):
    """What trained retrieval offers: the part `vectors` (`hengfa.base.hooks`)."""

    def open_vectors(
        self, folder: Path, *, encoder: Path | None, approximate: bool, watch: Progress | None,
        executor: Executor | None,
    ) -> Searcher: ...  # fmt: skip

    def build_vectors(
        self,
        documents: Sequence[Document],
        encoder: Path,
        output: Path,
        *,
        fields: Fields,
        force: bool,
        watch: Progress | None,
        executor: Executor | None,
    ) -> tuple[int, str]:
        """How many there are, and what a person should know of the encoder, if anything."""
        ...  # fmt: skip

    def open_reranker(self, folder: Path) -> CrossEncoder: ...

    def reading(self, folder: Path) -> Reading: ...


def neural() -> Neural:
    """Trained retrieval, which stands further up and is imported by who needs it."""
    offered: Neural = part("vectors")
    return offered


def holds_vectors(folder: Path) -> bool:
    """Whether the index in this folder is one of vectors; nothing else of it is read."""
    return VECTORS in IndexFolder(folder).arrays


def open_index(
    folder: Path,
    *,
    encoder: Path | None = None,
    approximate: bool = False,
    watch: Progress | None = None,
    executor: Executor | None = None,
) -> Searcher:
    """The index in this folder. What concerns vectors does not matter to an index of words."""
    if holds_vectors(folder):
        return neural().open_vectors(
            folder, encoder=encoder, approximate=approximate, watch=watch, executor=executor
        )
    return Index.open(folder)


class Reranked:
    """A searcher whose first hits are read again by a cross-encoder, and ordered by its scores.

    As work, the reading is left to the workers of an executor, query by query.

    The others follow in their order. As runs are ordered by score, each of them gets one less than
    what stands before it, instead of a score that cannot be compared.
    """

    def __init__(
        self,
        index: Searcher,
        reranker: CrossEncoder | Reading,
        depth: int = RERANKED,
        fields: Fields = "name+text",
        executor: Executor | None = None,
    ) -> None:
        if depth < 1:
            raise UsageError("a reranker reads at least one hit")
        self._index, self._reranker = index, reranker
        self._depth, self._fields = depth, fields
        self._executor = executor or Processes(1)
        self.ids, self.names, self.texts = index.ids, index.names, index.texts

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self, queries: Sequence[str], k: int, *, only: Only = None, watch: Progress | None = None
    ) -> list[list[Hit]]:
        """For each query at most ``k`` targets; ``watch`` sees the search, then the reading."""
        before = self._index.search(queries, max(k, self._depth), only=only, watch=watch)
        whole = sum(len(hits[: self._depth]) for hits in before)
        done = 0

        def read(so_far: int) -> None:
            if watch:
                watch(done + so_far, whole)

        asked = (
            (query, self._passages(hits[: self._depth]))
            for query, hits in zip(queries, before, strict=True)
        )
        answers: list[list[Hit]] = [[] for _ in queries]
        reranker = self._reranker
        if hasattr(reranker, "rerank"):
            answered: Iterator[tuple[int, list[tuple[str, float]]]] = (
                (place, reranker.rerank(query, passages, watch=read))
                for place, (query, passages) in enumerate(asked)
            )
        else:
            answered = self._executor.run(reranker, asked)
        for place, ranked in answered:
            hits = before[place]
            number = {hit.id: hit.number for hit in hits[: self._depth]}
            best = [Hit(number[name], name, score) for name, score in ranked]
            for hit in hits[self._depth :]:
                best.append(Hit(hit.number, hit.id, best[-1].score - 1))
            answers[place] = best[:k]
            done += len(ranked)
            read(0)
        return answers

    def _passages(self, hits: Sequence[Hit]) -> dict[str, str]:
        places = [hit.number for hit in hits]
        found = [Document(self.ids[at], self.texts[at], self.names[at]) for at in places]
        texts = fields_of(found, self._fields)
        return {hit.id: text for hit, text in zip(hits, texts, strict=True)}
