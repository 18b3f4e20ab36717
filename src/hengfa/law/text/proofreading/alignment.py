"""Aligning two texts: the cheapest edits that make one the other (lawbench.md 3.3 to 3.6).

A cell (i, j) of the table is the cheapest way to turn the first i characters of the source into the
first j of the target. It keeps every operation by which it is reached at that cost; a way through
the table is an alignment. Cells are numbered slant by slant (the same i + j).

Additions happen in the order of lawbench.md 3.3: equal costs are equal floats here, and ties decide
which alignments there are. Cells of a slant do not need each other, so NumPy fills the tables of
many pairs one slant at a time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hengfa.law.text.copies import codes_of
from hengfa.law.text.proofreading import edits
from hengfa.law.text.proofreading.edits import Block, Decided, Merger, pooled_edits
from hengfa.law.text.proofreading.similarity import (
    CODE_MASK,
    HAN_COUNT,
    HAN_FIRST,
    PUNCTUATION_BIT,
    Similarity,
    Tables,
)

Text = NDArray[np.uint32]
Costs = NDArray[np.float64]
Flags = NDArray[np.bool_]
Kinds = NDArray[np.uint8]
Integers = NDArray[np.int64]
Lengths = NDArray[np.int16]

# Bits in a cell, in the order in which they are followed. MATCH is alone where it is.
MOVE, SUBSTITUTE, INSERT, DELETE, MATCH = 1, 2, 4, 8, 16

# 3.4: with texts more different in length than this only the first alignment is followed.
_ENUMERATED_DIFFERENCE = 10

# Two texts of 2,000 characters each, or a sentence of 60 with an answer of 65,000: 150 MB and 1 s.
MAX_CELLS = 4_000_000

_NAMES = (edits.MOVE, edits.SUBSTITUTE, edits.INSERT, edits.DELETE, edits.MATCH)
_LETTERS = dict(zip((MOVE, SUBSTITUTE, INSERT, DELETE, MATCH), _NAMES, strict=True))
_OPERATIONS = [[bit for bit in _LETTERS if bits & bit] for bits in range(MATCH + 1)]
_LONGEST_TOGETHER, _CHARACTERS_TOGETHER = 500, 4_000
_tables: dict[tuple[str, str, Similarity], _Table] = {}
_CODE_POINTS, _LONGEST = 0x110000, 0x10000
# What a substitution costs, by its kind: meaning, look and place; where there is none, any.
COSTS = [0.0] + [
    2 * parts / 6 + look + place
    for parts in range(4)
    for look in (0.0, 0.5)
    for place in (0.25, 0.499, 0.0)
]
_COST_OF = np.array(COSTS)


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
    table = _table(source, target, similarity)
    if table.seconds > limit:
        return Pooled(Counter(), table.seconds)

    first, length, only = table.first_path()
    if only or abs(n - m) > _ENUMERATED_DIFFERENCE:
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
        whole = Block(edits.SUBSTITUTE, 0, 0, len(source), len(target))
        return Merger(source, target).trimmed(whole)
    steps, *_ = _table(source, target, similarity, first=True).first_path()
    return Merger(source, target).edits(steps)


def look_ahead(pairs: Iterable[tuple[str, str]], similarity: Similarity) -> None:
    """Make the tables of pairs that will be aligned next; many at once take a third of the time.

    They are kept until the next look. Long texts gain nothing.
    """
    _tables.clear()
    sizes = {pair: sorted(map(len, pair), reverse=True) for pair in pairs}
    waiting = sorted(
        (pair for pair in sizes if sizes[pair][0] <= _LONGEST_TOGETHER),
        key=lambda pair: (sizes[pair][0] // 8, sizes[pair][1]),
    )
    costs = _Substitutions.of(waiting, similarity.tables)
    while waiting:
        many = _CHARACTERS_TOGETHER // (sizes[waiting[-1]][0] + 1)
        waiting, together = waiting[:-many], waiting[-many:]
        tables = _tabulate(together, costs)
        _tables.update(
            ((*pair, similarity), table) for pair, table in zip(together, tables, strict=True)
        )


def _table(source: str, target: str, similarity: Similarity, *, first: bool = False) -> _Table:
    kept, pairs = _tables.get((source, target, similarity)), [(source, target)]
    return kept or _tabulate(pairs, _Substitutions.of(pairs, similarity.tables), first=first)[0]


# Ways through the table (3.4, 3.6)


class _Table(NamedTuple):
    """The operations of cells on a way, the lengths of moves and of rows of matches, where the
    last cell is, how far back each operation goes, and the virtual clock when the table is full.
    """

    operations: dict[int, int]
    lengths: dict[int, int]
    last: int
    size: int
    back: dict[int, int]
    seconds: float

    def find_operations(self, cost: Costs, kinds: Kinds, *, first: bool) -> None:
        """From what is known of all cells; of the first way only, or of all."""
        costs, kinds_of = cost.data, kinds.tobytes()
        diagonal, size = self.back[MATCH], self.size
        beside, above = (INSERT, DELETE) if self.back[INSERT] == size else (DELETE, INSERT)
        waiting = [self.last]
        while waiting:
            cell = waiting.pop()
            if cell in self.operations or not cell:
                continue
            slant, inner = divmod(cell, size)
            if not inner or inner == slant:
                bits = above if inner else beside
            elif not kinds_of[cell]:
                bits, most = MATCH, min(inner, slant - inner)
                row = kinds_of[cell : cell - most * diagonal : -diagonal]
                self.lengths[cell] = most - len(row.lstrip(b"\0"))
            else:
                best = costs[cell]
                bits = (
                    (costs[cell - diagonal] + COSTS[kinds_of[cell]] == best) * SUBSTITUTE
                    | (costs[cell - size] + 1 == best) * beside
                    | (costs[cell - size - 1] + 1 == best) * above
                )
                if length := self.lengths.get(cell, 0):
                    bits |= (costs[cell - length * diagonal] + (length - 1) == best) * MOVE
            self.operations[cell] = bits
            following = _OPERATIONS[bits][: 1 if first else None]
            waiting += [self._before(cell, operation) for operation in following]

    def first_path(self) -> tuple[list[Block], int, bool]:
        """The alignment that follows each cell's first operation, the number of its steps, and
        whether there is no other.

        In text order: like steps in a row as one, but each move by itself.
        """
        ends: list[tuple[int, int]] = []
        cell, last, count, only = self.last, 0, 0, True
        while cell:
            bits = self.operations[cell]
            operation = bits & -bits
            only = only and bits == operation
            if operation != last or operation == MOVE:
                ends.append((operation, cell))
            count += self.lengths[cell] if operation == MATCH else 1
            cell, last = self._before(cell, operation), operation
        steps = []
        for operation, end in reversed(ends):
            steps.append(self._step(operation, cell, end))
            cell = end
        return steps, count, only

    def all_paths(self) -> tuple[Iterable[Block], float, float, float]:
        """Steps, each after all that lead to it; ways; the steps of all ways; depths of a search.

        Only cells on a way are visited, from the last on: a step leads to a cell of lower number.
        """
        ways, depths, waiting = {self.last: 1.0}, {self.last: 0.0}, [-self.last]
        all_depths = 0.0
        steps: list[tuple[int, int, int]] = []
        while waiting:
            cell = -heappop(waiting)
            all_depths += depths[cell]
            for operation in reversed(_OPERATIONS[self.operations.get(cell, 0)]):
                before = self._before(cell, operation)
                if before not in ways:
                    ways[before] = depths[before] = 0.0
                    heappush(waiting, -before)
                alike = self.lengths[cell] if operation == MATCH else 1  # each has its depth
                all_depths += (alike - 1) * (depths[cell] + alike * ways[cell] / 2)
                ways[before] += ways[cell]
                depths[before] += depths[cell] + alike * ways[cell]
                steps.append((operation, before, cell))
        in_order = (self._step(*step) for step in reversed(steps))
        return in_order, ways[0], depths[0], all_depths

    def _before(self, cell: int, operation: int) -> int:
        length = self.lengths[cell] if operation in {MATCH, MOVE} else 1
        return cell - self.back[operation] * length

    def _step(self, operation: int, before: int, cell: int) -> Block:
        return Block(_LETTERS[operation], *self._place(before), *self._place(cell))

    def _place(self, cell: int) -> tuple[int, int]:
        j, i = divmod(cell, self.size)
        return (i, j - i) if self.back[INSERT] == self.size else (j - i, i)


# The table of costs (3.3)


def _tabulate(
    pairs: Sequence[tuple[str, str]], costs: _Substitutions, *, first: bool = False
) -> list[_Table]:
    """The tables of some pairs, of about the same size, filled together."""
    n, m = (max(map(len, texts)) for texts in zip(*pairs, strict=True))
    turned = n > m  # but for the names of two operations it is the same from target to source
    cells = _Cells.of(pairs, costs, turned=turned)
    _fill(cells, costs)
    _, size, many = cells.cost.shape
    back = dict.fromkeys((MOVE, SUBSTITUTE, MATCH), 2 * size + 1)
    back |= {INSERT: size + turned, DELETE: size + (not turned)}
    lengths: list[dict[int, int]] = [{} for _ in pairs]
    for cell, length in zip(cells.moved.tolist(), cells.lengths.tolist(), strict=True):
        if length:
            lengths[cell % many][cell // many] = length
    found, work = [], _work(cells)
    for pair, (a, b) in enumerate((len(source), len(target)) for source, target in pairs):
        last = (a + b) * size + (b if turned else a)
        table = _Table({}, lengths[pair], last, size, back, _table_seconds(a, b, *work[pair]))
        cost, kinds = cells.cost.reshape(-1, many)[:, pair], cells.kinds.reshape(-1, many)[:, pair]
        table.find_operations(cost, kinds, first=first or abs(a - b) > _ENUMERATED_DIFFERENCE)
        found.append(table)
    return found


class _Cells(NamedTuple):
    """What is known of the cells of several pairs: a cell's place is i + j, i, and its pair.

    The kind of a substitution is 0 where there is nothing to substitute: characters match, or are
    none. The reach of a cell is how far back from it costs change along the diagonal: there the
    search for a move ends. Where moves may end, and their lengths, are in this order too.
    """

    cost: Costs
    kinds: Kinds
    reach: Lengths
    inner: Integers
    outer: Integers
    moved: Integers
    lengths: Integers

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], costs: _Substitutions, *, turned: bool) -> _Cells:
        """Those of the borders are filled. Turned, i counts the characters of the target."""
        n, m = sorted(max(map(len, texts)) for texts in zip(*pairs, strict=True))
        size, slants, many = n + 1, n + m + 1, len(pairs)
        shape = (slants, size, many)
        cost = np.empty(shape)
        cost[:, 0] = np.arange(slants)[:, None]
        cost[range(size), range(size)] = np.arange(size)[:, None]
        inner, outer = np.zeros((size, many), np.int64), np.zeros((n + slants, many), np.int64)
        moves = []
        for pair, texts in enumerate(pairs):
            coded = [codes_of(text) for text in texts]
            numbers = costs.numbers(*coded)
            one, other = numbers[::-1] if turned else numbers
            inner[1 : len(one) + 1, pair], outer[size : size + len(other), pair] = one, other
            slant, i, length = _moves(*(coded[::-1] if turned else coded))
            moves.append(((slant * size + i) * many + pair, length))
        row, step = outer.strides
        opposite = as_strided(outer[n:], shape, (row, -row, step))
        moved, lengths = map(np.concatenate, zip(*moves, strict=True))
        kinds, reach, order = np.zeros(shape, np.uint8), np.zeros(shape, np.int16), moved.argsort()
        return cls(cost, kinds, reach, inner, opposite, moved[order], lengths[order])


def _table_seconds(n: int, m: int, comparisons: int, compared: int) -> float:
    """The virtual clock's first four terms: what the table itself takes (3.6)."""
    return (
        1.4e-5 * n * m + 3.7e-6 * comparisons + 3.4e-8 * comparisons * (n + m) + 2.6e-8 * compared
    )


def _fill(cells: _Cells, substitutions: _Substitutions) -> None:
    """The costs of all cells; moves that are out of reach lose their length."""
    slants, size, many = cells.cost.shape
    cost, reach = cells.cost.ravel(), cells.reach.ravel()
    back = (2 * size + 1) * many  # from a cell to the one before it on the diagonal
    starts = np.searchsorted(cells.moved, np.arange(slants + 1) * size * many).tolist()
    for slant in range(2, slants):
        start, stop = max(1, slant - slants + size), min(size, slant)
        here, before = np.s_[slant, start:stop], np.s_[slant - 2, start - 1 : stop - 1]
        beside, above = np.s_[slant - 1, start:stop], np.s_[slant - 1, start - 1 : stop - 1]
        diagonal, best, kinds = cells.cost[before], cells.cost[here], cells.kinds[here]
        numbers = cells.inner[start:stop] + cells.outer[here]
        np.take(substitutions.kinds, numbers, out=kinds, mode="clip")
        np.minimum(cells.cost[beside], cells.cost[above], out=best)
        best += 1
        np.minimum(best, diagonal + _COST_OF.take(kinds), out=best)
        if starts[slant] < starts[slant + 1]:
            some = slice(starts[slant], starts[slant + 1])
            ends, length = cells.moved[some], cells.lengths[some]
            length[length > reach[ends - back] + 1] = 0
            ends, length = ends[length > 0], length[length > 0]
            cost[ends] = np.minimum(cost[ends], cost[ends - length * back] + (length - 1))
        np.copyto(best, diagonal, where=kinds == 0)
        np.multiply(cells.reach[before] + 1, best != diagonal, out=cells.reach[here])


def _work(cells: _Cells) -> list[tuple[int, int]]:
    """How often the published search for moves compares, and how many characters, by pair.

    It compares the last two, three... characters of both sides.
    """
    slants, size, many = cells.cost.shape
    back = 2 * size + 1
    reach, kinds = cells.reach.reshape(-1, many), cells.kinds.reshape(-1, many)
    tried = np.zeros(kinds.shape, np.int16)
    np.multiply(reach[:-back], kinds[back:] > 0, out=tried[back:])
    found = cells.lengths > 0
    tried.ravel()[cells.moved[found]] = cells.lengths[found] - 1
    tried = tried.reshape(slants, -1)
    squares = np.einsum("ij,ij->j", tried, tried, dtype=np.int64)
    comparisons = tried.sum(axis=0, dtype=np.int64).reshape(size, many).sum(axis=0)
    compared = (squares.reshape(size, many).sum(axis=0) + 3 * comparisons) // 2
    return list(zip(comparisons.tolist(), compared.tolist(), strict=True))


def _moves(source: Text, target: Text) -> tuple[Integers, Integers, Integers]:
    """Where the last characters of both sides are the same in another order: i + j, i, how many.

    The fewest that are. What the target has more of than the source up to a cell is the same at
    both ends of a move, so we look for the last cell of the diagonal with the same difference.
    Differences are of sums of random bits a character: that two are equal by chance need not be
    expected.
    """
    numbers, n, m = _random_numbers(), len(source), len(target)
    none, outside = np.zeros(1, np.uint64), numbers[_CODE_POINTS:][:n]
    shift, shape = n.bit_length(), (n + m + 1, n + 1)  # below the difference there is room for i
    in_source = np.append(none, numbers[source].cumsum() << shift)
    in_source -= np.arange(n + 1, dtype=np.uint64)
    in_target = np.concatenate((outside, none, numbers[target].cumsum(), ~outside)) << shift
    diagonals = np.ndarray(shape, np.uint64, in_target, strides=(8, 8)) - in_source
    diagonals.sort(axis=1)
    again = np.flatnonzero((diagonals[:, :-1] ^ diagonals[:, 1:]) < 1 << shift)
    again += again // n
    starts, i = ((diagonals.take(again + k) & (1 << shift) - 1).astype(np.int64) for k in (0, 1))
    moved = i - starts > 1  # else it is a match
    i, length, diagonal = i[moved], (i - starts)[moved], again[moved] // (n + 1) - n
    return 2 * i + diagonal, i, length


@cache
def _random_numbers() -> NDArray[np.uint64]:
    return np.random.default_rng(0).integers(0, 2**64, _CODE_POINTS + _LONGEST, np.uint64)


# What it costs to write one character for another (3.3)


class _Substitutions(NamedTuple):
    """Kinds of substitutions by the numbers of characters of sources and of targets."""

    one: Text
    other: Text
    kinds: Kinds

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], tables: Tables) -> _Substitutions:
        texts = ("".join(pair[side] for pair in pairs) for side in (0, 1))
        one, other = (np.unique(codes_of(text)) for text in texts)
        kinds = np.zeros((len(one) + 1, len(other) + 1), np.uint8)
        if one.size and other.size:
            kinds[1:, 1:] = substitution_kinds(one, other, tables)
        return cls(one, other, kinds)

    def numbers(self, source: Text, target: Text) -> list[Integers]:
        """Of the characters; the sum of two is the place of their kind."""
        row = np.searchsorted(self.one, source) + 1
        return [row * self.kinds.shape[1], np.searchsorted(self.other, target) + 1]


def substitution_kinds(one: Text, other: Text, tables: Tables) -> Kinds:
    """Each of some different characters, in ascending order, by each of others.

    A kind is a place in `COSTS`: by the parts of the Cilin codes that differ, or two where one has
    no code; whether the characters are unlike; and how many of them are punctuation marks.
    """
    features, others = tables.features[one][:, None], tables.features[other]
    parts = np.zeros((len(one), len(other)), np.uint8)
    for shift in (0, 8, 16):
        parts += (features >> shift).astype(np.uint8) != (others >> shift).astype(np.uint8)
    parts[(tables.features[one] & CODE_MASK) == 0] = 2
    parts[:, (others & CODE_MASK) == 0] = 2
    marks = [(each // PUNCTUATION_BIT).astype(np.uint8) for each in (features, others)]
    kinds = 1 + 6 * parts + np.uint8(3) * ~_alike(one, other, tables) + marks[0] + marks[1]
    kinds[one[:, None] == other] = 0
    return kinds


def _alike(one: Text, other: Text, tables: Tables) -> Flags:
    """Han that share a reading, or of which one is mistaken for the other."""
    alike = np.zeros((len(one), len(other)), np.bool_)
    sounds = (tables.sounds[_han(characters)].T for characters in (one, other))
    for own, others in zip(*sounds, strict=True):
        rows, columns = np.flatnonzero(own), np.flatnonzero(others)
        alike[np.ix_(rows, columns)] |= own[rows, None] & others[columns] != 0
    _mark_confusions(one, other, tables, alike)
    _mark_confusions(other, one, tables, alike.T)
    return alike


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
