"""From the steps of alignments to edits that a person would recognise (lawbench.md 3.5).

Steps come in text order, one alignment at a time or, for pooling, as the shared beginnings of many.
So the rules of `Merger` work on a *window*: the blocks of like steps about which nothing has been
decided yet, the last of them still growing. Three whole blocks are always enough to decide about
the first.

`pooled_edits` counts the edits of all alignments of a pair, each as often as lists that differ
contain it. There may be a hundred thousand alignments that make a few hundred different lists. They
are not followed one by one. Alignments that pass the same place with the same undecided blocks go
on alike, so the steps form a graph, and the set of lists that are possible from one of its places
on is built once, from the end, out of the sets of the places after it. Sets are stored as tries
that share all equal parts; counting lists in them is adding up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

MATCH, MOVE, SUBSTITUTE, INSERT, DELETE = "M", "T", "S", "I", "D"
_GROWING = {MATCH: frozenset(MATCH), **dict.fromkeys("SID", frozenset("SID")), MOVE: frozenset()}

# The marks of 3.5: text that occurs in this string is never taken for a moved piece. Any stretch
# of it counts, in this order; it lacks 。 and 《 as that of 3.3 does, and differs from it.
MERGE_PUNCTUATION = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "–—‘'‛“”„‟…‧."
)


class Block(NamedTuple):
    """Source characters from i to i_end stand against target characters from j to j_end."""

    operation: str
    i: int
    j: int
    i_end: int
    j_end: int


Window = tuple[Block, ...]
Decided = tuple[Block, ...]


class Merger:
    """The rules for one pair of texts. Edits are blocks too, of any operation but MATCH."""

    def __init__(self, source: str, target: str) -> None:
        self._source, self._target = source, target

    def step(self, window: Window, step: Block) -> tuple[Decided, Window]:
        """Take one step (or several alike) more: the edits that are decided now, the rest.

        A run that mixes operations is one substitution. The rules leave runs of insertions and
        deletions alone as they are, but there are none: where an insertion meets a deletion, a
        substitution (at most 1.999) is cheaper than the two.
        """
        if window and step.operation in _GROWING[window[-1].operation]:
            operation, i, j, _, _ = window[-1]
            if step.operation != operation:
                operation = SUBSTITUTE
            return (), (*window[:-1], Block(operation, i, j, step.i_end, step.j_end))
        decided: list[Block] = []
        while len(window) > 2 or (window and window[0].operation in {MATCH, MOVE}):
            window = self._decide(window, decided)
        return tuple(decided), (*window, step)

    def finish(self, window: Window) -> Decided:
        """The edits that were undecided at the end of the texts."""
        decided: list[Block] = []
        while window:
            window = self._decide(window, decided)
        return tuple(decided)

    def edits(self, steps: list[Block]) -> Decided:
        edits: list[Block] = []
        window: Window = ()
        for step in steps:
            decided, window = self.step(window, step)
            edits += decided
        return (*edits, *self.finish(window))

    def _decide(self, window: Window, decided: list[Block]) -> Window:
        """Decide about the first block, or the first three as one move, and take them off."""
        first = window[0]
        if len(window) >= 3 and self._is_move(*window[:3]):
            third = window[2]
            whole = Block(MOVE, first.i, first.j, third.i_end, third.j_end)
            decided += self.trimmed(whole)
            return window[3:]
        if first.operation != MATCH:
            decided += self.trimmed(first)
        return window[1:]

    def _texts(self, block: Block) -> tuple[str, str]:
        _, i, j, i_end, j_end = block
        return self._source[i:i_end], self._target[j:j_end]

    def _is_move(self, first: Block, second: Block, third: Block) -> bool:
        """Whether two edits around a piece that stays are one piece moved across it."""
        kinds = first.operation + third.operation
        if kinds == "SS" and second.operation == MATCH:
            (was, became), (was_then, became_then) = self._texts(first), self._texts(third)
            if min(map(len, (was, became, was_then, became_then))) == 1:
                return was == became_then and became == was_then
            return _close(was, became_then) and _close(became, was_then)
        if kinds in {"DI", "ID"} and second.operation in {MATCH, MOVE}:
            deletion, insertion = (first, third) if kinds == "DI" else (third, first)
            return _is_same_piece(self._texts(deletion)[0], self._texts(insertion)[1])
        return False

    def trimmed(self, edit: Block) -> Decided:
        """Without what is equal at both ends; nothing where all is equal. Moves stay whole."""
        was, became = self._texts(edit)
        if was == became:
            return ()
        if edit.operation != SUBSTITUTE:
            return (edit,)
        start = _common_start(was, became)
        # Quirk: the end is looked for in the whole target, and given up if it laps over the start.
        end = _common_start(was[start:][::-1], became[::-1])
        if end > len(became) - start:
            end = 0
        _, i, j, i_end, j_end = edit
        i, j, i_end, j_end = i + start, j + start, i_end - end, j_end - end
        operation = INSERT if i == i_end else DELETE if j == j_end else SUBSTITUTE
        return (Block(operation, i, j, i_end, j_end),)


def _is_same_piece(deleted: str, inserted: str) -> bool:
    shorter, longer = sorted((deleted, inserted), key=len)
    if (
        longer in MERGE_PUNCTUATION
        or shorter in MERGE_PUNCTUATION
        or len(longer) > len(shorter) + 1
    ):
        return False
    if len(shorter) == 1:
        return longer == shorter
    turned = len(longer) == len(shorter) and shorter in longer + longer
    return turned or _close(longer, shorter)


def _close(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _common_start(one: str, other: str) -> int:
    return sum(takewhile(bool, map(eq, one, other)))


Cell = tuple[int, int]

# The key that says a list may end here, and the node that it leads to.
_END, _NOTHING = None, 0
_Node = dict[Block | None, int]


class _Tries:
    """Sets of lists of edits: a node maps the first edit to the node of what may follow it.

    Equal sets have equal numbers, and a node's number is greater than those it refers to.
    """

    def __init__(self) -> None:
        self._nodes: list[_Node] = [{}]
        self._sizes = [1]
        self._numbers: dict[frozenset[tuple[Block | None, int]], int] = {}
        self._unions: dict[frozenset[int], int] = {}
        self.empty_list = self._number({_END: _NOTHING})

    def after(self, edits: Decided, rest: int) -> int:
        """The lists of ``rest``, each with these edits before it."""
        for edit in reversed(edits):
            rest = self._number({edit: rest})
        return rest

    def union(self, sets: Iterable[int]) -> int:
        """The lists of all sets.

        It calls itself as deep as lists of different sets begin alike, which is a few edits: after
        the same edits two alignments are at the same place, where the set is one.
        """
        wanted = frozenset(sets)
        if len(wanted) == 1:
            return next(iter(wanted))
        if wanted not in self._unions:
            merged: defaultdict[Block | None, set[int]] = defaultdict(set)
            for each in wanted:
                for edit, rest in self._nodes[each].items():
                    merged[edit].add(rest)
            self._unions[wanted] = self._number(
                {edit: self.union(rests) for edit, rests in merged.items()}
            )
        return self._unions[wanted]

    def occurrences(self, root: int) -> Counter[Block]:
        ways = [0] * (root + 1)
        ways[root] = 1
        blocks: Counter[Block] = Counter()
        for number in range(root, _NOTHING, -1):
            for edit, rest in self._nodes[number].items():
                ways[rest] += ways[number]
                if edit is not _END:
                    blocks[edit] += ways[number] * self._sizes[rest]
        return blocks

    def _number(self, node: _Node) -> int:
        key = frozenset(node.items())
        number = self._numbers.setdefault(key, len(self._nodes))
        if number == len(self._nodes):
            self._nodes.append(node)
            self._sizes.append(sum(self._sizes[rest] for rest in node.values()))
        return number


def pooled_edits(steps: Iterable[Block], merger: Merger, end: Cell) -> Counter[Block]:
    """How many different lists contain each edit.

    Every step must come after all steps that lead to its start.
    """
    after: dict[Cell, dict[Window, list[tuple[Decided, Cell, Window]]]] = {(0, 0): {(): []}}
    for step in steps:
        cell = (step.i_end, step.j_end)
        here = after.setdefault(cell, {})
        for window, ways in after[step.i, step.j].items():
            decided, later = merger.step(window, step)
            ways.append((decided, cell, later))
            here.setdefault(later, [])

    tries = _Tries()
    lists: dict[tuple[Cell, Window], int] = {
        (end, window): tries.after(merger.finish(window), tries.empty_list) for window in after[end]
    }
    for cell in reversed(after):
        for window, ways in after[cell].items():
            if ways:
                lists[cell, window] = tries.union(
                    tries.after(decided, lists[later, rest]) for decided, later, rest in ways
                )
    return tries.occurrences(lists[(0, 0), ()])
