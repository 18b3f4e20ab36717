"""An index of vectors, searched like any other index and kept in the same kind of folder.

The plan of such a folder is empty: what is found is decided by the encoder, whose folder the index
remembers. It is not copied. When the index is opened the encoder has to make the first vector
again: another one, or the same after more training, would find nonsense without saying so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hengfa.data.paths import home
from hengfa.errors import DataError, UsageError
from hengfa.retrieval import folder as folders
from hengfa.retrieval.corpus import Document, fields_of
from hengfa.retrieval.index import Hit, Watch
from hengfa.retrieval.methods import Fields
from hengfa.retrieval.neural.encoder import TextEncoder, Vectors
from hengfa.retrieval.neural.libraries import check_installed
from hengfa.retrieval.neural.vector_search import GRAPH, VectorSearch, faiss_library
from hengfa.retrieval.strings import Strings

VECTORS: Final = "dense.vectors"
"""The array that makes an index one of vectors."""
WHAT_FOR: Final = "search by vectors"

_AT_ONCE = 128
_STRINGS = ("ids", "names", "texts", "encoder")
"""The last one holds the folder of the encoder, and which fields it has read."""
_APART = 0.01
"""How far a vector made again may lie from the first, by its length; other devices give 0.00001."""


class DenseIndex:
    """Documents by their vectors. Make it with :meth:`build` or :meth:`open`."""

    def __init__(
        self, arrays: dict[str, NDArray[Any]], encoder: TextEncoder, search: VectorSearch
    ) -> None:
        self._arrays, self._encoder, self._search = arrays, encoder, search
        self.ids, self.names, self.texts, _ = (_strings(arrays, what) for what in _STRINGS)

    @classmethod
    def build(
        cls,
        documents: Sequence[Document],
        encoder: Path,
        *,
        fields: Fields = "name+text",
        watch: Watch | None = None,
    ) -> DenseIndex:
        """The index of documents, encoded with the model of a folder."""
        if not documents:
            raise UsageError("an index needs at least one document")
        check_installed(WHAT_FOR)
        model = TextEncoder.load(encoder)
        texts = fields_of(documents, fields)
        vectors = np.zeros((len(texts), model.model.config.hidden_size), np.float32)
        for chunk, found in _encoded(texts, model.encode_passages, watch):
            vectors[chunk] = found
        arrays: dict[str, NDArray[Any]] = {VECTORS: vectors}
        columns = [[getattr(one, what) for one in documents] for what in ("id", "name", "text")]
        made_by = [str(encoder.resolve()), fields]
        for what, column in zip(_STRINGS, [*columns, made_by], strict=True):
            strings = Strings.of(column)
            arrays |= {f"{what}.content": strings.content, f"{what}.starts": strings.starts}
        return cls(arrays, model, VectorSearch(columns[0], vectors))

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        encoder: Path | None = None,
        approximate: bool = False,
        watch: Watch | None = None,
    ) -> DenseIndex:
        """The index in this folder, with its encoder, or with that encoder moved elsewhere.

        The graph of an approximate search is made when it is first asked for; ``watch`` sees that.
        """
        manifest, arrays = folders.open_folder(folder)
        if VECTORS not in arrays:
            raise DataError("an index of words, not of vectors", file=folder)
        for what in _STRINGS:
            if not {f"{what}.content", f"{what}.starts"} <= set(arrays):
                raise DataError(f"lacks its {what}: build it anew", file=folder)
        check_installed(WHAT_FOR)
        if approximate:
            faiss_library()
        model = _load_encoder(folder, arrays, encoder)
        search = VectorSearch(
            list(_strings(arrays, "ids")),
            arrays[VECTORS],
            approximate=approximate,
            keep=graph_file(manifest.arrays[VECTORS].sha256),
            watch=watch,
        )
        return cls(arrays, model, search)

    def write(self, folder: Path) -> None:
        """Put the index into this folder, in place of one that is there."""
        folders.write_folder(folder, (), len(self), 0, self._arrays)

    def __len__(self) -> int:
        return len(self.ids)

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: NDArray[np.bool_] | None = None,
        watch: Watch | None = None,
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


def _strings(arrays: dict[str, NDArray[Any]], what: str) -> Strings:
    return Strings(arrays[f"{what}.content"], arrays[f"{what}.starts"])


def _encoded(
    texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors], watch: Watch | None
) -> Iterator[tuple[list[int], Vectors]]:
    """Numbers of texts with their vectors, some at a time; texts of like length come together."""
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for start in range(0, len(order), _AT_ONCE):
        if watch:
            watch(start, len(order))
        chunk = order[start : start + _AT_ONCE]
        yield chunk, encode([texts[number] for number in chunk])


def _load_encoder(folder: Path, arrays: dict[str, NDArray[Any]], moved: Path | None) -> TextEncoder:
    """The encoder of an index, after it has shown that it is the one."""
    kept, fields = _strings(arrays, "encoder")
    place = moved or Path(kept)
    if moved is None and not place.is_dir():
        raise UsageError(
            f"{folder} was made by the encoder {kept}, which is not there any more: "
            "say with --encoder where it is now"
        )
    model = TextEncoder.load(place)
    first, width = arrays[VECTORS][0], arrays[VECTORS].shape[1]
    if model.model.config.hidden_size != width:
        raise UsageError(
            f"{place} did not make {folder}: its vectors have {model.model.config.hidden_size} "
            f"numbers, those of the index {width}; name the right one with --encoder"
        )
    document = Document(*(_strings(arrays, what)[0] for what in ("ids", "texts", "names")))
    again = model.encode_passages(fields_of([document], fields))[0]
    if np.linalg.norm(again - first) > _APART * np.linalg.norm(first):
        raise UsageError(
            f"{place} did not make {folder}: it gives other vectors; name the right encoder with "
            "--encoder, or build the index anew"
        )
    return model
