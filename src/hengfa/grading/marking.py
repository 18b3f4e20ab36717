"""Verdict to marks: all arithmetic, with caps, gates, order and flags.

* An item is what was awarded, less its deductions but not below 0; 0 if it is out of order; and no
  more than a gate that applies leaves.
* A section is the sum of its items, less its deductions but not below 0 (unless a gate left an item
  below 0), at most its maximum, and no more than a gate that applies leaves.
* The whole is the sum of the sections that count, less the penalties, from 0 to its maximum.

Three figures go through the same arithmetic: ``points`` takes an item without an award for 0,
``lenient`` takes it for full, and ``backed`` takes an award for 0 whose evidence does not hold.

Rubrics say that steps out of order score nothing, not which steps these are (plawbench.md 3.2). The
reading here is the one that costs least: of the awarded steps the largest set without a misplaced
pair keeps its points; of equally large ones that with more points, then the one that comes earlier
in the response. In a strict order this is the longest increasing subsequence. A pair is misplaced
if the later step stands before the earlier one. Two steps in one sentence are not: neither stands
before the other.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from hengfa.grading.evidence import find_evidence
from hengfa.grading.marks import UNBACKED, Flag, ItemMark, Mark, SectionMark, Span
from hengfa.grading.rubric import Deduction, Gate, Item, Order, Penalty, Section
from hengfa.grading.submission import Submission
from hengfa.grading.tampering import slipped_in
from hengfa.grading.verdict import Award, Fault, Sheet, Verdict, verdict_of

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck


_FINEST: Final = 1_000_000
"""Points are compared to the millionth."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What counts: order and penalties can be left out, cited law can be looked up."""

    order: bool = True
    penalties: bool = True
    law: LawCheck | None = None


def mark(submission: Submission, sheet: Sheet, choices: Choices = Choices()) -> Mark:  # noqa: B008
    """The marks that follow from what one grader said."""
    return mark_verdict(submission, verdict_of(submission, sheet), choices)


def mark_verdict(
    submission: Submission,
    verdict: Verdict,
    choices: Choices = Choices(),  # noqa: B008
) -> Mark:
    """The marks that follow from a verdict, whoever gave it."""
    rubric = submission.rubric
    faults = {fault.id: fault for fault in verdict.faults}
    awards = {award.id: award for award in verdict.awards}
    sections = tuple(
        _mark_section(submission, section, awards, faults, choices) for section in rubric.sections
    )
    penalties = rubric.penalties if choices.penalties else ()
    lost = math.fsum(
        _penalty(penalty, faults[penalty.id]) for penalty in penalties if penalty.id in faults
    )

    def whole(parts: Iterable[float]) -> float:
        return min(max(math.fsum(parts) - lost, 0.0), rubric.maximum)

    counting = [section for section in sections if section.counts]
    left_out = {penalty.id for penalty in rubric.penalties} - {penalty.id for penalty in penalties}
    return Mark(
        maximum=rubric.maximum,
        points=whole(section.points for section in counting),
        lenient=whole(section.lenient for section in counting),
        backed=whole(section.backed for section in counting),
        sections=sections,
        ungraded=sum(item.awarded is None for section in sections for item in section.items),
        faults=tuple(
            fault.id for fault in rubric.faults() if fault.id in faults and fault.id not in left_out
        ),
    )


class _Limits(NamedTuple):
    """What the faults of an item or a section do: take points off, and leave no more than so much.

    Nothing falls below zero by what is taken, but what is left may be less than zero.
    """

    taken: float
    leaves: float

    def apply(self, points: float, maximum: float) -> float:
        if points > 0:
            points = max(points - self.taken, 0.0)
        return min(points, maximum, self.leaves)


@dataclass(frozen=True, slots=True)
class _Looked:
    """An item with what was found of its award."""

    item: Item
    award: Award | None
    spans: tuple[Span, ...]
    flags: tuple[Flag, ...]
    limits: _Limits

    @property
    def is_placed(self) -> bool:
        return bool(self.award and self.award.points > 0 and self.spans)

    def points(self) -> float:
        return self.limits.apply(self.award.points if self.award else 0.0, self.item.maximum)


def _mark_section(
    submission: Submission,
    section: Section,
    awards: Mapping[str, Award],
    faults: Mapping[str, Fault],
    choices: Choices,
) -> SectionMark:
    looked = [
        _look(submission, item, awards.get(item.id), faults, choices) for item in section.items
    ]
    misplaced = _misplaced(section, looked) if choices.order else frozenset()
    items = tuple(_mark_item(step, out_of_order=step.item.id in misplaced) for step in looked)
    limits = _limits(section.deductions, section.gates, faults)

    def whole(points: Iterable[float]) -> float:
        return limits.apply(math.fsum(points), section.maximum)

    return SectionMark(
        id=section.id,
        maximum=section.maximum,
        points=whole(item.points for item in items),
        lenient=whole(
            seen.limits.apply(item.maximum, item.maximum) if item.awarded is None else item.points
            for seen, item in zip(looked, items, strict=True)
        ),
        backed=whole(item.backed for item in items),
        items=items,
        counts=section.counts,
    )


def _look(
    submission: Submission,
    item: Item,
    award: Award | None,
    faults: Mapping[str, Fault],
    choices: Choices,
) -> _Looked:
    """Evidence is asked only of points: that something is missing cannot be quoted.

    Every quotation must hold that is long enough to prove anything: a made-up one among true ones
    is made up all the same.
    """
    flags: list[Flag] = []
    spans: list[Span] = []
    if award is not None and award.points > 0:
        quoted = [
            quotation
            for quotation in find_evidence(submission.response, award.evidence)
            if quotation.proves
        ]
        spans = sorted({span for quotation in quoted for span in quotation.spans}, key=_place)
        if not quoted:
            flags.append(Flag.NO_EVIDENCE)
        elif not all(quotation.spans for quotation in quoted):
            flags.append(Flag.NOT_FOUND)
        flags += slipped_in(submission, spans)
        if choices.law is not None and item.statute:
            flags += choices.law.flags(submission, spans)
    limits = _limits(item.deductions, item.gates, faults)
    return _Looked(item, award, tuple(spans), tuple(flags), limits)


def _misplaced(section: Section, looked: Sequence[_Looked]) -> frozenset[str]:
    placed = [step for step in looked if step.is_placed]
    return keep_order(
        section.order,
        {step.item.id: step.spans[0].start for step in placed},
        {step.item.id: step.points() for step in placed},
    )


def _mark_item(looked: _Looked, *, out_of_order: bool) -> ItemMark:
    item, award = looked.item, looked.award
    flags = (*looked.flags, Flag.OUT_OF_ORDER) if out_of_order else looked.flags
    nothing = looked.limits.apply(0.0, item.maximum)
    points = nothing if out_of_order else looked.points()
    return ItemMark(
        id=item.id,
        maximum=item.maximum,
        awarded=award.points if award else None,
        points=points,
        backed=min(points, nothing) if UNBACKED.intersection(flags) else points,
        level=award.level if award else "",
        flags=flags,
        spans=looked.spans,
        reason=award.reason if award else "",
    )


def _limits(
    deductions: Iterable[Deduction], gates: Iterable[Gate], faults: Mapping[str, Fault]
) -> _Limits:
    taken = math.fsum(
        _cost(deduction, faults[deduction.id]) for deduction in deductions if deduction.id in faults
    )
    leaves = min((gate.leaves for gate in gates if gate.id in faults), default=math.inf)
    return _Limits(taken, leaves)


def _cost(deduction: Deduction, fault: Fault) -> float:
    chosen = deduction.most is not None and fault.points is not None
    once = fault.points if chosen and fault.points is not None else deduction.points
    cost = once * fault.times if deduction.each else once
    return cost if deduction.cap is None else min(cost, deduction.cap)


def _penalty(penalty: Penalty, fault: Fault) -> float:
    if penalty.all:
        return math.inf
    return penalty.points * (
        fault.times if penalty.times is None else min(fault.times, penalty.times)
    )


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


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
    left = dict(weights)  # what the source can still give
    right = dict(weights)  # what the sink can still take
    flow: dict[str, dict[str, int]] = {step: {} for step in weights}
    while True:
        reached, path = _augmenting(misplaced, left, right, flow)
        if not path:
            break
        backwards = [flow[path[n + 1]][path[n]] for n in range(1, len(path) - 1, 2)]
        amount = min(left[path[0]], right[path[-1]], *backwards)
        left[path[0]] -= amount
        right[path[-1]] -= amount
        for n in range(0, len(path), 2):
            giver, taker = path[n], path[n + 1]
            flow[giver][taker] = flow[giver].get(taker, 0) + amount
        for n in range(1, len(path) - 1, 2):
            flow[path[n + 1]][path[n]] -= amount
    lefts, rights = reached
    return {step for step in weights if step in lefts and step not in rights}


_Reached = tuple[set[str], set[str]]


def _augmenting(
    misplaced: Mapping[str, Sequence[str]],
    left: Mapping[str, int],
    right: Mapping[str, int],
    flow: Mapping[str, Mapping[str, int]],
) -> tuple[_Reached, list[str]]:
    """A shortest path with room, as left, right, left, …, right sides; else what can be reached."""
    came: dict[tuple[bool, str], tuple[bool, str] | None] = {
        (False, step): None for step in left if left[step] > 0
    }
    givers: dict[str, list[str]] = {}
    for giver, takers in flow.items():
        for taker, amount in takers.items():
            if amount > 0:
                givers.setdefault(taker, []).append(giver)
    waiting = deque(came)
    while waiting:
        here = waiting.popleft()
        is_right, step = here
        if is_right and right[step] > 0:
            return (set(), set()), _trace(came, here)
        for other in givers.get(step, ()) if is_right else misplaced[step]:
            there = (not is_right, other)
            if there not in came:
                came[there] = here
                waiting.append(there)
    lefts = {step for is_right, step in came if not is_right}
    rights = {step for is_right, step in came if is_right}
    return (lefts, rights), []


def _trace(
    came: Mapping[tuple[bool, str], tuple[bool, str] | None], end: tuple[bool, str]
) -> list[str]:
    path: list[str] = []
    here: tuple[bool, str] | None = end
    while here is not None:
        path.append(here[1])
        here = came[here]
    return path[::-1]
