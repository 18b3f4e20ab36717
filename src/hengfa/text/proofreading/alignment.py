"""Aligning two texts: the cheapest edits that make one the other (lawbench.md 3.3 to 3.6).

A cell (i, j) of the table is the cheapest way to turn the first i characters of the source into the
first j of the target. It keeps every operation by which it is reached at that cost; a way through
the table is an alignment. Cells are numbered row by row.

Additions happen in the order of lawbench.md 3.3: equal costs are equal floats here, and ties decide
which alignments there are. Cells with the same i + j do not need each other, so NumPy fills the
table one such slant at a time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hengfa.text.proofreading import edits
from hengfa.text.proofreading.edits import Block, Decided, Merger, pooled_edits
from hengfa.text.proofreading.similarity import (
    CODE_MASK,
    HAN_COUNT,
    HAN_FIRST,
    PUNCTUATION_BIT,
    Similarity,
    Tables,
)

Text = NDArray[np.uint32]
Features = NDArray[np.int32]
Costs = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Lengths = NDArray[np.int32]

# Bits in a cell, in the order in which they are followed. MATCH is alone where it is.
MOVE, SUBSTITUTE, INSERT, DELETE, MATCH = 1, 2, 4, 8, 16

# 3.4: with texts more different in length than this only the first alignment is followed.
_ENUMERATED_DIFFERENCE = 10

# Two texts of 2,000 characters each, or a sentence of 60 with an answer of 65,000: 250 MB and one
# to two seconds.
MAX_CELLS = 4_000_000

_LETTERS = {
    MOVE: edits.MOVE,
    SUBSTITUTE: edits.SUBSTITUTE,
    INSERT: edits.INSERT,
    DELETE: edits.DELETE,
    MATCH: edits.MATCH,
}
_OPERATIONS = [[bit for bit in _LETTERS if bits & bit] for bits in range(MATCH + 1)]
_PLACE_COSTS = np.array([0.25, 0.499, 0.0])


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
    table = _tabulate(source, target, similarity.tables)
    if table.seconds > limit:
        return Pooled(Counter(), table.seconds)

    first, length = table.first_path()
    if abs(n - m) > _ENUMERATED_DIFFERENCE:
        count, all_steps, depths = 1.0, float(length), length * (length + 1) / 2
    else:
        steps, count, all_steps, depths = table.all_paths()
    seconds = table.seconds + 1.5e-8 * depths + 4e-7 * all_steps + 1e-5 * count
    if seconds > limit:
        return Pooled(Counter(), seconds)

    merger = Merger(source, target)
    if count == 1:
        return Pooled(Counter(merger.edits(first)), seconds)
    return Pooled(pooled_edits(steps, merger, (n, m)), seconds)


def first_alignment(source: str, target: str, similarity: Similarity) -> Decided:
    """Edits of the first alignment, in text order, in a time that has a bound.

    Beyond ``MAX_CELLS`` texts are not aligned: all between what they have in common at their
    beginning and at their end is one edit. A reader would say so too: that text was written anew.
    It counts as one wrong edit, unless it is the right one, and the right ones as missed.
    """
    if (len(source) + 1) * (len(target) + 1) > MAX_CELLS:
        return _one_edit(source, target)
    steps, _ = _tabulate(source, target, similarity.tables).first_path()
    return Merger(source, target).edits(steps)


def _one_edit(source: str, target: str) -> Decided:
    whole = Block(edits.SUBSTITUTE, 0, 0, len(source), len(target))
    return Merger(source, target).trimmed(whole)


# Ways through the table (3.4, 3.6)


class _Table(NamedTuple):
    """The operations of all cells, the lengths of moves, and the virtual clock when it is full."""

    width: int
    operations: bytes
    lengths: Lengths
    seconds: float

    def first_path(self) -> tuple[list[Block], int]:
        """The alignment that follows each cell's first operation, and the number of its steps.

        In text order: like steps in a row as one, but each move by itself.
        """
        ends: list[tuple[int, int]] = []
        cell, last, count = len(self.operations) - 1, 0, 0
        while cell:
            bits = self.operations[cell]
            operation = bits & -bits
            if operation != last or operation == MOVE:
                ends.append((operation, cell))
            cell, last, count = self._before(cell, operation), operation, count + 1
        steps = []
        for operation, end in reversed(ends):
            steps.append(self._step(operation, cell, end))
            cell = end
        return steps, count

    def all_paths(self) -> tuple[Iterable[Block], float, float, float]:
        """Steps, each after all that lead to it; ways; the steps of all ways; depths of a search.

        Only cells on a way are visited, from the last on: a step leads to a cell of lower number.
        """
        last = len(self.operations) - 1
        ways, depths, waiting = {last: 1.0}, {last: 0.0}, [-last]
        all_depths = 0.0
        steps: list[tuple[int, int, int]] = []
        while waiting:
            cell = -heappop(waiting)
            all_depths += depths[cell]
            for operation in reversed(_OPERATIONS[self.operations[cell]]):
                before = self._before(cell, operation)
                if before not in ways:
                    ways[before] = depths[before] = 0.0
                    heappush(waiting, -before)
                ways[before] += ways[cell]
                depths[before] += depths[cell] + ways[cell]
                steps.append((operation, before, cell))
        in_order = (self._step(*step) for step in reversed(steps))
        return in_order, ways[0], depths[0], all_depths

    def _before(self, cell: int, operation: int) -> int:
        if operation == MOVE:
            return cell - self.lengths.item(cell) * (self.width + 1)
        return cell - self.width * (operation != INSERT) - (operation != DELETE)

    def _step(self, operation: int, before: int, cell: int) -> Block:
        i, j = divmod(before, self.width)
        return Block(_LETTERS[operation], i, j, *divmod(cell, self.width))


# The table of costs (3.3)


def _tabulate(source: str, target: str, tables: Tables) -> _Table:
    a, b = _code_points(source), _code_points(target)
    n, m = len(a), len(b)
    shape = (n + 1, m + 1)
    cost = np.empty(shape)
    cost[:, 0], cost[0] = np.arange(n + 1), np.arange(m + 1)
    substitution, match = np.zeros(shape), np.zeros(shape, np.bool_)
    lengths, reach = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    if n and m:
        substitution[1:, 1:] = _substitution_costs(a, b, tables)
        match[1:, 1:] = a[:, None] == b
        lengths = _move_lengths(a, b, match)
        _fill(cost, substitution, match, lengths, reach)
    operations = _operations(cost, substitution, match, lengths)

    # The published search for a move compares the last two, three... characters of both sides.
    tried = np.where(lengths[1:, 1:], lengths[1:, 1:] - 1, reach[:-1, :-1]).astype(np.int64)
    tried[match[1:, 1:]] = 0
    comparisons, compared = int(tried.sum()), int((tried * (tried + 3) // 2).sum())
    seconds = _table_seconds(n, m, comparisons, compared)
    return _Table(m + 1, operations.tobytes(), lengths.ravel(), seconds)


def _code_points(text: str) -> Text:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _table_seconds(n: int, m: int, comparisons: int, compared: int) -> float:
    """The virtual clock's first four terms: what the table itself takes (3.6)."""
    return (
        1.4e-5 * n * m + 3.7e-6 * comparisons + 3.4e-8 * comparisons * (n + m) + 2.6e-8 * compared
    )


def _fill(
    costs: Costs, substitutions: Costs, matches: Flags, move_lengths: Lengths, reaches: Lengths
) -> None:
    """The costs of all cells; moves that are out of reach lose their length.

    The reach of a cell is how far back from it costs change along the diagonal: there the search
    for a move ends.
    """
    n, m = costs.shape[0] - 1, costs.shape[1] - 1
    cost, reach, substitution = costs.ravel(), reaches.ravel(), substitutions.ravel()
    match, lengths = matches.ravel(), move_lengths.ravel()
    moves = _by_slant(lengths, m + 1)
    up, back = m + 1, m + 2
    for slant in range(2, n + m + 1):  # cell (i, slant - i) has the number i * m + slant
        start, stop = max(1, slant - m) * m + slant, min(n, slant - 1) * m + slant + 1
        here, before = slice(start, stop, m), slice(start - back, stop - back, m)
        diagonal, best = cost[before], cost[here]
        np.minimum(cost[start - 1 : stop - 1 : m], cost[start - up : stop - up : m], out=best)
        best += 1
        np.minimum(best, diagonal + substitution[here], out=best)
        if slant in moves:
            cells = moves[slant]
            lengths[cells[lengths[cells] > reach[cells - back] + 1]] = 0
            cells = cells[lengths[cells] > 0]
            length = lengths[cells]
            cost[cells] = np.minimum(cost[cells], cost[cells - length * back] + (length - 1))
        np.copyto(best, diagonal, where=match[here])
        np.multiply(reach[before] + 1, best != diagonal, out=reach[here])


def _by_slant(lengths: Lengths, width: int) -> dict[int, Integers]:
    """The cells with a move, by i + j."""
    cells = np.flatnonzero(lengths)
    slants = cells // width + cells % width
    order = np.argsort(slants, kind="stable")
    there, starts = np.unique(slants[order], return_index=True)
    return dict(zip(there.tolist(), np.split(cells[order], starts[1:]), strict=False))


def _operations(
    cost: Costs, substitution: Costs, match: Flags, lengths: Lengths
) -> NDArray[np.uint8]:
    """All operations by which a cell is reached at its cost."""
    operations = np.zeros(cost.shape, np.uint8)
    operations[1:, 0], operations[0, 1:] = DELETE, INSERT
    inner, best = operations[1:, 1:], cost[1:, 1:]
    for operation, reached in (
        (SUBSTITUTE, cost[:-1, :-1] + substitution[1:, 1:]),
        (INSERT, cost[1:, :-1] + 1),
        (DELETE, cost[:-1, 1:] + 1),
    ):
        inner[reached == best] |= operation
    i, j = np.nonzero(lengths)
    length = lengths[i, j]
    moved = cost[i - length, j - length] + (length - 1) == cost[i, j]
    operations[i[moved], j[moved]] |= MOVE
    operations[match] = MATCH
    return operations


def _move_lengths(source: Text, target: Text, match: Flags) -> Lengths:
    """How many characters before a cell are the same on both sides in another order; 0: none.

    The fewest that are. What the target has more of than the source up to a cell is the same at
    both ends of a move, so we look for the last cell with the same difference. Differences are of
    sums of 64 random bits a character: that two are equal by chance need not be expected.
    """
    numbers, none = _random_numbers(), np.zeros(1, np.uint64)
    in_source, in_target = (np.append(none, numbers[text].cumsum()) for text in (source, target))
    differences = (in_target - in_source[:, None]).ravel()
    order = np.argsort(differences, kind="stable")
    differences = differences[order]
    again = np.flatnonzero(differences[1:] == differences[:-1])
    lengths = np.zeros(match.shape, np.int32)
    lengths.ravel()[order[again + 1]] = (order[again + 1] - order[again]) // (match.shape[1] + 1)
    lengths[match] = 0
    return lengths


@cache
def _random_numbers() -> NDArray[np.uint64]:
    """One for each code point."""
    return np.random.default_rng(0).integers(0, 2**64, 0x110000, np.uint64)


# What it costs to write one character for another (3.3)


def _substitution_costs(source: Text, target: Text, tables: Tables) -> Costs:
    """Every character of the source by every one of the target; of different ones, each once."""
    one, rows = np.unique(source, return_inverse=True)
    other, columns = np.unique(target, return_inverse=True)
    features, other_features = tables.features[one][:, None], tables.features[other]
    meaning, place = (cost(features, other_features) for cost in (meaning_costs, place_costs))
    return (meaning + look_costs(one, other, tables) + place)[rows[:, None], columns]


def meaning_costs(one: Features, other: Features) -> Costs:
    """From the features of characters: 0 for the same Cilin code to 1 for no part of it."""
    differing = one ^ other
    parts = np.count_nonzero([differing & part for part in (0xFF0000, 0xFF00, 0xFF)], axis=0)
    coded = ((one & CODE_MASK) != 0) & ((other & CODE_MASK) != 0)
    return np.asarray(2 * np.where(coded, parts, 2) / 6)


def place_costs(one: Features, other: Features) -> Costs:
    """From the features of characters: more for a punctuation mark against something else."""
    return np.asarray(_PLACE_COSTS[one // PUNCTUATION_BIT + other // PUNCTUATION_BIT])


def look_costs(one: Text, other: Text, tables: Tables) -> Costs:
    """0 for Han that share a reading or of which one is mistaken for the other, else 0.5.

    Each of some different characters, in ascending order, by each of others.
    """
    alike = np.zeros((len(one), len(other)), np.bool_)
    sounds = (tables.sounds[_han(characters)].T for characters in (one, other))
    for own, others in zip(*sounds, strict=True):
        alike |= own[:, None] & others != 0
    _mark_confusions(one, other, tables, alike)
    _mark_confusions(other, one, tables, alike.T)
    return np.where(alike, 0.0, 0.5)


def _han(characters: Text) -> Integers:
    """Their numbers among Han; that after the last for other characters (below 0 is very high)."""
    return np.asarray(np.minimum(characters - np.uint32(HAN_FIRST), HAN_COUNT), np.int64)


def _mark_confusions(one: Text, other: Text, tables: Tables, alike: Flags) -> None:
    """Mark where a character is mistaken for one of the others."""
    numbers = _han(one)
    starts, stops = tables.confusions_at[numbers], tables.confusions_at[numbers + 1]
    sizes = stops - starts
    rows = np.repeat(np.arange(len(one)), sizes)
    shifts = np.repeat(stops - np.cumsum(sizes), sizes)
    confusions = tables.confusions[np.arange(len(rows)) + shifts]
    columns = np.searchsorted(other, confusions)
    there = np.take(other, columns, mode="clip") == confusions
    alike[rows[there], columns[there]] = True
