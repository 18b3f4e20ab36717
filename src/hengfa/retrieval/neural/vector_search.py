"""The nearest vectors by inner product: exact, or approximate where there are too many for that.

Exact search compares every pair, in blocks: some milliseconds a query on 100,000 passages, where it
is the better choice. Approximate search walks a graph of neighbours (HNSW of faiss, the extra
`dense`), which takes minutes to build, hardly slows down with more passages, and may miss some.
So a graph is built once and kept on this machine; an index that came from elsewhere brings none,
for faiss trusts the bytes that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.errors import UsageError
from hengfa.retrieval.neural.encoder import Vectors
from hengfa.retrieval.neural.libraries import library

EXTRA = "dense"
_BLOCK = 256
_CELLS = 32_000_000  # inner products held at a time: 128 MB
GRAPH = _LINKS, _EFFORT_BUILDING, _EFFORT_SEARCHING = 32, 100, 128
"""Neighbours kept of each vector, and how many are looked at when one is put in or searched for."""
_ADDED_AT_ONCE = 512

Near: TypeAlias = list[tuple[int, float]]
"""Places with their inner products, best first; of equal ones that with the later id, as text."""


def faiss_library() -> Any:
    """The library of approximate search, or an error that says how to get it."""
    return library("faiss", "approximate search", EXTRA)


class VectorSearch:
    """Vectors under ids; found by their places in the order given.

    ``keep`` is the file in which the graph of an approximate search outlives this process.
    """

    def __init__(
        self,
        ids: Sequence[str],
        vectors: Vectors,
        *,
        approximate: bool = False,
        keep: Path | None = None,
        watch: Callable[[int, int], None] | None = None,
    ) -> None:
        if len(ids) != len(vectors):
            raise UsageError(f"{len(ids)} passages have {len(vectors)} vectors")
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._later = np.empty(len(ids), np.int64)
        self._later[order] = np.arange(len(ids))
        self._graph = _kept_graph(self._vectors, keep, watch) if approximate and len(ids) else None

    def search(self, queries: Vectors, k: int, only: NDArray[np.bool_] | None = None) -> list[Near]:
        """For each query the `k` nearest; `only` tells for every place whether it may be found."""
        wanted = min(k, len(self._vectors) if only is None else int(only.sum()))
        if wanted < 1:
            return [[] for _ in queries]
        if self._graph is not None and only is None:
            asked = np.ascontiguousarray(queries, dtype=np.float32)
            scores, places = self._graph.search(asked, wanted)
            # A place of -1 says that the graph led to fewer.
            return [
                self._best(row[row >= 0], points[row >= 0], wanted)
                for row, points in zip(places, scores, strict=True)
            ]
        found: list[Near] = []
        step = max(1, min(_BLOCK, _CELLS // len(self._vectors)))
        for start in range(0, len(queries), step):
            block = queries[start : start + step] @ self._vectors.T
            if only is not None:
                block[:, ~only] = -np.inf
            for points in block:
                # All that reach the score of the last place, so that ties there are settled too.
                limit = np.partition(points, len(points) - wanted)[len(points) - wanted]
                places = np.flatnonzero(points >= limit)
                found.append(self._best(places, points[places], wanted))
        return found

    def _best(self, places: NDArray[Any], points: NDArray[Any], wanted: int) -> Near:
        order = np.lexsort((-self._later[places], -points))[:wanted]
        return list(zip(places[order].tolist(), points[order].tolist(), strict=True))


def _kept_graph(
    vectors: Vectors, keep: Path | None, watch: Callable[[int, int], None] | None
) -> Any:
    """The graph that is kept, if it is of so many vectors of this width; else a new one."""
    if keep is None:
        return _graph(vectors, watch)
    faiss = faiss_library()
    if keep.is_file():
        try:
            graph = faiss.deserialize_index(np.fromfile(keep, np.uint8))
        except RuntimeError:  # whatever faiss finds wrong with a file
            graph = None
        if graph is not None and (graph.ntotal, graph.d) == vectors.shape:
            # The file holds the links alone. faiss does not own what it is given here, so the
            # vectors are tied to the graph in the way its own wrappers do it.
            flat = faiss.IndexFlatIP(graph.d)
            flat.add(vectors)
            graph.storage, graph.referenced_objects = flat, [flat]
            return graph
    graph = _graph(vectors, watch)
    from hengfa.data.jsonfile import write_atomically  # noqa: PLC0415 - msgspec
    from hengfa.data.paths import disk_errors  # noqa: PLC0415 - msgspec

    with disk_errors(keep):
        keep.parent.mkdir(parents=True, exist_ok=True)
    links = faiss.serialize_index(graph, faiss.IO_FLAG_SKIP_STORAGE)
    write_atomically(keep, links.tobytes())
    return graph


def _graph(vectors: Vectors, watch: Callable[[int, int], None] | None) -> Any:
    faiss = faiss_library()
    graph = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = _EFFORT_BUILDING, _EFFORT_SEARCHING
    for start in range(0, len(vectors), _ADDED_AT_ONCE):
        if watch:
            watch(start, len(vectors))
        graph.add(vectors[start : start + _ADDED_AT_ONCE])
    return graph
