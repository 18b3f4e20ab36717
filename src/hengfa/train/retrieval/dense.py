"""Search by vectors: an index like any other, in the same kind of folder.

The plan of such a folder is empty: what is found is decided by the encoder, whose folder the index
remembers. It is not copied. When the index is opened the encoder has to make the first vector
again: another one, or the same after more training, would find nonsense without saying so.

The nearest vectors are found by inner product. Exact search compares every pair, in blocks: some
milliseconds a query on 100,000 passages, where it is the better choice, and far less on a card.
What comes near the last place is compared again in double precision, so that neither the order nor
the scores depend on how a machine sums in single precision. Approximate search walks a
graph of neighbours (HNSW of faiss, the extra `dense`), which takes minutes to build, hardly slows
down with more passages, and may miss some. So a graph is built once and kept on this machine; an
index that came from elsewhere brings none, for faiss trusts the bytes that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Progress
from hengfa.base.workers import Executor
from hengfa.law.retrieval.corpus import Document, fields_of
from hengfa.law.retrieval.folder import IndexFolder, Strings, write_folder
from hengfa.law.retrieval.index import Hit, precedence_of
from hengfa.law.retrieval.methods import Fields
from hengfa.law.retrieval.opening import VECTORS
from hengfa.train.retrieval.neural import (
    Encoding,
    TextEncoder,
    Vectors,
    best_device,
    check_installed,
    library,
)

EXTRA = "dense"
_WHAT_FOR: Final = "search by vectors"
GRAPH = _LINKS, _EFFORT_BUILDING, _EFFORT_SEARCHING = 32, 100, 128
"""Neighbours kept of each vector, and how many are looked at when one is put in or searched for."""

_AT_ONCE, _SENT_AT_ONCE = 128, 1024  # texts, here and to workers: there in the same batches
_STRINGS = ("ids", "names", "texts", "encoder")
"""The last one holds the folder of the encoder, and which fields it has read."""

_APART = 0.05
"""How far a vector made again may lie from the first, by its length; bfloat16 gives 0.012."""

_BLOCK = 256
_SPARE = 32  # looked at on a card beyond those wanted, for what rounding may have put behind them
_CELLS, _CARD_CELLS = 32_000_000, 256_000_000  # numbers held at a time: 128 MB, 1 GB
_ADDED_AT_ONCE = 512
Encode: TypeAlias = Callable[[Iterable[list[str]]], Iterable[tuple[int, Vectors]]]
"""From blocks of texts to their vectors, each with the number of its block, in any order."""

Near: TypeAlias = list[tuple[int, float]]
"""Places with their inner products, best first; of equal ones that with the later id, as text."""

Candidates: TypeAlias = tuple[NDArray[Any], NDArray[Any] | None]
"""Places, and the inner product at each where it has been made already."""


class DenseIndex:
    """Documents by their vectors. Make it with :meth:`build` or :meth:`open`."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        strings: Mapping[str, Strings],
        encode: Encode,
        search: VectorSearch,
    ) -> None:
        self._arrays, self._encode, self._search = arrays, encode, search
        self.ids, self.names, self.texts, _ = (strings[what] for what in _STRINGS)

    @classmethod
    def build(
        cls,
        documents: Sequence[Document],
        encoder: Path,
        *,
        fields: Fields = "name+text",
        watch: Progress | None = None,
        executor: Executor | None = None,
    ) -> DenseIndex:
        """The index of documents, encoded with the model of a folder: here, or by an executor."""
        if not documents:
            raise UsageError("an index needs at least one document")
        check_installed(_WHAT_FOR)
        model = TextEncoder.load(encoder)
        texts = fields_of(documents, fields)
        if executor is None:
            vectors = model.encode_passages(texts, watch)
        else:
            vectors = np.zeros((len(texts), model.model.config.hidden_size), np.float32)
            encode = _encode(model.encode_passages, Encoding(encoder, queries=False), executor)
            for chunk, encoded in _encoded(texts, encode, watch, _SENT_AT_ONCE):
                vectors[chunk] = encoded
        arrays: dict[str, NDArray[Any]] = {VECTORS: vectors}
        columns = [
            [getattr(document, what) for document in documents] for what in ("id", "name", "text")
        ]
        made_by = [str(encoder.resolve()), fields]
        strings = dict(zip(_STRINGS, map(Strings.of, [*columns, made_by]), strict=True))
        for what, kept in strings.items():
            arrays |= {f"{what}.content": kept.content, f"{what}.starts": kept.starts}
        ask = _encode(model.encode_queries, Encoding(encoder, queries=True), executor)
        return cls(arrays, strings, ask, VectorSearch(columns[0], vectors))

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        encoder: Path | None = None,
        approximate: bool = False,
        watch: Progress | None = None,
        executor: Executor | None = None,
    ) -> DenseIndex:
        """The index in this folder, with its encoder, or with that encoder moved elsewhere.

        The graph of an approximate search is made when it is first asked for; ``watch`` sees that.
        With an executor, its workers encode queries.
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
        place, model = _load_encoder(folder, arrays[VECTORS], strings, encoder)
        ask = _encode(model.encode_queries, Encoding(place, queries=True), executor)
        search = VectorSearch(
            list(strings["ids"]),
            arrays[VECTORS],
            approximate=approximate,
            keep=graph_file(opened.manifest.arrays[VECTORS].sha256),
            watch=watch,
        )
        return cls(arrays, strings, ask, search)

    def write(self, folder: Path, *, force: bool = False) -> None:
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
        Unlike a score of shared words, an inner product of 0 or less is a score like any other."""
        answers: list[list[Hit]] = [[] for _ in queries]
        for chunk, vectors in _encoded(queries, self._encode, watch):
            for number, near in zip(chunk, self._search.search(vectors, k, only), strict=True):
                answers[number] = [Hit(place, self.ids[place], score) for place, score in near]
        return answers


def graph_file(vectors_sum: str) -> Path:
    """Where the graph over the vectors with this sum is kept, whatever the sum of a manifest is."""
    key = sha256(f"{vectors_sum} {GRAPH}".encode()).hexdigest()
    return home() / "indexes" / f"graph-{key[:16]}.faiss"


def _encode(
    here: Callable[[list[str]], Vectors], work: Encoding, executor: Executor | None
) -> Encode:
    if executor is None:
        return lambda blocks: enumerate(map(here, blocks))
    return lambda blocks: executor.run(work, blocks)


def _encoded(
    texts: Sequence[str], encode: Encode, watch: Progress | None, size: int = _AT_ONCE
) -> Iterator[tuple[list[int], Vectors]]:
    """Numbers of texts with their vectors, some at a time; texts of like length come together."""
    order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    blocks = ([texts[number] for number in chunk] for chunk in chunks)
    for done, (place, vectors) in enumerate(encode(blocks)):
        if watch:
            watch(min(done * size, len(order)), len(order))
        yield chunks[place], vectors


def _load_encoder(
    folder: Path, vectors: Vectors, strings: Mapping[str, Strings], moved: Path | None
) -> tuple[Path, TextEncoder]:
    """The encoder of an index and its place, after it has shown that it is the one."""
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
    return place, model


class VectorSearch:
    """Vectors under ids; found by their places in the order given. ``keep`` is the file in which
    the graph of an approximate search outlives this process."""

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
        device = None if approximate else card(self._vectors.nbytes + 16 * _CARD_CELLS)
        self._card = _Card(self._vectors, device) if device else None
        self._graph = _kept_graph(self._vectors, keep, watch) if approximate and len(ids) else None

    @cached_property
    def _error(self) -> float:
        """How far two inner products may be off together, for a query of length 1. Summed in single
        precision, n products are off by n roundings of the product of lengths."""
        longest = np.einsum("vn,vn->v", self._vectors, self._vectors).max() ** 0.5
        return float(2 * (self._vectors.shape[1] + 1) * 2.0**-24 * longest)

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
        look, cells = (self._look, _CELLS) if self._card is None else (self._card.look, _CARD_CELLS)
        each = len(self._vectors) + wanted * self._vectors.shape[1]
        step = max(1, min(_BLOCK, cells // each))
        for start in range(0, len(queries), step):
            block = np.ascontiguousarray(queries[start : start + step], dtype=np.float32)
            slack = (self._error * np.linalg.norm(block, axis=1)).astype(np.float32)
            near = look(block, slack, wanted, only)
            for query, (places, known) in zip(block, near, strict=True):
                points = self._points(places, query) if known is None else known
                nearest.append(self._best(places, points, wanted))
        return nearest

    def _look(
        self, queries: Vectors, slack: Vectors, wanted: int, only: NDArray[np.bool_] | None
    ) -> Iterator[Candidates]:
        block = queries @ self._vectors.T
        if only is not None:
            block[:, ~only] = -np.inf
        for points, less in zip(block, slack, strict=True):
            last = np.partition(points, len(points) - wanted)[len(points) - wanted]
            yield np.flatnonzero(points >= last - less), None

    def _points(self, places: NDArray[Any], query: Vectors) -> NDArray[Any]:
        """Inner products, summed in double precision and rounded at the end."""
        points = np.zeros(len(places), np.float32)
        wide = query.astype(np.float64)
        for start in range(0, len(places), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            points[some] = np.einsum(
                "pn,n->p", self._vectors[places[some]].astype(np.float64), wide
            )
        return points

    def _best(self, places: NDArray[Any], points: NDArray[Any], wanted: int) -> Near:
        order = np.lexsort((-self._precedence[places], -points))[:wanted]
        return list(zip(places[order].tolist(), points[order].tolist(), strict=True))


class _Card:
    """The vectors on a card, where the nearest of all are looked for."""

    def __init__(self, vectors: Vectors, device: str) -> None:
        self._torch, self._device = library("torch"), device
        self._torch.set_float32_matmul_precision("highest")  # what the bound of the error is for
        self._vectors = self._torch.tensor(vectors, device=device)

    def look(
        self, queries: Vectors, slack: Vectors, wanted: int, only: NDArray[np.bool_] | None
    ) -> Iterator[Candidates]:
        """For each query all places that may be among the nearest, with their inner products."""
        torch = self._torch
        asked, less = (torch.from_numpy(array).to(self._device) for array in (queries, slack))
        block = asked @ self._vectors.T
        if only is not None:
            block.masked_fill_(~torch.from_numpy(only).to(self._device), -torch.inf)
        points, places = block.topk(min(block.shape[1], wanted + _SPARE))
        limits = points[:, wanted - 1] - less
        wide = self._vectors[places].double(), asked.double()
        exact = torch.einsum("qpn,qn->qp", *wide).float()
        near = (points >= limits.unsqueeze(1), places, exact)
        for number, (reach, there, precise) in enumerate(
            zip(*(tensor.cpu().numpy() for tensor in near), strict=True)
        ):
            if reach[-1]:  # then others that were not taken may reach the limit too
                more = (block[number] >= limits[number]).nonzero()[:, 0]
                yield more.cpu().numpy(), None
            else:
                yield there[reach], precise[reach]


def card(room: int) -> str | None:
    """The card on which vectors are compared, where there is one with so many bytes to spare."""
    if find_spec("torch") is None or best_device() != "cuda":
        return None
    return "cuda" if library("torch").cuda.mem_get_info()[0] > room else None


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
