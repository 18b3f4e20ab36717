"""Several graders, one mark: their points are combined item by item.

* A grader who left an item ungraded is left out of that item; an item that all left is ungraded.
* mean; median (of two, their mean); majority: what most graders say, the lower of equals.
* What each grader took off above the items, from a section or from the whole, is combined in the
  same way and taken off the combined sums. A grader without an award there has no say.
* Where a gate has left a section below 0, it is below 0 for the panel too. Graders who agree in all
  make the same mark as each of them, to the last digit.
* A flag or a fault stands where at least half of those who had a say raised it.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from hengfa.grading.marks import ItemMark, Mark, SectionMark

How: TypeAlias = Literal["mean", "median", "majority"]

T = TypeVar("T", bound=Hashable)


def combine(marks: Sequence[Mark], how: How) -> Mark:
    """One mark of several graders of the same submission."""
    if not marks or any(_ids(mark) != _ids(marks[0]) for mark in marks):
        raise ValueError("marks of one rubric are needed, at least one")
    if all(mark == marks[0] for mark in marks):
        return marks[0]
    pick = _HOW[how]
    rows = zip(*(mark.sections for mark in marks), strict=True)
    sections = tuple(_section(row, pick) for row in rows)
    counting = [section for section in sections if section.counts]
    active = [mark for mark in marks if _has_say(mark.items())]
    lost = pick([_lost_of_whole(mark) for mark in active]) if active else 0.0

    def whole(parts: Iterable[float]) -> float:
        return min(max(math.fsum(parts) - lost, 0.0), marks[0].maximum)

    return Mark(
        maximum=marks[0].maximum,
        points=whole(section.points for section in counting),
        lenient=whole(section.lenient for section in counting),
        backed=whole(section.backed for section in counting),
        sections=sections,
        ungraded=sum(item.awarded is None for section in sections for item in section.items),
        faults=_by_half([mark.faults for mark in active]),
    )


def leave_one_out(marks: Sequence[Mark], how: How) -> tuple[Mark, ...]:
    """The panel without each of its graders, in their order: whether one of them carries it."""
    if len(marks) < 2:
        raise ValueError("a panel of one has nobody to leave out")
    return tuple(combine([*marks[:n], *marks[n + 1 :]], how) for n in range(len(marks)))


def _section(row: Sequence[SectionMark], pick: Callable[[Sequence[float]], float]) -> SectionMark:
    items = tuple(
        _item(marks, pick) for marks in zip(*(section.items for section in row), strict=True)
    )
    first = row[0]
    active = [section for section in row if _has_say(section.items)]
    lost = pick([_lost_of_section(section) for section in active]) if active else 0.0

    least = min((section.points for section in active), default=0.0)

    def whole(points: Iterable[float]) -> float:
        total = min(math.fsum(points), first.maximum)
        return max(total - lost, min(total, least, 0.0))

    return SectionMark(
        id=first.id,
        maximum=first.maximum,
        points=whole(item.points for item in items),
        lenient=whole(item.maximum if item.awarded is None else item.points for item in items),
        backed=whole(item.backed for item in items),
        items=items,
        counts=first.counts,
    )


def _item(row: Sequence[ItemMark], pick: Callable[[Sequence[float]], float]) -> ItemMark:
    first = row[0]
    graded = [item for item in row if item.awarded is not None]
    if not graded:  # a gate below zero may hold all the same
        lost = pick([item.points for item in row])
        return ItemMark(first.id, first.maximum, None, lost, lost)
    points = pick([item.points for item in graded])
    levels = {item.level for item in graded}
    spans = sorted({(span.start, span.end): span for item in graded for span in item.spans}.items())
    return ItemMark(
        id=first.id,
        maximum=first.maximum,
        awarded=pick([item.awarded for item in graded if item.awarded is not None]),
        points=points,
        backed=min(points, pick([item.backed for item in graded])),
        level=levels.pop() if len(levels) == 1 else "",
        flags=_by_half([item.flags for item in graded]),
        spans=tuple(span for _, span in spans),
    )


def _lost_of_section(section: SectionMark) -> float:
    total = math.fsum(item.points for item in section.items)
    return max(min(total, section.maximum) - section.points, 0.0)


def _lost_of_whole(mark: Mark) -> float:
    total = math.fsum(section.points for section in mark.sections if section.counts)
    return max(min(total, mark.maximum) - mark.points, 0.0)


def _has_say(items: Iterable[ItemMark]) -> bool:
    return any(item.awarded is not None for item in items)


def _by_half(said: Sequence[Sequence[T]]) -> tuple[T, ...]:
    """What at least half say, in the order in which it was said first."""
    counts = Counter(name for each in said for name in dict.fromkeys(each))
    return tuple(name for name, count in counts.items() if 2 * count >= len(said))


def _majority(values: Sequence[float]) -> float:
    counts = Counter(values)
    most = max(counts.values())
    return min(value for value, count in counts.items() if count == most)


_HOW: Final[dict[How, Callable[[Sequence[float]], float]]] = {
    "mean": lambda values: math.fsum(values) / len(values),
    "median": statistics.median,
    "majority": _majority,
}


def _ids(mark: Mark) -> list[tuple[str, float]]:
    return [(item.id, item.maximum) for item in mark.items()]
