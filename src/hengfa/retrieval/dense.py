"""Search by vectors: an index like any other, in the same kind of folder.

The plan of such a folder is empty: what is found is decided by the encoder, whose folder the index
remembers. It is not copied. When the index is opened the encoder has to make the first vector
again: another one, or the same after more training, would find nonsense without saying so.

The nearest vectors are found by inner product. Exact search compares every pair, in blocks: some
milliseconds a query on 100,000 passages, where it is the better choice. Approximate search walks a
graph of neighbours (HNSW of faiss, the extra `dense`), which takes minutes to build, hardly slows
down with more passages, and may miss some. So a graph is built once and kept on this machine; an
index that came from elsewhere brings none, for faiss trusts the bytes that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors, home
from hengfa.errors import DataError, UsageError
from hengfa.progress import Progress
from hengfa.retrieval.corpus import Document, fields_of
from hengfa.retrieval.folder import IndexFolder, Strings, write_folder
from hengfa.retrieval.index import Hit, precedence_of
from hengfa.retrieval.methods import Fields
from hengfa.retrieval.neural import TextEncoder, Vectors, check_installed, library

VECTORS: Final = "dense.vectors"
"""The array that makes an index one of vectors."""

EXTRA = "dense"
_WHAT_FOR: Final = "search by vectors"
GRAPH = _LINKS, _EFFORT_BUILDING, _EFFORT_SEARCHING = 32, 100, 128
"""Neighbours kept of each vector, and how many are looked at when one is put in or searched for."""

_AT_ONCE = 128
_STRINGS = ("ids", "names", "texts", "encoder")
"""The last one holds the folder of the encoder, and which fields it has read."""

_APART = 0.01
"""How far a vector made again may lie from the first, by its length; other devices give 0.00001."""

_BLOCK = 256
_CELLS = 32_000_000  # inner products held at a time: 128 MB
_ADDED_AT_ONCE = 512
Near: TypeAlias = list[tuple[int, float]]
"""Places with their inner products, best first; of equal ones that with the later id, as text."""


class DenseIndex:
    """Documents by their vectors. Make it with :meth:`build` or :meth:`open`."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        strings: Mapping[str, Strings],
        encoder: TextEncoder,
        search: VectorSearch,
    ) -> None:
        self._arrays, self._encoder, self._search = arrays, encoder, search
        self.ids, self.names, self.texts, _ = (strings[what] for what in _STRINGS)

    @classmethod
    def build(
        cls,
        documents: Sequence[Document],
        encoder: Path,
        *,
        fields: Fields = "name+text",
        watch: Progress | None = None,
    ) -> DenseIndex:
        """The index of documents, encoded with the model of a folder."""
        if not documents:
            raise UsageError("an index needs at least one document")
        check_installed(_WHAT_FOR)
        model = TextEncoder.load(encoder)
        texts = fields_of(documents, fields)
        vectors = np.zeros((len(texts), model.model.config.hidden_size), np.float32)
        for chunk, encoded in _encoded(texts, model.encode_passages, watch):
            vectors[chunk] = encoded
        arrays: dict[str, NDArray[Any]] = {VECTORS: vectors}
        columns = [
            [getattr(document, what) for document in documents] for what in ("id", "name", "text")
        ]
        made_by = [str(encoder.resolve()), fields]
        strings = dict(zip(_STRINGS, map(Strings.of, [*columns, made_by]), strict=True))
        for what, kept in strings.items():
            arrays |= {f"{what}.content": kept.content, f"{what}.starts": kept.starts}
        return cls(arrays, strings, model, VectorSearch(columns[0], vectors))

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        encoder: Path | None = None,
        approximate: bool = False,
        watch: Progress | None = None,
    ) -> DenseIndex:
        """The index in this folder, with its encoder, or with that encoder moved elsewhere.

        The graph of an approximate search is made when it is first asked for; ``watch`` sees that.
        """
        opened = IndexFolder(folder)
        arrays, targets = opened.arrays, opened.manifest.targets
        if VECTORS not in arrays:
            raise DataError("an index of words, not of vectors", file=folder)
        if targets < 1:
            raise DataError("an index of nothing: build it anew", file=folder)
        opened.table(VECTORS, np.float32, targets)
        rows = dict.fromkeys(_STRINGS, targets) | {"encoder": 2}
        strings = {what: opened.strings(what, rows[what]) for what in _STRINGS}
        check_installed(_WHAT_FOR)
        if approximate:
            faiss_library()
        model = _load_encoder(folder, arrays[VECTORS], strings, encoder)
        search = VectorSearch(
            list(strings["ids"]),
            arrays[VECTORS],
            approximate=approximate,
            keep=graph_file(opened.manifest.arrays[VECTORS].sha256),
            watch=watch,
        )
        return cls(arrays, strings, model, search)

    def write(self, folder: Path, *, force: bool = False) -> None:
        """Put the index into this folder, in place of one that is there."""
        write_folder(folder, (), len(self), 0, self._arrays, force=force)

    def __len__(self) -> int:
        return len(self.ids)

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: NDArray[np.bool_] | None = None,
        watch: Progress | None = None,
    ) -> list[list[Hit]]:
        """For each query at most ``k`` documents, best first, of equal ones that with the later id.

        Unlike a score of shared words, an inner product of 0 or less is a score like any other.
        """
        answers: list[list[Hit]] = [[] for _ in queries]
        for chunk, vectors in _encoded(queries, self._encoder.encode_queries, watch):
            for number, near in zip(chunk, self._search.search(vectors, k, only), strict=True):
                answers[number] = [Hit(place, self.ids[place], score) for place, score in near]
        return answers


def graph_file(vectors_sum: str) -> Path:
    """Where the graph over the vectors with this sum is kept, whatever the sum of a manifest is."""
    key = sha256(f"{vectors_sum} {GRAPH}".encode()).hexdigest()
    return home() / "indexes" / f"graph-{key[:16]}.faiss"


def _encoded(
    texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors], watch: Progress | None
) -> Iterator[tuple[list[int], Vectors]]:
    """Numbers of texts with their vectors, some at a time; texts of like length come together."""
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for start in range(0, len(order), _AT_ONCE):
        if watch:
            watch(start, len(order))
        chunk = order[start : start + _AT_ONCE]
        yield chunk, encode([texts[number] for number in chunk])


def _load_encoder(
    folder: Path, vectors: Vectors, strings: Mapping[str, Strings], moved: Path | None
) -> TextEncoder:
    """The encoder of an index, after it has shown that it is the one."""
    kept, fields = strings["encoder"]
    place = moved or Path(kept)
    if moved is None and not place.is_dir():
        raise UsageError(
            f"{folder} was made by the encoder {kept}, which is not there any more: "
            "say with --encoder where it is now"
        )
    model = TextEncoder.load(place)
    first, width = vectors[0], vectors.shape[1]
    if model.model.config.hidden_size != width:
        raise UsageError(
            f"{place} did not make {folder}: its vectors have {model.model.config.hidden_size} "
            f"numbers, those of the index {width}; name the right one with --encoder"
        )
    document = Document(*(strings[what][0] for what in ("ids", "texts", "names")))
    again = model.encode_passages(fields_of([document], fields))[0]
    if np.linalg.norm(again - first) > _APART * np.linalg.norm(first):
        raise UsageError(
            f"{place} did not make {folder}: it gives other vectors; name the right encoder with "
            "--encoder, or build the index anew"
        )
    return model


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
        watch: Progress | None = None,
    ) -> None:
        if len(ids) != len(vectors):
            raise UsageError(f"{len(ids)} passages have {len(vectors)} vectors")
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._precedence = precedence_of(ids)
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
        nearest: list[Near] = []
        step = max(1, min(_BLOCK, _CELLS // len(self._vectors)))
        for start in range(0, len(queries), step):
            block = queries[start : start + step] @ self._vectors.T
            if only is not None:
                block[:, ~only] = -np.inf
            for points in block:
                # All that reach the score of the last place, so that ties there are settled too.
                limit = np.partition(points, len(points) - wanted)[len(points) - wanted]
                places = np.flatnonzero(points >= limit)
                nearest.append(self._best(places, points[places], wanted))
        return nearest

    def _best(self, places: NDArray[Any], points: NDArray[Any], wanted: int) -> Near:
        order = np.lexsort((-self._precedence[places], -points))[:wanted]
        return list(zip(places[order].tolist(), points[order].tolist(), strict=True))


def faiss_library() -> Any:
    """The library of approximate search, or an error that says how to get it."""
    return library("faiss", "approximate search", EXTRA)


def _kept_graph(vectors: Vectors, keep: Path | None, watch: Progress | None) -> Any:
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
    with disk_errors(keep):
        keep.parent.mkdir(parents=True, exist_ok=True)
    links = faiss.serialize_index(graph, faiss.IO_FLAG_SKIP_STORAGE)
    write_atomically(keep, links.tobytes())
    return graph


def _graph(vectors: Vectors, watch: Progress | None) -> Any:
    faiss = faiss_library()
    graph = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = _EFFORT_BUILDING, _EFFORT_SEARCHING
    for start in range(0, len(vectors), _ADDED_AT_ONCE):
        if watch:
            watch(start, len(vectors))
        graph.add(vectors[start : start + _ADDED_AT_ONCE])
    return graph
