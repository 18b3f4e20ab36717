"""Verdict to marks: all arithmetic, with tiers, caps, order and flags ("How points are counted" in
docs/grading.md).

Three figures go through the same arithmetic: ``points`` takes an item without an award for 0,
``lenient`` takes it for full, and ``backed`` takes an award for 0 whose evidence does not hold. So
a step without an award is missing in ``points`` and there in ``lenient``.

A rubric says that steps out of order score nothing, not which steps these are (plawbench.md 3.2).
Three ways to read that have names (:class:`Way`). ``paper`` goes by the words of PLawBench's paper.
"No points are awarded if out of sequence": where any two awarded steps stand in the wrong order,
all steps that the order binds earn nothing. Who goes straight to the second step "fails to meet the
sequential requirement": a step earns only if all that must come before it is there, in one of its
parts at least; one that earned 0 is missing. ``longest`` costs least: of the awarded steps the
largest set without a misplaced pair keeps its points; of equally large ones that with more points,
then the one that comes earlier in the response. In a strict order this is the longest increasing
subsequence. Two steps in one sentence are not misplaced: neither stands before the other.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from hengfa.evals.grading.evidence import bears_on, find_evidence
from hengfa.evals.grading.rubric import (
    UNBACKED,
    Deduction,
    Flag,
    Gate,
    Item,
    ItemMark,
    Mark,
    Order,
    Penalty,
    Section,
    SectionMark,
    Span,
)
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.tampering import slipped_in
from hengfa.evals.grading.verdict import Award, Fault, Sheet, Verdict, verdict_of

if TYPE_CHECKING:
    from hengfa.evals.grading.statutes import LawCheck

_FINEST: Final = 1_000_000  # points are compared to the millionth

_Side: TypeAlias = tuple[str, str]  # a step on its left or its right side, the source or the sink
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
    cannot be misplaced."""
    if way is Way.UNORDERED or not order.pairs:
        return frozenset()
    if way is Way.LONGEST:
        return keep_order(order, positions, points)
    after = _followers(order)
    wrong = any(
        positions[then] < positions[first]
        for first in positions
        for then in positions.keys() & after.get(first, ())
    )
    return frozenset(step for pair in order.pairs for step in pair) if wrong else frozenset()


def behind_gaps(
    way: Way, order: Order, items: Sequence[Item], there: Collection[str]
) -> frozenset[str]:
    """The ids of the steps before which a step is missing: only ``paper`` takes their points.
    ``there`` are the items that earned something. Items of one step (:func:`_parts`) stand for each
    other: a step of which one part was earned is there."""
    if way is not Way.PAPER or not order.pairs:
        return frozenset()
    after = _followers(order)
    waiting: set[str] = set()
    for step in _parts(items, after):
        if not any(part in there for part in step):
            waiting.update(*(after.get(part, ()) for part in step))
    return frozenset(waiting)


def _parts(items: Sequence[Item], after: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Items by step: neighbours of one number are its parts, unless one is to follow the other."""
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
    """The ids of steps out of order; what precedes what goes through steps not awarded, too."""
    steps = sorted(positions, key=lambda step: (positions[step], step))
    after = _followers(order)
    misplaced = {}
    for step in steps:
        then = after.get(step, set())
        misplaced[step] = [one for one in steps if one in then and positions[one] < positions[step]]
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
    """The heaviest set of steps of which no two are misplaced; exact for any order. "Must follow,
    but stands before" is a partial order, so this is its heaviest antichain, and by Dilworth's
    theorem that is a minimum cut: each step has a left side fed from the source and a right side
    drained to the sink, both of its weight, and every misplaced pair joins the left side of one
    step to the right side of the other without limit."""
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
    left = {step for step in weights if ("left", step) in path_to}
    return {step for step in left if ("right", step) not in path_to}


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


Faults: TypeAlias = Mapping[str, Fault]  # what a grader reported, by id
Figure: TypeAlias = Literal["points", "lenient", "backed"]
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)  # all go through the same arithmetic
FEWEST_AWARDS: Final = 4  # one quotation may well be behind fewer awards than these


@dataclass(frozen=True, slots=True)
class Choices:
    """What counts: by which way order does, whether penalties do; cited law can be looked up."""

    order: Way = Way.PAPER
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
    return Examined(submission, verdict, choices.law).mark(choices)


class Examined:
    """A verdict with its evidence looked for and its faults weighed, for marks by any choices."""

    def __init__(self, submission: Submission, verdict: Verdict, law: LawCheck | None) -> None:
        self._rubric = submission.rubric
        self._faults = {fault.id: fault for fault in verdict.faults}
        awards = {award.id: award for award in verdict.awards}
        looked = [
            [_look(submission, item, awards.get(item.id), self._faults, law) for item in of.items]
            for of in self._rubric.sections
        ]
        suspect = _behind_most([step for steps in looked for step in steps])
        self._looked = [[_suspected(step, suspect) for step in steps] for steps in looked]

    def mark(self, choices: Choices) -> Mark:
        """All points by these choices; law was chosen when the verdict was examined."""
        rubric, faults = self._rubric, self._faults
        sections = tuple(
            _mark_section(section, looked, faults, choices.order)
            for section, looked in zip(rubric.sections, self._looked, strict=True)
        )
        penalties = rubric.penalties if choices.penalties else ()
        lost = math.fsum(_penalty(one, faults[one.id]) for one in penalties if one.id in faults)

        def whole(figure: Figure) -> float:
            points = math.fsum(getattr(section, figure) for section in counting)
            return min(max(points - lost, 0.0), rubric.maximum)

        counting = [section for section in sections if section.counts]
        left_out = set() if choices.penalties else {one.id for one in rubric.penalties}
        told = faults.keys() - left_out
        return Mark(
            maximum=rubric.maximum,
            **{figure: whole(figure) for figure in FIGURES},
            sections=sections,
            ungraded=sum(item.awarded is None for section in sections for item in section.items),
            faults=tuple(one.id for one in rubric.faults() if one.id in told),
        )


class _Limits(NamedTuple):
    """What the faults of an item or a section do: take points off, leave no more than so much, or
    give so much whatever was earned. Nothing falls below zero by what is taken, but what is left or
    given may be less than zero."""

    taken: float
    leaves: float
    gives: float | None

    def apply(self, points: float, maximum: float) -> float:
        if self.gives is not None:
            points = self.gives
        elif points > 0:
            points = max(points - self.taken, 0.0)
        return min(points, maximum, self.leaves)

    def nothing(self) -> float:
        """What is left of an item that earns nothing: less than zero where a fault says so."""
        return min(0.0, self.leaves, 0.0 if self.gives is None else self.gives)


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was found of the award of an item."""

    item: Item
    award: Award | None
    spans: tuple[Span, ...]
    flags: tuple[Flag, ...]
    limits: _Limits

    def earned(self, figure: Figure = "points") -> float:
        """What one figure takes the item for, order aside."""
        awarded = 0.0 if self.award is None else self.award.points
        if figure == "lenient" and self.award is None:
            awarded = self.item.maximum
        elif figure == "backed" and UNBACKED.intersection(self.flags):
            awarded = 0.0
        return self.limits.apply(awarded, self.item.maximum)


def _mark_section(
    section: Section, looked: Sequence[_Looked], faults: Faults, way: Way
) -> SectionMark:
    placed = [step for step in looked if step.award and step.award.points > 0 and step.spans]
    positions = {step.item.id: step.spans[0].start for step in placed}
    points = {step.item.id: step.earned() for step in placed}
    out = misplaced(way, section.order, positions, points)

    def counted(figure: Figure) -> dict[str, float]:
        """By item, what is left of one figure when order has taken its part."""
        earned = {step.item.id: step.earned(figure) for step in looked}
        there = {name for name, points in earned.items() if points > 0}
        lost = out | behind_gaps(way, section.order, section.items, there)
        return {
            step.item.id: step.limits.nothing() if step.item.id in lost else earned[step.item.id]
            for step in looked
        }

    left = {figure: counted(figure) for figure in FIGURES}
    items = []
    for step in looked:
        figures: dict[str, float] = {figure: of[step.item.id] for figure, of in left.items()}
        items.append(_mark_item(step, figures, out_of_order=step.item.id in out))
    limits, most = _limits(section.deductions, section.gates, faults), section.maximum
    sums = {figure: math.fsum(getattr(item, figure) for item in items) for figure in FIGURES}
    whole = {figure: limits.apply(total, most) for figure, total in sums.items()}
    return SectionMark(section.id, most, **whole, items=tuple(items), counts=section.counts)


def _look(
    submission: Submission, item: Item, award: Award | None, faults: Faults, law: LawCheck | None
) -> _Looked:
    """Evidence is asked only of points: that something is missing cannot be quoted. Every quotation
    must hold that is long enough to prove anything: a made-up one among true ones is made up all
    the same. Where there is a reference, items are about how good a response is beside it, and need
    not share a word with it."""
    flags: list[Flag] = []
    spans: list[Span] = []
    if award is not None and award.points > 0:
        found = find_evidence(submission.response, award.evidence)
        quoted = [quotation for quotation in found if quotation.proves]
        spans = sorted({span for quotation in quoted for span in quotation.spans})
        if not quoted:
            flags.append(Flag.NO_EVIDENCE)
        elif not all(quotation.spans for quotation in quoted):
            flags.append(Flag.NOT_FOUND)
        flags += slipped_in(submission, spans)
        words = "\n".join(submission.response[span.start : span.end] for span in spans)
        if spans and not flags and not submission.reference and not bears_on(item, words):
            flags.append(Flag.OFF_THE_ITEM)
        if law is not None and item.statute:
            flags += law.flags(submission, spans)
    limits = _limits(item.deductions, item.gates, faults)
    return _Looked(item, award, tuple(spans), tuple(flags), limits)


def _behind_most(looked: Iterable[_Looked]) -> frozenset[Span]:
    """Places behind most awards, off each of these items: what a grader quotes that was talked to.
    A grader may quote a sentence for several items, and in other words than theirs; but hardly one
    for most of them that has a word of none."""
    awarded = [step for step in looked if step.award is not None and step.award.points > 0]
    off = (step for step in awarded if Flag.OFF_THE_ITEM in step.flags)
    times = Counter(span for step in off for span in step.spans)
    fewest = max(FEWEST_AWARDS, len(awarded) // 2 + 1)
    return frozenset(span for span, count in times.items() if count >= fewest)


def _suspected(looked: _Looked, places: frozenset[Span]) -> _Looked:
    if Flag.OFF_THE_ITEM not in looked.flags or places.isdisjoint(looked.spans):
        return looked
    return replace(looked, flags=(*looked.flags, Flag.ONE_FOR_MOST))


def _mark_item(looked: _Looked, figures: Mapping[str, float], *, out_of_order: bool) -> ItemMark:
    item, award = looked.item, looked.award
    flags = looked.flags
    if out_of_order and award is not None and award.points > 0:
        flags = (*flags, Flag.OUT_OF_ORDER)
    elif figures["points"] < looked.earned():
        flags = (*flags, Flag.AFTER_A_GAP)
    return ItemMark(
        id=item.id,
        maximum=item.maximum,
        awarded=award.points if award else None,
        **figures,
        level=award.level if award else "",
        flags=flags,
        spans=looked.spans,
        reason=award.reason if award else "",
    )


def _limits(deductions: Iterable[Deduction], gates: Iterable[Gate], faults: Faults) -> _Limits:
    taken = math.fsum(_cost(one, faults[one.id]) for one in deductions if one.id in faults)
    applied = [gate for gate in gates if gate.id in faults]
    leaves = min((gate.leaves for gate in applied if not gate.tier), default=math.inf)
    gives = min((gate.leaves for gate in applied if gate.tier), default=None)
    return _Limits(taken, leaves, gives)


def _cost(deduction: Deduction, fault: Fault) -> float:
    chosen = None if deduction.most is None else fault.points
    once = deduction.points if chosen is None else chosen
    cost = once * fault.times if deduction.each else once
    return cost if deduction.cap is None else min(cost, deduction.cap)


def _penalty(penalty: Penalty, fault: Fault) -> float:
    times = fault.times if penalty.times is None else min(fault.times, penalty.times)
    return math.inf if penalty.all else penalty.points * times
