"""What earns and costs points, and what that comes to: the one shape of rubrics and of marks.

A rubric has sections, a section has items. Points are added item by item; deductions and gates of
an item take from that item, those of a section from that section, penalties from the whole. No sum
is ever asked of a grader: it reports what it found, and :mod:`hengfa.evals.grading.marking` counts.
A mark has points for every item, with what stands behind them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace


class Deduction(msgspec.Struct, frozen=True, omit_defaults=True):
    """Points taken off where something is missing or wrong, never below zero. Where the rubric
    leaves a range (扣 1-3 分) the grader chooses between ``points`` and ``most``. ``each`` counts
    every occurrence (每少一项扣1分), else it applies once; all occurrences together take no more
    than ``cap`` (最多扣5分), where there is one."""

    id: str
    text: str
    points: float
    most: float | None = None
    each: bool = False
    cap: float | None = None


class Gate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault after which ``leaves`` is left, which may be negative. A cap leaves no more than that
    (不得分, 本项最高得6分). A ``tier`` is what an answer with this fault still gets, neither more
    nor less, whatever else it earned or lost (本项得9分)."""

    id: str
    text: str
    leaves: float = 0.0
    tier: bool = False


class Level(msgspec.Struct, frozen=True):
    """One of the named grades of an item, such as Good for 20."""

    name: str
    points: float


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that earns points. ``levels`` are the only values the item can have, where the
    rubric names them; else any number from 0 to ``maximum``. ``elements`` are parts without a value
    of their own, ``alternatives`` statutes accepted in place of the one in ``text``, ``step`` the
    number of a step of reasoning."""

    id: str
    text: str
    maximum: float
    deductions: tuple[Deduction, ...] = ()
    gates: tuple[Gate, ...] = ()
    levels: tuple[Level, ...] = ()
    elements: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    step: int | None = None
    statute: bool = False
    """Whether the item asks for a provision of law, which the law library can check."""
    critical: bool = False
    """Whether an answer fails that does not earn the item in full; graders are not told."""


class OrderKind(StrEnum):
    """What a rubric says of the order of a section's items (plawbench.md 3.2)."""

    STRICT = "strict"
    PARTIAL = "partial"
    FREE = "free"  # says that order does not matter
    STEPS = "steps"  # says nothing, but numbers its steps
    UNSTATED = "unstated"


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which items must come before which: pairs of item ids; ``text`` is where the rubric says so.
    STRICT and PARTIAL orders have all pairs that follow from what the rubric says, the others none.
    A PARTIAL order without pairs is one that pairs cannot say: inside items, where gates say it."""

    kind: OrderKind = OrderKind.UNSTATED
    pairs: tuple[tuple[str, str], ...] = ()
    text: str = ""


class Section(msgspec.Struct, frozen=True, omit_defaults=True):
    """Items that are counted together, at most to ``maximum``. ``group`` is the heading above it,
    where a rubric has two levels of them. A section that does not count (``counts``) is reported
    beside the total."""

    id: str
    title: str
    maximum: float
    items: tuple[Item, ...]
    deductions: tuple[Deduction, ...] = ()
    gates: tuple[Gate, ...] = ()
    order: Order = Order()
    group: str = ""
    counts: bool = True


def faults_of(holder: Item | Section) -> tuple[Deduction | Gate, ...]:
    """What can be taken from an item, or from a section above its items."""
    return (*holder.deductions, *holder.gates)


class Penalty(msgspec.Struct, frozen=True, omit_defaults=True):
    """Points taken from the whole, for each occurrence up to ``times``; the whole stays above 0.
    ``all`` takes everything."""

    id: str
    text: str
    points: float
    times: int | None = None
    all: bool = False


class Rubric(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one response is graded. Ids of items, deductions, gates and penalties are unique in it.
    ``maximum`` is the denominator; it comes from the data, never from a grader."""

    id: str
    maximum: float
    sections: tuple[Section, ...]
    penalties: tuple[Penalty, ...] = ()

    def items(self) -> Iterator[Item]:
        for section in self.sections:
            yield from section.items

    def critical(self) -> frozenset[str]:
        """The ids of the items marked as critical; where none is, of all that count."""
        marked = frozenset(item.id for item in self.items() if item.critical)
        counting = (section for section in self.sections if section.counts)
        return marked or frozenset(item.id for section in counting for item in section.items)

    def with_critical(self, critical: Collection[str]) -> Rubric:
        """The rubric with just these items marked as critical."""
        sections = []
        for section in self.sections:
            items = (replace(item, critical=item.id in critical) for item in section.items)
            sections.append(replace(section, items=tuple(items)))
        return replace(self, sections=tuple(sections))

    def as_graded(self) -> Rubric:
        """What graders are told, so that grades stand whatever is marked as critical later."""
        return self.with_critical(()) if any(item.critical for item in self.items()) else self

    def faults(self) -> Iterator[Deduction | Gate | Penalty]:
        """Everything that can cost points."""
        for section in self.sections:
            for item in section.items:
                yield from faults_of(item)
            yield from faults_of(section)
        yield from self.penalties


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
    {Flag.NO_EVIDENCE, Flag.NOT_FOUND, Flag.ADDRESSES_GRADER, Flag.ECHOES_RUBRIC, Flag.ONE_FOR_MOST}
)
"""Flags that take an award out of the backed figure."""


_ROUNDING: Final = 1e-9  # a panel's mean of full awards may be off by so much


class Span(msgspec.Struct, frozen=True, order=True):
    """Characters ``start`` to ``end`` of the response."""

    start: int
    end: int


class ItemMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item: ``awarded`` as the grader gave it, None if ungraded; ``points`` as it counts.
    ``points`` has the item's deductions, gates and order in it, 0 if ungraded; ``lenient`` is the
    same with whatever is ungraded as full, and ``backed`` with awards as 0 that have no evidence
    that holds."""

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
    ``ungraded`` is how many items have no award; ``faults`` the ids of what was taken off."""

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
    """Whether an answer earns every critical item in full; None where a grader left one open. One
    missed limitation period loses the case, whatever else is right. An item is not earned in full
    whose section has a fault; and who lost everything to penalties has earned nothing. `backed`
    counts only awards whose evidence holds."""
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
