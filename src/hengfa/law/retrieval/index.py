"""An index: built from a corpus by a plan, kept as a folder, opened at once, searched in batches.

The folder holds `manifest.json` and arrays in NumPy's format, which are mapped into memory when the
index is opened and read as they are needed. The same corpus and plan give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.base.errors import UsageError
from hengfa.base.progress import Progress
from hengfa.law.retrieval import methods
from hengfa.law.retrieval.corpus import Corpus, Document
from hengfa.law.retrieval.folder import IndexFolder, Strings, write_folder
from hengfa.law.retrieval.methods import BM25, Part, Plan

_AT_ONCE = 256
_CELLS = 1_000_000  # scores held at a time: 4 MB, which caches hold
_STRETCHES = 8  # that scores are cut into, for each hit that is wanted
_FEW = 16  # queries for which ids are read one by one
_IN_MEMORY: Final = (Part(BM25("bigrams", "text", k1=1.5, b=0.75)),)


class Hit(msgspec.Struct, frozen=True):
    number: int
    id: str
    score: float


Only: TypeAlias = NDArray[np.bool_] | None
"""For every target whether it may be found; None: all may."""
Weights: TypeAlias = NDArray[np.float32]
"""For every target how much its score counts; with 0 it is not found."""


class Index:
    """Finds targets for queries. Make it with :meth:`build` or :meth:`open`."""

    def __init__(
        self, plan: Plan, examples: int, arrays: dict[str, NDArray[Any]], strings: Sequence[Strings]
    ) -> None:
        self.plan = plan
        self.examples = examples
        self._arrays = arrays
        self.ids, self.names, self.texts = strings
        self._parts = [
            {
                name.removeprefix(f"{number}."): array
                for name, array in arrays.items()
                if name.startswith(f"{number}.")
            }
            for number in range(len(plan))
        ]

    @classmethod
    def build(cls, corpus: Corpus, plan: Plan, watch: Progress | None = None) -> Index:
        """The index of a corpus; a plan that learns needs examples in it."""
        if not plan:
            raise UsageError("an index needs at least one method")
        if methods.needs_examples(plan) and not any(example.labels for example in corpus.examples):
            raise UsageError("this method learns from labelled texts: give rows with `labels`")
        material = methods.Material.of(corpus)
        arrays: dict[str, NDArray[Any]] = {}
        kept = {
            f"{what}s": Strings.of([getattr(target, what) for target in material.targets])
            for what in ("id", "name", "text")
        }
        for what, strings in kept.items():
            arrays |= {f"{what}.content": strings.content, f"{what}.starts": strings.starts}
        arrays["precedence"] = precedence_of([target.id for target in material.targets])
        for number, part in enumerate(plan):
            if watch:
                watch(number, len(plan))
            built = methods.build_part(part.method, material)
            arrays |= {f"{number}.{name}": array for name, array in built.items()}
        return cls(plan, len(corpus.examples), arrays, [*kept.values()])

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The index in this folder; of what is large, only numbers of places are read at once."""
        opened = IndexFolder(folder)
        targets, plan = opened.manifest.targets, opened.manifest.plan
        strings = [opened.strings(what, targets) for what in ("ids", "names", "texts")]
        opened.column("precedence", np.int64, targets, below=targets)
        for number, part in enumerate(plan):
            methods.check_part(part.method, opened, number, targets)
        return cls(plan, opened.manifest.examples, opened.arrays, strings)

    def write(self, folder: Path, *, force: bool = False) -> None:
        """Put the index into this folder, in place of one that is there."""
        write_folder(folder, self.plan, len(self), self.examples, self._arrays, force=force)

    def __len__(self) -> int:
        return len(self.ids)

    def scores(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """The score of every target for every query: queries by targets."""
        total: NDArray[np.float32] | None = None
        for part, arrays in zip(self.plan, self._parts, strict=True):
            scores = methods.score_part(part.method, arrays, queries, len(self))
            if part.scale == "max" and len(self):
                highest = scores.max(axis=1, keepdims=True)
                np.divide(scores, highest, out=scores, where=highest > 0)
            if part.weight != 1:
                scores *= np.float32(part.weight)
            total = scores if total is None else total + scores
        return np.zeros((len(queries), len(self)), np.float32) if total is None else total

    def search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        only: Only | Weights = None,
        watch: Progress | None = None,
    ) -> list[list[Hit]]:
        """For each query at most ``k`` targets, best first, of equal ones that with the later id.

        That is how trec_eval orders a run. Targets with a score of 0 are no hits.
        """
        answers: list[list[Hit]] = []
        ids = self.ids if len(queries) <= _FEW else list(self.ids)
        room = max(min(k, len(self)), 0)
        step = max(1, min(_AT_ONCE, _CELLS // max(len(self), 1)))
        for start in range(0, len(queries), step):
            if watch:
                watch(start, len(queries))
            scores = self.scores(queries[start : start + step])
            if only is not None:
                scores *= only
            places, points, sizes = best_of(scores, self._arrays["precedence"], room)
            for row, held, size in zip(places.tolist(), points.tolist(), sizes, strict=True):
                best = zip(row[:size], held[:size], strict=True)
                answers.append([Hit(number, ids[number], score) for number, score in best])
        return answers


class BM25Index:
    """BM25 over pairs of characters, in memory, for those who keep no index.

    Pairs need no dictionary, are quick to cut, and find Chinese legal text better than words do.
    """

    def __init__(self, documents: Sequence[str]) -> None:
        # of equal scores the later id comes first, and here the earlier document shall
        last, width = len(documents), len(str(len(documents)))
        named = (Document(f"{last - n:0{width}}", text) for n, text in enumerate(documents))
        self._index = Index.build(Corpus(tuple(named)), _IN_MEMORY)

    def search(self, queries: Sequence[str], k: int) -> list[list[int]]:
        """For each query the numbers of the `k` best documents, best first, only real hits."""
        return [[hit.number for hit in hits] for hits in self._index.search(queries, k)]


def best_of(
    scores: NDArray[np.float32], precedence: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """For each row the places and scores of the k best above 0, and how many there are.

    Best first; of equal scores that with the higher precedence. The k-th best of the highest scores
    of some stretches is not above the k-th best of all, so that few are left to be put in order.
    """
    places = np.zeros((len(scores), k), np.int32)
    points = np.zeros((len(scores), k), np.float32)
    sizes = np.zeros(len(scores), np.int64)
    k = min(k, scores.shape[1])
    if not k:
        return places, points, sizes
    stretches = np.arange(0, scores.shape[1], max(1, scores.shape[1] // (_STRETCHES * k)))
    highest = np.maximum.reduceat(scores, stretches, axis=1)
    least = np.partition(highest, -k, axis=1)[:, -k]
    for row, (held, bound) in enumerate(zip(scores, least, strict=True)):
        above = np.flatnonzero(held >= bound if bound > 0 else held > 0)
        best = above[np.lexsort((precedence[above], held[above]))[: -k - 1 : -1]]
        sizes[row] = len(best)
        places[row, : len(best)], points[row, : len(best)] = best, held[best]
    return places, points, sizes


def precedence_of(ids: Sequence[str]) -> NDArray[np.int64]:
    """The place of each id in the order of texts: of equal scores the highest comes first."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    places = np.zeros(len(ids), np.int64)
    places[order] = np.arange(len(ids))
    return places
