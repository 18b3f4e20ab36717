"""Marks taken apart by dimension, and what became of every item.

Dimensions are the four parts of a case analysis and the three weights of a consultation's points
(decisive 3, substantial 2, detail 1; PLawBench spec 3). The items of a document have none: those of
the paper's table 1 are not attached to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from hengfa.grading.marks import UNBACKED, Flag, ItemMark, Mark
from hengfa.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF
from hengfa.suites.plawbench.extract_parts import PARTS

WHOLE: Final = "document"
WEIGHTS: Final = ("decisive", "substantial", "detail")
DIMENSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    CONSULTATION: WEIGHTS,
    CASE: PARTS,
    PLAINTIFF: (WHOLE,),
    DEFENDANT: (WHOLE,),
}
"""By task; what a document has is one."""

_DECISIVE: Final = 3
_SUBSTANTIAL: Final = 2


class Fate(StrEnum):
    """What became of an item; one and only one of these."""

    UNGRADED = "ungraded"
    OUT_OF_ORDER = "out_of_order"
    UNBACKED = "unbacked"
    FULL = "full"
    PARTIAL = "partial"
    ZERO = "zero"


class Part(NamedTuple):
    """The points of a dimension, as they count and with evidence only, out of the maximum."""

    points: float
    backed: float
    maximum: float


def fate(item: ItemMark) -> Fate:
    """Without an award, before what must precede it, without evidence, or by its points."""
    if item.awarded is None:
        return Fate.UNGRADED
    if Flag.OUT_OF_ORDER in item.flags:
        return Fate.OUT_OF_ORDER
    if item.points <= 0:
        return Fate.ZERO
    if UNBACKED.intersection(item.flags):
        return Fate.UNBACKED
    return Fate.FULL if item.points >= item.maximum else Fate.PARTIAL


def by_dimension(task: str, mark: Mark) -> dict[str, Part]:
    """Points by dimension: of a case its sections, with their caps; else sums of items."""
    if task == CASE:
        return {
            name: Part(section.points, section.backed, section.maximum)
            for name, section in zip(PARTS, mark.sections, strict=True)
        }
    if task != CONSULTATION:
        return {WHOLE: Part(mark.points, mark.backed, mark.maximum)}
    found = dict.fromkeys(WEIGHTS, Part(0.0, 0.0, 0.0))
    for item in mark.items():
        before = found[_weight(item)]
        found[_weight(item)] = Part(
            before.points + item.points,
            before.backed + item.backed,
            before.maximum + item.maximum,
        )
    return found


def fates(task: str, mark: Mark) -> Counter[tuple[str, Fate]]:
    """How many items of each dimension came to what."""
    if task == CASE:
        return Counter(
            (name, fate(item))
            for name, section in zip(PARTS, mark.sections, strict=True)
            for item in section.items
        )
    if task == CONSULTATION:
        return Counter((_weight(item), fate(item)) for item in mark.items())
    return Counter((WHOLE, fate(item)) for item in mark.items())


def _weight(item: ItemMark) -> str:
    if item.maximum >= _DECISIVE:
        return WEIGHTS[0]
    return WEIGHTS[1] if item.maximum >= _SUBSTANTIAL else WEIGHTS[2]
