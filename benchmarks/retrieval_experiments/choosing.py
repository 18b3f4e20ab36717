"""Choosing parts, their settings and their weights honestly: never on queries that are measured.

What is fused, and how, is a choice that learns from labels like any model, so it is cross-validated
like one. :func:`nested` makes it anew for every fold, from answers to the other folds which were
given without them: by parts that had learned neither from the measured fold nor from the one that
they were asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.terms import Integers

Weights: TypeAlias = Mapping[str, float]
ScoresOf: TypeAlias = Mapping[str, NDArray[np.float32]]
"""The name of a part to its scores, queries by targets."""

LEAST_GAIN: Final = 0.001
"""A step must gain so much: less than that is one query among hundreds whose ranking flips."""


def scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each query's scores divided by its highest."""
    highest = scores.max(axis=1, keepdims=True)
    shared = np.zeros_like(scores)
    np.divide(scores, highest, out=shared, where=highest > 0)
    return shared


class Asked(NamedTuple):
    """Some queries: what every part says of their candidates, and which of these are right."""

    scores: ScoresOf
    right: tuple[Integers, Integers]
    """Row and column of every candidate that is relevant."""
    wanted: Integers
    """How many are relevant to each query, be they candidates or not."""
    precedence: Integers
    """Queries by candidates: of equal scores the higher goes first."""


def asked_of_all(
    scores: ScoresOf, relevant: NDArray[np.bool_], precedence: NDArray[np.int64]
) -> Asked:
    """Queries of which every target is a candidate."""
    row, column = np.nonzero(relevant)
    each = np.broadcast_to(precedence, relevant.shape)
    return Asked(scores, (row, column), relevant.sum(axis=1), each)


class Aim(NamedTuple):
    """What is to be as high as can be: MRR to one depth plus recall to another."""

    first: int = 100
    recalled: int = 10


class Slot(NamedTuple):
    """A place in the fusion: empty, or taken by one of these parts with one of these weights.

    Of equally good ones the first named is taken.
    """

    parts: tuple[str, ...]
    weights: tuple[float, ...]


Space: TypeAlias = Sequence[Slot]


def fuse(asked: Asked, weights: Weights) -> NDArray[np.float32]:
    """The weighted sum of the parts; of no parts, 0."""
    total = np.zeros(asked.precedence.shape, np.float32)
    for name, weight in weights.items():
        total += np.float32(weight) * asked.scores[name]
    return total


def goodness(asked: Asked, fused: NDArray[np.float32], aim: Aim) -> NDArray[np.float64]:
    """What is aimed at, for each query; ranks as trec_eval gives them."""
    row, column = asked.right
    own, theirs = fused[row, column][:, None], fused[row]
    rank = 1 + (theirs > own).sum(axis=1)
    equal = theirs == own
    tied = np.flatnonzero(equal.sum(axis=1) > 1)
    before = asked.precedence[row[tied]] > asked.precedence[row[tied], column[tied]][:, None]
    rank[tied] += (equal[tied] & before).sum(axis=1)
    best = np.zeros(len(fused))
    np.maximum.at(best, row, np.where(rank <= aim.first, 1 / rank, 0))
    recalled = np.bincount(row[rank <= aim.recalled], minlength=len(fused))
    return np.asarray(best + recalled / np.maximum(asked.wanted, 1), float)


def choose(
    blocks: Sequence[Asked], space: Space, aim: Aim, given: Weights | None = None
) -> dict[str, float]:
    """The parts and weights that answer all these queries best, by steepest ascent.

    From what is given, or from nothing, the one slot is changed (filled, emptied, another part,
    another weight) that gains most, again and again, until no change gains :data:`LEAST_GAIN`.
    """
    kept = dict(given or {})
    slots: list[tuple[str, float] | None] = [None] * len(space)
    reached = _mean(blocks, [fuse(block, kept) for block in blocks], aim)
    while True:
        best, step = reached + LEAST_GAIN, None
        for place, slot in enumerate(space):
            others = _together(kept, [*slots[:place], *slots[place + 1 :]])
            bases = [fuse(block, others) for block in blocks]
            for option in _options(slot):
                if option == slots[place]:
                    continue
                mean = _mean(blocks, _with(blocks, bases, option), aim)
                if mean > best:
                    best, step = mean, (place, option)
        if step is None:
            return _together(kept, slots)
        reached = best
        slots[step[0]] = step[1]


def _options(slot: Slot) -> list[tuple[str, float] | None]:
    return [*((part, weight) for weight in slot.weights for part in slot.parts), None]


def _together(
    given: Mapping[str, float], slots: Sequence[tuple[str, float] | None]
) -> dict[str, float]:
    return {**given, **dict(slot for slot in slots if slot)}


def _with(
    blocks: Sequence[Asked], bases: Sequence[NDArray[np.float32]], option: tuple[str, float] | None
) -> list[NDArray[np.float32]]:
    if option is None:
        return list(bases)
    part, weight = option
    return [
        base + np.float32(weight) * block.scores[part]
        for block, base in zip(blocks, bases, strict=True)
    ]


def _mean(blocks: Sequence[Asked], fused: Sequence[NDArray[np.float32]], aim: Aim) -> float:
    each = [goodness(block, sums, aim) for block, sums in zip(blocks, fused, strict=True)]
    return float(np.concatenate(each).mean())


class Measured(NamedTuple):
    """One fold: what was chosen for it elsewhere, and how that answers it."""

    rows: Integers
    weights: dict[str, float]
    asked: Asked
    fused: NDArray[np.float32]


Ask: TypeAlias = Callable[[Integers, Integers], Asked]
"""Called with the queries to learn from and those to answer, by their places."""


def nested(
    parts: Sequence[Integers],
    ask: Ask,
    space: Space,
    aim: Aim,
    close: Collection[tuple[int, int]] = (),
    given: Sequence[Weights] | None = None,
) -> Iterator[Measured]:
    """Choose for each part of the queries without it, and answer it by what was chosen.

    For the choice, each of the other parts is answered by what learned from the rest. ``close``
    are pairs of queries too much alike (each pair both ways): one of them takes no share in the
    choice for the other, nor teaches what answers it. ``given``: for each part what is fixed.
    """
    for number, measured in enumerate(parts):
        blocks = []
        for held, other in enumerate(parts):
            if held != number:
                rest = np.concatenate([x for at, x in enumerate(parts) if at not in {number, held}])
                learned = _unlike(np.sort(rest), np.concatenate((measured, other)), close)
                blocks.append(ask(learned, _unlike(other, measured, close)))
        weights = choose(blocks, space, aim, given[number] if given else None)
        rest = np.concatenate([x for at, x in enumerate(parts) if at != number])
        asked = ask(_unlike(np.sort(rest), measured, close), measured)
        yield Measured(measured, weights, asked, fuse(asked, weights))


def _unlike(rows: Integers, measured: Integers, close: Collection[tuple[int, int]]) -> Integers:
    """Those of the rows that are too close to nothing measured."""
    asked = set(measured.tolist())
    alike = {other for query, other in close if query in asked}
    return np.array([row for row in rows.tolist() if row not in alike], np.int64)
