"""A response that was put before graders: what they saw, what each said, and the marks of that.

A panel makes one mark of several, item by item ("Panels" in docs/grading.md). Above the items a
grader without an award there has no say; where a gate has left a section below 0, it is below 0 for
the panel too.

How far graders agree is told over many submissions: on single items, and on what they come to.
Totals and items are compared as shares of their maxima, so that rubrics of 35 and of 160 points
weigh the same. What one of the two graders left ungraded is left out of items; a submission counts
among the totals only where both graded all of it, since a band cannot be correlated.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

from hengfa.base.statistics.correlation import (
    Numbers,
    kendall,
    mae,
    pearson,
    spearman,
    weighted_kappa,
)
from hengfa.base.statistics.evidence import average
from hengfa.evals.grading.marking import FIGURES, Choices, Examined, Figure
from hengfa.evals.grading.rubric import ItemMark, Mark, SectionMark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Sheet, Verdict, verdict_of

if TYPE_CHECKING:
    from hengfa.evals.grading.statutes import LawCheck

How: TypeAlias = Literal["mean", "median", "majority"]

Pick: TypeAlias = Callable[[Sequence[float]], float]
T = TypeVar("T", bound=Hashable)


def combine(marks: Sequence[Mark], how: How) -> Mark:
    """One mark of several graders of the same submission."""
    ids = [[(item.id, item.maximum) for item in mark.items()] for mark in marks]
    if not ids or any(of != ids[0] for of in ids):
        raise ValueError("marks of one rubric are needed, at least one")
    if all(mark == marks[0] for mark in marks):
        return marks[0]
    pick, maximum = _HOW[how], marks[0].maximum
    rows = zip(*(mark.sections for mark in marks), strict=True)
    sections = tuple(_section(row, pick) for row in rows)
    active = [mark for mark in marks if _has_say(mark.items())]

    def earned(of: Sequence[SectionMark], figure: Figure) -> float:
        return math.fsum(getattr(section, figure) for section in of if section.counts)

    def whole(figure: Figure) -> float:
        lost = [
            max(min(earned(mark.sections, figure), maximum) - getattr(mark, figure), 0.0)
            for mark in active
        ]
        total = earned(sections, figure)
        return min(max(total - (pick(lost) if lost else 0.0), 0.0), maximum)

    return Mark(
        maximum,
        **_band(marks, whole),
        sections=sections,
        ungraded=sum(item.awarded is None for section in sections for item in section.items),
        faults=_by_half([mark.faults for mark in active]),
    )


def _section(row: Sequence[SectionMark], pick: Pick) -> SectionMark:
    columns = zip(*(section.items for section in row), strict=True)
    items = tuple(_item(marks, pick) for marks in columns)
    first = row[0]
    active = [section for section in row if _has_say(section.items)]

    def earned(of: Iterable[ItemMark], figure: Figure) -> float:
        return min(math.fsum(getattr(item, figure) for item in of), first.maximum)

    def whole(figure: Figure) -> float:
        """The combined items less what was taken above them; a tier gives where others take."""
        total = earned(items, figure)
        own = [getattr(section, figure) for section in active]
        taken = [earned(of.items, figure) - left for of, left in zip(active, own, strict=True)]
        lost, least = (pick(taken), min(own)) if active else (0.0, 0.0)
        return min(max(total - lost, min(total, least, 0.0)), first.maximum)

    figures = _band(row, whole)
    return SectionMark(first.id, first.maximum, **figures, items=items, counts=first.counts)


def _band(
    row: Sequence[Mark] | Sequence[SectionMark], combined: Callable[[Figure], float]
) -> dict[str, float]:
    """All figures; as each grader has them where all have the same numbers."""
    if all(_numbers(part) == _numbers(row[0]) for part in row):
        return {figure: getattr(row[0], figure) for figure in FIGURES}
    points = combined("points")
    lenient, backed = max(points, combined("lenient")), min(points, combined("backed"))
    return {"points": points, "lenient": lenient, "backed": backed}


def _item(row: Sequence[ItemMark], pick: Pick) -> ItemMark:
    first = row[0]
    graded = [item for item in row if item.awarded is not None]
    figures = [*(graded or row)]  # a gate below zero may hold where nobody graded
    points = pick([item.points for item in figures])
    levels = {item.level for item in graded}
    return ItemMark(
        id=first.id,
        maximum=first.maximum,
        awarded=pick([of for item in row if (of := item.awarded) is not None]) if graded else None,
        points=points,
        lenient=max(points, pick([item.lenient for item in figures])),
        backed=min(points, pick([item.backed for item in figures])),
        level=levels.pop() if len(levels) == 1 else "",
        flags=_by_half([item.flags for item in graded]),
        spans=tuple(sorted({span for item in graded for span in item.spans})),
    )


def _numbers(part: Mark | SectionMark) -> tuple[object, ...]:
    """Without reasons, flags and places."""
    own = (part.points, part.lenient, part.backed)
    if isinstance(part, Mark):
        return (*own, *map(_numbers, part.sections))
    return (*own, *((i.awarded, i.points, i.lenient, i.backed) for i in part.items))


def _has_say(items: Iterable[ItemMark]) -> bool:
    return any(item.awarded is not None for item in items)


def _by_half(said: Sequence[Sequence[T]]) -> tuple[T, ...]:
    """What at least half say, in the order in which it was said first."""
    counts = Counter(name for each in said for name in dict.fromkeys(each))
    return tuple(name for name, count in counts.items() if 2 * count >= len(said))


def _mean(values: Sequence[float]) -> float:
    """The value itself where all have the same, to the last digit."""
    return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)


def _majority(values: Sequence[float]) -> float:
    counts = Counter(values)
    most = max(counts.values())
    return min(value for value, count in counts.items() if count == most)


_HOW: Final[dict[How, Pick]] = {"mean": _mean, "median": statistics.median, "majority": _majority}


class Grading:
    """What one grader said of a submission when it was asked once. It is read and its evidence
    looked for once, and it is marked once for each reading of the rules (:class:`Choices`), whoever
    asks for it: rules, findings, panels and reports share the marks. `instrument` says by what it
    was graded, as records have it."""

    def __init__(self, submission: Submission, sheet: Sheet, instrument: str = "") -> None:
        self._submission = submission
        self._sheet = sheet
        self._examined: dict[LawCheck | None, Examined] = {}
        self._marks: dict[Choices, Mark] = {}
        self.instrument = instrument

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self._submission, self._sheet)

    def mark(self, choices: Choices) -> Mark:
        law = choices.law
        if law not in self._examined:
            self._examined[law] = Examined(self._submission, self.verdict, law)
        if choices not in self._marks:
            self._marks[choices] = self._examined[law].mark(choices)
        return self._marks[choices]


class Flips(NamedTuple):
    """Of so many items how many have other points in another of several identical gradings."""

    flipped: int
    items: int


class GradedResponse:
    """What graders saw of a response (`submission`), and what each said, asked once or oftener. A
    score is that of one grader or of a panel of them, by the `rule` that makes one mark of several:
    :meth:`by` takes out those whose score it is."""

    def __init__(
        self,
        submission: Submission,
        gradings: Mapping[str, Sequence[Grading]] | None = None,
        rule: How | None = None,
    ) -> None:
        self.submission = submission
        self._gradings = {name: tuple(said) for name, said in (gradings or {}).items() if said}
        self._rule = rule

    def __bool__(self) -> bool:
        """Whether anybody was asked."""
        return bool(self._gradings)

    def by(self, graders: Sequence[str], rule: How | None = None) -> GradedResponse:
        """The same as a grader or a panel has it; nothing was said unless all were asked."""
        if not all(name in self._gradings for name in graders):
            return GradedResponse(self.submission)
        said = {name: self._gradings[name] for name in graders}
        return GradedResponse(self.submission, said, rule)

    @cached_property
    def rounds(self) -> tuple[GradedResponse, ...]:
        """One for each time that all graders were asked; if never, one that left all open."""
        times = min(map(len, self._gradings.values()), default=0)
        if not times:
            return (GradedResponse(self.submission, {"": [Grading(self.submission, Sheet(""))]}),)
        if times == 1:
            return (self,)
        rounds = (
            {name: said[number : number + 1] for name, said in self._gradings.items()}
            for number in range(times)
        )
        return tuple(GradedResponse(self.submission, said, self._rule) for said in rounds)

    def marks(self, choices: Choices) -> tuple[tuple[str, Mark], ...]:
        """Each grader with its mark, when first asked."""
        return tuple((name, said[0].mark(choices)) for name, said in self._gradings.items())

    def mark(self, choices: Choices) -> Mark:
        """One mark from what the graders said when first asked; there must be one at least."""
        marks = [mark for _, mark in self.marks(choices)]
        if len(marks) == 1:
            return marks[0]
        if self._rule is None:
            raise ValueError("several graders make one mark only by the rule of a panel")
        return combine(marks, self._rule)

    def instrument(self) -> str:
        """By what the response was graded; empty where nobody was asked."""
        members = "; ".join(said[0].instrument for said in self._gradings.values())
        return members if self._rule is None else f"{self._rule} of {members}"

    def flips(self) -> Flips:
        """How many items a grader gives other points when it is asked again."""
        flipped = items = 0
        for said in self._gradings.values():
            verdicts = [grading.verdict for grading in said]
            awarded = [{award.id: award.points for award in of.awards} for of in verdicts]
            for item in self.submission.rubric.items():
                items += 1
                flipped += len({points.get(item.id) for points in awarded}) > 1
        return Flips(flipped, items)


# --- how far graders agree ---

Marks = Mapping[str, Mark]  # what one grader gave, by the key of the submission

_SAME = 1e-9


class Agreement(msgspec.Struct, frozen=True):
    """Two graders. Correlations and ``mae`` are of totals, the rest is of items. ``exact`` is the
    share of items with equal points, ``item_mae`` the mean difference on an item, ``kappa``
    quadratic-weighted, on items with levels or whole points. None where undefined."""

    submissions: int
    items: int
    exact: float | None
    item_mae: float | None
    kappa: float | None
    pearson: float | None
    spearman: float | None
    kendall: float | None
    mae: float | None


def agreement(one: Marks, other: Marks) -> Agreement:
    """How far two graders agree on the submissions that both graded."""
    pairs = [(one[key], other[key]) for key in one if key in other]
    totals = [
        (a.points / a.maximum, b.points / b.maximum)
        for a, b in pairs
        if not a.ungraded and not b.ungraded and a.maximum > 0
    ]
    both = [each for a, b in pairs for each in zip(a.items(), b.items(), strict=True)]
    graded = [(x, y) for x, y in both if x.awarded is not None and y.awarded is not None]
    items = [(x, y) for x, y in graded if x.maximum > 0]
    a, b = _columns(totals)
    shares = [(_awarded(x), _awarded(y)) for x, y in items]
    steps = [(_awarded(x), _awarded(y)) for x, y in items if _is_step(x) and _is_step(y)]
    return Agreement(
        submissions=len(totals),
        items=len(items),
        exact=average([abs(x - y) < _SAME for x, y in shares]),
        item_mae=mae(*_columns(shares)),
        kappa=weighted_kappa(*_columns(steps)),
        pearson=pearson(a, b),
        spearman=spearman(a, b),
        kendall=kendall(a, b),
        mae=mae(a, b),
    )


def pairwise(graders: Mapping[str, Marks]) -> dict[tuple[str, str], Agreement]:
    """Every two graders of a panel."""
    return {(a, b): agreement(graders[a], graders[b]) for a, b in combinations(graders, 2)}


def _is_step(mark: ItemMark) -> bool:
    """Whether an award is a step of a scale: a level, or whole points."""
    return bool(mark.level) or float(mark.awarded or 0.0).is_integer()


def _awarded(mark: ItemMark) -> float:
    return (mark.awarded or 0.0) / mark.maximum


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    made = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return made[:, 0], made[:, 1]
