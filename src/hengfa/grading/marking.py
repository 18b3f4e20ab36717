"""Verdict to marks: all arithmetic, with caps, gates, order and flags.

* An item is what was awarded, less its deductions but not below 0; 0 if it is out of order; and no
  more than a gate that applies leaves.
* A section is the sum of its items, less its deductions but not below 0 (unless a gate left an item
  below 0), at most its maximum, and no more than a gate that applies leaves.
* The whole is the sum of the sections that count, less the penalties, from 0 to its maximum.

Three figures go through the same arithmetic: ``points`` takes an item without an award for 0,
``lenient`` takes it for full, and ``backed`` takes an award for 0 whose evidence does not hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hengfa.grading.evidence import find_evidence
from hengfa.grading.marks import UNBACKED, Flag, ItemMark, Mark, SectionMark, Span
from hengfa.grading.order import keep_order
from hengfa.grading.rubric import Deduction, Gate, Item, Penalty, Section
from hengfa.grading.slipped_in import slipped_in
from hengfa.grading.submission import Submission
from hengfa.grading.verdict import verdict_of
from hengfa.grading.verdict_model import Award, Fault, Sheet, Verdict

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck


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
    lost = math.fsum(_penalty(one, faults[one.id]) for one in penalties if one.id in faults)

    def whole(parts: Iterable[float]) -> float:
        return min(max(math.fsum(parts) - lost, 0.0), rubric.maximum)

    counting = [section for section in sections if section.counts]
    left_out = {one.id for one in rubric.penalties} - {one.id for one in penalties}
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
    items = tuple(_mark_item(one, out_of_order=one.item.id in misplaced) for one in looked)
    limits = _limits(section.deductions, section.gates, faults)

    def whole(points: Iterable[float]) -> float:
        return limits.apply(math.fsum(points), section.maximum)

    return SectionMark(
        id=section.id,
        maximum=section.maximum,
        points=whole(item.points for item in items),
        lenient=whole(
            one.limits.apply(item.maximum, item.maximum) if item.awarded is None else item.points
            for one, item in zip(looked, items, strict=True)
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
        quoted = [one for one in find_evidence(submission.response, award.evidence) if one.proves]
        spans = sorted({span for one in quoted for span in one.spans}, key=_place)
        if not quoted:
            flags.append(Flag.NO_EVIDENCE)
        elif not all(one.spans for one in quoted):
            flags.append(Flag.NOT_FOUND)
        flags += slipped_in(submission, spans)
        if choices.law is not None and item.statute:
            flags += choices.law.flags(submission, spans)
    limits = _limits(item.deductions, item.gates, faults)
    return _Looked(item, award, tuple(spans), tuple(flags), limits)


def _misplaced(section: Section, looked: Sequence[_Looked]) -> frozenset[str]:
    placed = [one for one in looked if one.is_placed]
    return keep_order(
        section.order,
        {one.item.id: one.spans[0].start for one in placed},
        {one.item.id: one.points() for one in placed},
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
    taken = math.fsum(_cost(one, faults[one.id]) for one in deductions if one.id in faults)
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
