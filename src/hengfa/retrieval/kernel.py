"""The compiled loops of search: adding up postings, and choosing the best.

Imported only by those who search: numba takes a second to load.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hengfa.compiling import compiled

_Integers = NDArray[np.int64]
_Targets = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Weights = NDArray[np.float32]


@compiled
def add_up(
    queries: _Integers,
    terms: _Integers,
    said: _Floats,
    starts: _Integers,
    targets: _Targets,
    weights: _Weights,
    scores: _Weights,
) -> None:
    """For every query and target the sum over shared terms of weight in query times weight there.

    The terms of query q are ``terms[queries[q]:queries[q + 1]]``; the postings of term t are
    ``starts[t]:starts[t + 1]``.
    """
    for query in range(len(queries) - 1):
        row = scores[query]
        for place in range(queries[query], queries[query + 1]):
            term, weight = terms[place], np.float32(said[place])
            for posting in range(starts[term], starts[term + 1]):
                row[targets[posting]] += weight * weights[posting]


@compiled
def add_shared(
    queries: _Integers,
    terms: _Integers,
    times: _Integers,
    starts: _Integers,
    targets: _Targets,
    counts: _Weights,
    shared: _Integers,
) -> None:
    """How many terms query and text have in common, one said twice by both counting twice."""
    for query in range(len(queries) - 1):
        row = shared[query]
        for place in range(queries[query], queries[query + 1]):
            term, said = terms[place], times[place]
            for posting in range(starts[term], starts[term + 1]):
                row[targets[posting]] += min(said, np.int64(counts[posting]))


@compiled
def _before(score: float, other: float, precedence: int, other_precedence: int) -> bool:
    return score > other or (score == other and precedence > other_precedence)


@compiled
def choose(
    scores: _Weights, precedence: _Integers, targets: _Targets, points: _Weights, sizes: _Integers
) -> None:
    """The best targets of every query into ``found`` and ``points``, best first, only above 0.

    Of equal scores the one with the higher precedence comes first. A heap whose root is the worst
    of the best holds them while all scores are passed once.
    """
    room = targets.shape[1]
    for query in range(scores.shape[0]):
        heap, held = targets[query], points[query]
        size = 0
        worst = np.float32(0)
        for target in range(scores.shape[1]):
            score = scores[query, target]
            if score < worst or score <= 0:
                continue
            if size < room:
                place = size
                size += 1
                while place > 0:
                    parent = (place - 1) // 2
                    if not _before(
                        held[parent], score, precedence[heap[parent]], precedence[target]
                    ):
                        break
                    heap[place], held[place] = heap[parent], held[parent]
                    place = parent
                heap[place], held[place] = target, score
            elif _before(score, held[0], precedence[target], precedence[heap[0]]):
                _sink(heap, held, precedence, size, target, score)
            if size == room:
                worst = held[0]
        sizes[query] = size
        for last in range(size - 1, 0, -1):
            target, score = heap[last], held[last]
            heap[last], held[last] = heap[0], held[0]
            _sink(heap, held, precedence, last, target, score)


@compiled
def _sink(
    heap: _Targets, held: _Weights, precedence: _Integers, size: int, target: int, score: float
) -> None:
    """Put this one in the place of the root, and the worst of all at the root."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _before(
            held[child], held[child + 1], precedence[heap[child]], precedence[heap[child + 1]]
        ):
            child += 1
        if not _before(score, held[child], precedence[target], precedence[heap[child]]):
            break
        heap[place], held[place] = heap[child], held[child]
        place = child
    heap[place], held[place] = target, score
