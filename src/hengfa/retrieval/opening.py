"""Opens an index of any kind, of words or of vectors, and puts a reranker behind it.

Whoever searches need not know which of them it is: all are a :class:`Searcher`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hengfa.errors import UsageError
from hengfa.progress import Progress
from hengfa.retrieval.corpus import Document, fields_of
from hengfa.retrieval.dense import VECTORS, DenseIndex
from hengfa.retrieval.folder import IndexFolder
from hengfa.retrieval.index import Hit, Index
from hengfa.retrieval.methods import Fields

if TYPE_CHECKING:
    from hengfa.retrieval.neural import CrossEncoder

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
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: NDArray[np.bool_] | None = None,
        watch: Progress | None = None,
    ) -> list[list[Hit]]: ...


def holds_vectors(folder: Path) -> bool:
    """Whether the index in this folder is one of vectors; nothing else of it is read."""
    return VECTORS in IndexFolder(folder).arrays


def open_index(
    folder: Path,
    *,
    encoder: Path | None = None,
    approximate: bool = False,
    watch: Progress | None = None,
) -> Searcher:
    """The index in this folder. What concerns vectors does not matter to an index of words."""
    if holds_vectors(folder):
        return DenseIndex.open(folder, encoder=encoder, approximate=approximate, watch=watch)
    return Index.open(folder)


class Reranked:
    """A searcher whose first hits are read again by a cross-encoder, and ordered by its scores.

    The others follow in their order. As runs are ordered by score, each of them gets one less than
    what stands before it, instead of a score that cannot be compared.
    """

    def __init__(
        self,
        index: Searcher,
        reranker: CrossEncoder,
        depth: int = RERANKED,
        fields: Fields = "name+text",
    ) -> None:
        if depth < 1:
            raise UsageError("a reranker reads at least one hit")
        self._index, self._reranker = index, reranker
        self._depth, self._fields = depth, fields
        self.ids, self.names, self.texts = index.ids, index.names, index.texts

    def __len__(self) -> int:
        return len(self._index)

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: NDArray[np.bool_] | None = None,
        watch: Progress | None = None,
    ) -> list[list[Hit]]:
        """For each query at most ``k`` targets; ``watch`` sees the search, then the reading."""
        before = self._index.search(queries, max(k, self._depth), only=only, watch=watch)
        whole = sum(len(hits[: self._depth]) for hits in before)
        done = 0

        def read(so_far: int) -> None:
            if watch:
                watch(done + so_far, whole)

        answers: list[list[Hit]] = []
        for query, hits in zip(queries, before, strict=True):
            first = hits[: self._depth]
            number = {hit.id: hit.number for hit in first}
            ranked = self._reranker.rerank(query, self._passages(first), watch=read)
            best = [Hit(number[name], name, score) for name, score in ranked]
            for hit in hits[self._depth :]:
                best.append(Hit(hit.number, hit.id, best[-1].score - 1))
            answers.append(best[:k])
            done += len(first)
        return answers

    def _passages(self, hits: Sequence[Hit]) -> dict[str, str]:
        documents = [
            Document(hit.id, self.texts[hit.number], self.names[hit.number]) for hit in hits
        ]
        texts = fields_of(documents, self._fields)
        return {hit.id: text for hit, text in zip(hits, texts, strict=True)}
