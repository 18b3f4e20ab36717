"""From the steps of an alignment to edits that a person would recognise (LawBench spec 3.5).

Steps come in text order, one alignment at a time or, for pooling, as the shared beginnings of many.
So the rules work on a *window*: the blocks of like steps about which nothing has been decided yet,
the last of them still growing. Three whole blocks are always enough to decide about the first.
"""

from __future__ import annotations

from itertools import takewhile
from operator import eq
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from hengfa.text.proofreading.punctuation import MERGE_PUNCTUATION

MATCH, MOVE, SUBSTITUTE, INSERT, DELETE = "M", "T", "S", "I", "D"
_GROWING = {MATCH: frozenset(MATCH), **dict.fromkeys("SID", frozenset("SID")), MOVE: frozenset()}


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
        """The edits of one alignment."""
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
    longer, shorter = deleted, inserted
    if len(longer) < len(shorter):
        longer, shorter = shorter, longer
    if longer in MERGE_PUNCTUATION or shorter in MERGE_PUNCTUATION:
        return False
    if len(longer) - len(shorter) > 1:
        return False
    if len(shorter) == 1:
        return longer == shorter
    turned = len(longer) == len(shorter) and shorter in longer + longer
    return turned or _close(longer, shorter)


def _close(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _common_start(one: str, other: str) -> int:
    return sum(takewhile(bool, map(eq, one, other)))
