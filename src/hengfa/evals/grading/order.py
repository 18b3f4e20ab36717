"""Steps in the order that a rubric asks for: which of them lose their points, and by which way.

A rubric says that steps out of order score nothing, not which steps these are (plawbench.md 3.2).
Three ways to read that have names (:class:`Way`).

``paper`` goes by the words of PLawBench's paper. "No points are awarded if out of sequence": where
any two awarded steps stand in the wrong order, all steps that the order binds earn nothing. Who
goes straight to the second step "fails to meet the sequential requirement": a step earns only if
all that must come before it is there. A step is there if anything was earned for it, in one of its
parts at least; one that earned 0 is missing.

``longest`` costs least: of the awarded steps the largest set without a misplaced pair keeps its
points; of equally large ones that with more points, then the one that comes earlier in the
response. In a strict order this is the longest increasing subsequence. Nothing is lost for a step
that is missing.

``unordered`` does not look at order.

A pair is misplaced if the later step stands before the earlier one. Two steps in one sentence are
not: neither stands before the other. Steps that no pair names are free in every way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeAlias

from hengfa.evals.grading.rubric import Item, Order

_FINEST: Final = 1_000_000
"""Points are compared to the millionth."""

_Side: TypeAlias = tuple[str, str]
"""A step on its left or its right side, the source or the sink."""
_SOURCE: Final[_Side] = ("source", "")
_SINK: Final[_Side] = ("sink", "")


class Way(StrEnum):
    """How steps are marked where a rubric binds them to an order."""

    PAPER = "paper"
    LONGEST = "longest"
    UNORDERED = "unordered"


def misplaced(
    way: Way, order: Order, positions: Mapping[str, int], points: Mapping[str, float]
) -> frozenset[str]:
    """The ids of the steps that lose their points because steps stand in the wrong order.

    ``positions`` says where each awarded step stands in the response; a step without a position
    cannot be misplaced.
    """
    if way is Way.UNORDERED or not order.pairs:
        return frozenset()
    if way is Way.LONGEST:
        return keep_order(order, positions, points)
    after = _followers(order)
    wrong = any(
        positions[then] < positions[first]
        for first in positions
        for then in after.get(first, ())
        if then in positions
    )
    return frozenset(step for pair in order.pairs for step in pair) if wrong else frozenset()


def behind_gaps(
    way: Way, order: Order, items: Sequence[Item], there: Collection[str]
) -> frozenset[str]:
    """The ids of the steps before which a step is missing: only ``paper`` takes their points.

    ``there`` are the items that earned something. Items of one step (:func:`_parts`) stand for each
    other: a step of which one part was earned is there.
    """
    if way is not Way.PAPER or not order.pairs:
        return frozenset()
    after = _followers(order)
    waiting: set[str] = set()
    for step in _parts(items, after):
        if not any(part in there for part in step):
            waiting.update(*(after.get(part, ()) for part in step))
    return frozenset(waiting)


def _parts(items: Sequence[Item], after: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Items by the steps they belong to: neighbours of one number, unless one is to follow the
    other."""
    steps: list[list[str]] = []
    before: Item | None = None
    for item in items:
        same = before is not None and item.step is not None and item.step == before.step
        if same and item.id not in after.get(steps[-1][-1], ()):
            steps[-1].append(item.id)
        else:
            steps.append([item.id])
        before = item
    return steps


def keep_order(
    order: Order, positions: Mapping[str, int], points: Mapping[str, float] | None = None
) -> frozenset[str]:
    """The ids of steps that are out of order.

    ``positions`` says where each awarded step stands in the response; a step without a position
    cannot be misplaced. What must precede what is taken through steps that were not awarded, too.
    """
    steps = sorted(positions, key=lambda step: (positions[step], step))
    after = _followers(order)
    misplaced = {
        step: [
            other
            for other in steps
            if other in after.get(step, ()) and positions[other] < positions[step]
        ]
        for step in steps
    }
    if not any(misplaced.values()):
        return frozenset()
    kept = _heaviest(misplaced, _weights(steps, points or {}))
    return frozenset(steps) - kept


def _followers(order: Order) -> dict[str, set[str]]:
    """For each step all that must come after it."""
    direct: dict[str, set[str]] = {}
    for first, second in order.pairs:
        direct.setdefault(first, set()).add(second)
    followers: dict[str, set[str]] = {}
    for step in direct:
        reached: set[str] = set()
        waiting = [step]
        while waiting:
            new = direct.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        followers[step] = reached
    return followers


def _weights(steps: Sequence[str], points: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers whose sums compare by number of steps, then points, then earliness."""
    fine = [round(max(points.get(step, 0.0), 0.0) * _FINEST) for step in steps]
    one_more = sum(fine) + 1
    return {
        step: ((one_more + worth) << len(steps)) + (1 << (len(steps) - 1 - rank))
        for rank, (step, worth) in enumerate(zip(steps, fine, strict=True))
    }


def _heaviest(misplaced: Mapping[str, Sequence[str]], weights: Mapping[str, int]) -> set[str]:
    """The heaviest set of steps of which no two are misplaced; exact for any order.

    "Must follow, but stands before" is a partial order, so this is its heaviest antichain, and by
    Dilworth's theorem that is a minimum cut: each step has a left side fed from the source and a
    right side drained to the sink, both of its weight, and every misplaced pair joins the left
    side of one step to the right side of the other without limit.
    """
    unlimited = sum(weights.values())
    room: dict[_Side, dict[_Side, int]] = {_SOURCE: {}, _SINK: {}}
    for step, weight in weights.items():
        room[_SOURCE]["left", step] = weight
        room["left", step] = {("right", other): unlimited for other in misplaced[step]}
        room["right", step] = {_SINK: weight}
    while _SINK in (path_to := _reached(room)):
        path = path_to[_SINK]
        pairs = list(pairwise(path))
        amount = min(room[giver][taker] for giver, taker in pairs)
        for giver, taker in pairs:
            room[giver][taker] -= amount
            room[taker][giver] = room[taker].get(giver, 0) + amount
    return {
        step for step in weights if ("left", step) in path_to and ("right", step) not in path_to
    }


def _reached(room: Mapping[_Side, Mapping[_Side, int]]) -> dict[_Side, list[_Side]]:
    """A shortest path from the source to whatever it still can feed, up to the sink."""
    path_to = {_SOURCE: [_SOURCE]}
    waiting = deque(path_to)
    while waiting and _SINK not in path_to:
        giver = waiting.popleft()
        for taker, left in room[giver].items():
            if left > 0 and taker not in path_to:
                path_to[taker] = [*path_to[giver], taker]
                waiting.append(taker)
    return path_to
