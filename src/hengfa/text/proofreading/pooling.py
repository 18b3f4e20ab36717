"""The edits of all alignments of a pair, each as often as lists that differ contain it (3.5).

There may be a hundred thousand alignments that make a few hundred different lists of edits. They
are not followed one by one. Alignments that pass the same place with the same undecided blocks go
on alike, so the steps form a graph, and the set of lists that are possible from one of its places
on is built once, from the end, out of the sets of the places after it. Sets are stored as tries
that share all equal parts; counting lists in them is adding up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from hengfa.text.proofreading.merging import Block, Decided, Merger, Window

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
        """In how many lists of a set each edit is."""
        ways = [0] * (root + 1)
        ways[root] = 1
        found: Counter[Block] = Counter()
        for number in range(root, _NOTHING, -1):
            for edit, rest in self._nodes[number].items():
                ways[rest] += ways[number]
                if edit is not _END:
                    found[edit] += ways[number] * self._sizes[rest]
        return found

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
