"""Aligning two texts: the cheapest edits that make one the other (lawbench.md 3.3 to 3.6).

Import it only when an alignment is needed: it loads numba, which takes a second, and some more to
compile on first use. Texts come as arrays of code points. Additions happen in the order of
lawbench.md 3.3: equal costs are equal floats here, and ties decide which alignments there are.

A cell (i, j) of the table is the cheapest way to turn the first i characters of the source into the
first j of the target. It keeps every operation by which it is reached at that cost; a way through
the table is an alignment.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hengfa.compiling import compiled
from hengfa.text.proofreading import edits
from hengfa.text.proofreading.edits import Block, Decided, Merger, pooled_edits
from hengfa.text.proofreading.similarity import (
    CODE_MASK,
    HAN_FIRST,
    HAN_LAST,
    PUNCTUATION_BIT,
    Similarity,
)

Text = NDArray[np.uint32]
Operations = NDArray[np.int8]
Lengths = NDArray[np.int32]
Lists = NDArray[np.uint16]
Places = NDArray[np.int32]
Rows = NDArray[np.int32]
Integers = NDArray[np.int64]

# Bits in a cell, in the order in which they are followed. MATCH is alone where it is.
MOVE, SUBSTITUTE, INSERT, DELETE, MATCH = 1, 2, 4, 8, 16

# 3.4: with texts more different in length than this only the first alignment is followed.
_ENUMERATED_DIFFERENCE = 10

# Two texts of 2,000 characters each, or a sentence of 60 with an answer of 65,000: 60 MB, and half
# a second for unlike texts, less for like ones, some seconds for one that is the other backwards.
MAX_CELLS = 4_000_000

_LETTERS = {
    MATCH: edits.MATCH,
    MOVE: edits.MOVE,
    SUBSTITUTE: edits.SUBSTITUTE,
    INSERT: edits.INSERT,
    DELETE: edits.DELETE,
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
    seconds = _table_seconds(n, m, 0, 0)
    if seconds > limit:
        return Pooled(Counter(), seconds)
    operations, lengths, seconds = _tabulate(
        _code_points(source), _code_points(target), limit, *similarity.tables
    )
    if seconds > limit:
        return Pooled(Counter(), seconds)

    rows, steps = _first_path(operations, lengths)
    if abs(n - m) > _ENUMERATED_DIFFERENCE:
        count, all_steps, depths = 1.0, float(steps), steps * (steps + 1) / 2
    else:
        passing, count, all_steps, depths = _count_paths(operations, lengths)
    seconds = seconds + 1.5e-8 * depths + 4e-7 * all_steps + 1e-5 * count
    if seconds > limit:
        return Pooled(Counter(), seconds)

    merger = Merger(source, target)
    if count == 1:
        return Pooled(Counter(merger.edits(_blocks(rows))), seconds)
    arcs = _steps_of_all_paths(operations, lengths, passing).tolist()
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
    operations, lengths, _ = _tabulate(
        _code_points(source), _code_points(target), math.inf, *similarity.tables
    )
    rows, _ = _first_path(operations, lengths)
    return Merger(source, target).edits(_blocks(rows))


def _one_edit(source: str, target: str) -> Decided:
    whole = Block(edits.SUBSTITUTE, 0, 0, len(source), len(target))
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


# The table of costs, compiled (3.3)


@compiled
def meaning_cost(one: int, other: int) -> float:
    """From the features of two characters: 0 for the same Cilin code to 1 for no part of it."""
    if not (one & CODE_MASK and other & CODE_MASK):
        return 4 / 6
    differing = one ^ other
    parts = int(differing & 0xFF0000 != 0) + int(differing & 0xFF00 != 0)
    return 2 * (parts + int(differing & 0xFF != 0)) / 6


@compiled
def look_cost(
    a: int,
    b: int,
    readings: Lists,
    readings_at: Places,
    confusions: Lists,
    confusions_at: Places,
) -> float:
    """0 for Han that share a reading or of which one is mistaken for the other, else 0.5."""
    if not (HAN_FIRST <= a <= HAN_LAST and HAN_FIRST <= b <= HAN_LAST):
        return 0.5
    h, k = a - HAN_FIRST, b - HAN_FIRST
    for reading in range(readings_at[h], readings_at[h + 1]):
        for other in range(readings_at[k], readings_at[k + 1]):
            if readings[reading] == readings[other]:
                return 0.0
    if _holds(b, confusions, confusions_at[h], confusions_at[h + 1]):
        return 0.0
    if _holds(a, confusions, confusions_at[k], confusions_at[k + 1]):
        return 0.0
    return 0.5


@compiled
def _holds(number: int, ascending: Lists, low: int, high: int) -> bool:
    """Whether a stretch of the list has this number, by binary search."""
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < number:
            low = middle + 1
        elif ascending[middle] > number:
            high = middle
        else:
            return True
    return False


@compiled
def place_cost(one: int, other: int) -> float:
    """From the features of two characters: more for a punctuation mark against something else."""
    marks = int(one & PUNCTUATION_BIT != 0) + int(other & PUNCTUATION_BIT != 0)
    return 0.0 if marks == 2 else 0.499 if marks == 1 else 0.25


@compiled
def _numbered(source: Text, target: Text) -> tuple[Integers, Integers]:
    """Both texts in numbers from 0 on, one for each character that they have."""
    characters = np.unique(np.concatenate((source, target)))
    return np.searchsorted(characters, source), np.searchsorted(characters, target)


@compiled
def _signatures(text: Text) -> NDArray[np.uint64]:
    """Sums of scrambled code points (splitmix64): the same characters have the same sum."""
    sums = np.zeros(len(text) + 1, np.uint64)
    for i in range(len(text)):
        z = np.uint64(text[i] + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        sums[i + 1] = sums[i] + (z ^ (z >> np.uint64(31)))
    return sums


@compiled
def _table_seconds(n: int, m: int, comparisons: int, compared: int) -> float:
    """The virtual clock's first four terms: what the table itself takes (3.6)."""
    return (
        1.4e-5 * n * m + 3.7e-6 * comparisons + 3.4e-8 * comparisons * (n + m) + 2.6e-8 * compared
    )


@compiled
def _move_length(
    i: int,
    j: int,
    least: int,
    most: int,
    signatures: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    numbers: tuple[Integers, Integers],
    counts: Integers,
) -> int:
    """How many characters before here are the same on both sides in another order; 0: none.

    The fewest that are, from ``least`` to ``most``. Signatures find them, counting confirms it.
    """
    in_source, in_target = signatures
    wanted = in_target[j] - in_source[i]
    for length in range(least, most + 1):
        if in_target[j - length] - in_source[i - length] == wanted:
            counts[:] = 0
            for back in range(1, length + 1):
                counts[numbers[0][i - back]] += 1
                counts[numbers[1][j - back]] -= 1
            if not counts.any():
                return length
    return 0


@compiled
def _tabulate(
    source: Text,
    target: Text,
    limit: float,
    features: NDArray[np.int32],
    readings: Lists,
    readings_at: Places,
    confusions: Lists,
    confusions_at: Places,
) -> tuple[Operations, Lengths, float]:
    """Operations of every cell, lengths of moves, and the virtual clock.

    Past the limit the table is left unfinished.
    """
    n, m = len(source), len(target)
    cost = np.empty((n + 1, m + 1), np.float64)
    cost[:, 0], cost[0, :] = np.arange(n + 1), np.arange(m + 1)
    operations = np.zeros((n + 1, m + 1), np.int8)
    operations[1:, 0], operations[0, 1:] = DELETE, INSERT
    lengths = np.zeros((n + 1, m + 1), np.int32)

    # How far back from a cell costs change along the diagonal: there a search for a move ends.
    reach, reach_above = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    signatures, numbers = (_signatures(source), _signatures(target)), _numbered(source, target)
    counts = np.zeros(n + m, np.int64)
    seen_above = np.zeros(m + 1, np.int64)  # where the target's character last was in the source
    target_features = features[target]
    comparisons = compared = 0
    for i in range(1, n + 1):
        reach, reach_above = reach_above, reach
        seen_before = 0  # where the source's character last was in the target
        a = source[i - 1]
        feature = features[a]
        for j in range(1, m + 1):
            b = target[j - 1]
            diagonal = cost[i - 1, j - 1]
            if a == b:
                cost[i, j] = diagonal
                operations[i, j] = MATCH
                reach[j] = 0
                seen_before, seen_above[j] = j, i
                continue

            # The published search compares the last two, three... characters of both sides. Those
            # without a or b among the others are not equal, so we begin later, but count them.
            most = reach_above[j - 1] + 1
            least = max(j - seen_before, i - seen_above[j]) + 1
            length = 0
            if least <= most:
                length = _move_length(i, j, least, most, signatures, numbers, counts)
            tried = (length or most) - 1
            comparisons += tried
            compared += tried * (tried + 3) // 2

            move = cost[i - length, j - length] + (length - 1) if length else np.inf
            insert, delete = cost[i, j - 1] + 1, cost[i - 1, j] + 1
            others = min(move, insert, delete)

            # Most substitutions are not the best even of characters that are alike. To look that
            # up for the rest only makes the table several times as fast.
            meaning = meaning_cost(feature, target_features[j - 1])
            place = place_cost(feature, target_features[j - 1])
            substitute = diagonal + (meaning + place)
            if substitute <= others:
                look = look_cost(a, b, readings, readings_at, confusions, confusions_at)
                substitute = diagonal + (meaning + look + place)

            best = min(substitute, others)
            operations[i, j] = (
                MOVE * (move == best)
                | SUBSTITUTE * (substitute == best)
                | INSERT * (insert == best)
                | DELETE * (delete == best)
            )
            cost[i, j] = best
            lengths[i, j] = length
            reach[j] = 0 if best == diagonal else reach_above[j - 1] + 1
        if _table_seconds(n, m, comparisons, compared) > limit:
            break
    return operations, lengths, _table_seconds(n, m, comparisons, compared)


# Ways through the table, compiled (3.4, 3.6)


@compiled
def _before(i: int, j: int, operation: int, length: int) -> tuple[int, int]:
    if operation == MOVE:
        return i - length, j - length
    return i - int(operation != INSERT), j - int(operation != DELETE)


@compiled
def _first_path(operations: Operations, lengths: Lengths) -> tuple[Rows, int]:
    """The alignment that follows each cell's first operation, and the number of its steps.

    Rows of operation, i, j in text order: like steps in a row as one, but each move by itself.
    """
    i, j = operations.shape[0] - 1, operations.shape[1] - 1
    rows = np.empty((i + j, 3), np.int32)
    kept, steps, last = len(rows), 0, 0
    while i or j:
        bits = operations[i, j]
        operation = bits & -bits
        if operation != last or operation == MOVE:
            kept -= 1
            rows[kept] = operation, i, j
        i, j = _before(i, j, operation, lengths[i, j])
        last = operation
        steps += 1
    return rows[kept:], steps


@compiled
def _count_paths(
    operations: Operations, lengths: Lengths
) -> tuple[NDArray[np.float64], float, float, float]:
    """Alignments that pass each cell from the end; all; their steps; depths in the search tree."""
    n, m = operations.shape[0] - 1, operations.shape[1] - 1
    paths, depths = np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    paths[n, m] = 1
    all_depths = 0.0
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if paths[i, j] == 0:
                continue
            all_depths += depths[i, j]
            for operation in (MOVE, SUBSTITUTE, INSERT, DELETE, MATCH):
                if operations[i, j] & operation:
                    before = _before(i, j, operation, lengths[i, j])
                    paths[before] += paths[i, j]
                    depths[before] += depths[i, j] + paths[i, j]
    return paths, paths[0, 0], depths[0, 0], all_depths


@compiled
def _steps_of_all_paths(
    operations: Operations, lengths: Lengths, paths: NDArray[np.float64]
) -> Rows:
    """Rows of operation, i, j before, i, j after; each after all those that lead to it."""
    rows = np.empty((4 * np.count_nonzero(paths), 5), np.int32)
    count = 0
    for i in range(operations.shape[0]):
        for j in range(operations.shape[1]):
            if paths[i, j] == 0:
                continue
            for operation in (MOVE, SUBSTITUTE, INSERT, DELETE, MATCH):
                if operations[i, j] & operation:
                    before = _before(i, j, operation, lengths[i, j])
                    rows[count] = operation, before[0], before[1], i, j
                    count += 1
    return rows[:count]
