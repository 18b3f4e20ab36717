"""Aligning two texts: the cheapest edits that make one the other (LawBench spec 3.3 to 3.6).

Loads numba; import it only when an alignment is needed.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hengfa.text.proofreading import kernel, merging, paths
from hengfa.text.proofreading.merging import Block, Decided, Merger
from hengfa.text.proofreading.pooling import pooled_edits
from hengfa.text.proofreading.similarity import Similarity

# 3.4: with texts more different in length than this only the first alignment is followed.
_ENUMERATED_DIFFERENCE = 10

# Two texts of 2,000 characters each, or a sentence of 60 with an answer of 65,000: 60 MB, and half
# a second for unlike texts, less for like ones, some seconds for one that is the other backwards.
MAX_CELLS = 4_000_000

_LETTERS = {
    kernel.MATCH: merging.MATCH,
    kernel.MOVE: merging.MOVE,
    kernel.SUBSTITUTE: merging.SUBSTITUTE,
    kernel.INSERT: merging.INSERT,
    kernel.DELETE: merging.DELETE,
}


class Pooled(NamedTuple):
    """Each edit with the number of different lists that contain it, and the virtual clock (3.6).

    The clock says how long following the alignments one by one would take, by a count of the work.
    """

    edits: Counter[Block]
    seconds: float


def all_alignments(
    source: str, target: str, similarity: Similarity, limit: float = math.inf
) -> Pooled:
    """The edits of all alignments that the published evaluator follows.

    Where the clock passes the limit, we stop as well: there are no edits then.
    """
    n, m = len(source), len(target)
    seconds = kernel.table_seconds(n, m, 0, 0)
    if seconds > limit:
        return Pooled(Counter(), seconds)
    operations, lengths, seconds = kernel.tabulate(
        _code_points(source), _code_points(target), limit, *similarity.tables
    )
    if seconds > limit:
        return Pooled(Counter(), seconds)

    rows, steps = paths.first_path(operations, lengths)
    if abs(n - m) > _ENUMERATED_DIFFERENCE:
        count, all_steps, depths = 1.0, float(steps), steps * (steps + 1) / 2
    else:
        passing, count, all_steps, depths = paths.count_paths(operations, lengths)
    seconds = seconds + 1.5e-8 * depths + 4e-7 * all_steps + 1e-5 * count
    if seconds > limit:
        return Pooled(Counter(), seconds)

    merger = Merger(source, target)
    if count == 1:
        return Pooled(Counter(merger.edits(_blocks(rows))), seconds)
    arcs = paths.steps_of_all_paths(operations, lengths, passing).tolist()
    steps_of_all = (Block(_LETTERS[bit], *places) for bit, *places in arcs)
    return Pooled(pooled_edits(steps_of_all, merger, (n, m)), seconds)


def first_alignment(source: str, target: str, similarity: Similarity) -> Decided:
    """Edits of the first alignment, in text order, in a time that has a bound.

    Beyond ``MAX_CELLS`` texts are not aligned: all between what they have in common at their
    beginning and at their end is one edit. A reader would say so too: that text was written anew.
    It counts as one wrong edit, unless it is the right one, and the right ones as missed.
    """
    if (len(source) + 1) * (len(target) + 1) > MAX_CELLS:
        return _one_edit(source, target)
    operations, lengths, _ = kernel.tabulate(
        _code_points(source), _code_points(target), math.inf, *similarity.tables
    )
    rows, _ = paths.first_path(operations, lengths)
    return Merger(source, target).edits(_blocks(rows))


def _one_edit(source: str, target: str) -> Decided:
    whole = Block(merging.SUBSTITUTE, 0, 0, len(source), len(target))
    return Merger(source, target).trimmed(whole)


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _blocks(rows: NDArray[np.int32]) -> list[Block]:
    """The steps of one path, each from where the one before ended."""
    blocks = []
    i = j = 0
    for bit, i_end, j_end in rows.tolist():
        blocks.append(Block(_LETTERS[bit], i, j, i_end, j_end))
        i, j = i_end, j_end
    return blocks
