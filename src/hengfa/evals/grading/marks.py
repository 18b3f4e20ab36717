"""What grading comes to: points for every item, with what stands behind them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from hengfa.evals.grading.rubric import Rubric, faults_of


class Flag(StrEnum):
    """Why an award should be looked at."""

    NO_EVIDENCE = "no evidence"  # points without any quoted words
    NOT_FOUND = "not found"  # the quoted words are not in the response
    ADDRESSES_GRADER = "addresses the grader"  # they speak of marks to whoever grades
    ECHOES_RUBRIC = "echoes the rubric"  # they are a copy of the rubric, item after item
    OFF_THE_ITEM = "off the item"  # they have no word of the item: for a person to judge
    ONE_FOR_MOST = "one quotation for most"  # off the item, and behind most awards
    OUT_OF_ORDER = "out of order"  # steps stand in the wrong order: counts nothing
    AFTER_A_GAP = "after a gap"  # a step that must precede it is missing: counts nothing
    NO_SUCH_LAW = "no such law"  # a cited provision does not exist
    NOT_IN_FORCE = "not in force"  # it does, but not on the day of the case
    MISQUOTED = "misquoted"  # its text is not what the response says


UNBACKED = frozenset(
    {
        Flag.NO_EVIDENCE,
        Flag.NOT_FOUND,
        Flag.ADDRESSES_GRADER,
        Flag.ECHOES_RUBRIC,
        Flag.ONE_FOR_MOST,
    }
)
"""Flags that take an award out of the backed figure."""


_ROUNDING: Final = 1e-9
"""A panel's mean of full awards may be off by so much."""


class Span(msgspec.Struct, frozen=True, order=True):
    """Characters ``start`` to ``end`` of the response."""

    start: int
    end: int


class ItemMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item: ``awarded`` as the grader gave it, None if ungraded; ``points`` as it counts.

    ``points`` has the item's deductions, gates and order in it, 0 if ungraded; ``lenient`` is the
    same with whatever is ungraded as full, and ``backed`` with awards as 0 that have no evidence
    that holds.
    """

    id: str
    maximum: float
    awarded: float | None
    points: float
    lenient: float
    backed: float
    level: str = ""
    flags: tuple[Flag, ...] = ()
    spans: tuple[Span, ...] = ()
    reason: str = ""


class SectionMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A section: ``points`` with ungraded items as 0, ``lenient`` with them as full."""

    id: str
    maximum: float
    points: float
    lenient: float
    backed: float
    items: tuple[ItemMark, ...]
    counts: bool = True


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """The whole: a band from ``points`` (ungraded as 0) to ``lenient`` (ungraded as full).

    ``ungraded`` is how many items have no award; ``faults`` the ids of what was taken off.
    """

    maximum: float
    points: float
    lenient: float
    backed: float
    sections: tuple[SectionMark, ...]
    ungraded: int = 0
    faults: tuple[str, ...] = ()

    def items(self) -> tuple[ItemMark, ...]:
        return tuple(item for section in self.sections for item in section.items)


def earns_all(rubric: Rubric, mark: Mark, *, backed: bool = False) -> bool | None:
    """Whether an answer earns every critical item in full; None where a grader left one open.

    One missed limitation period loses the case, whatever else is right. An item is not earned in
    full whose section has a fault; and who lost everything to penalties has earned nothing.
    `backed` counts only awards whose evidence holds.
    """
    critical = rubric.critical()
    faulty = {
        item.id
        for section in rubric.sections
        if any(fault.id in mark.faults for fault in faults_of(section))
        for item in section.items
    }
    asked = [item for item in mark.items() if item.id in critical]
    graded = [item for item in asked if item.awarded is not None]
    short = (
        item.id in faulty or (item.backed if backed else item.points) < item.maximum - _ROUNDING
        for item in graded
    )
    if mark.points <= 0 or any(short):
        return False
    return True if len(graded) == len(asked) else None
