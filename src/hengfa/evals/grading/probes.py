"""Two biases of graders, measured by changing what must not matter.

Position: the same rubric with its items in another order. Length: the same answer with neutral
words after it, or written out several times. Each submission is also graded a second time as it is:
what moves there is noise, and no bias smaller than it can be seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec
import numpy as np

from hengfa.base.statistics.evidence import Bounds, average, evidence_of
from hengfa.evals.grading.attacks import (
    AGAIN,
    CLEAN,
    Interval,
    beside_clean,
    interval_of,
    padding,
    variant,
)
from hengfa.evals.grading.rubric import Mark, Rubric
from hengfa.evals.grading.submission import Submission

_T = TypeVar("_T")
ORDERS: Final = ("reversed", "rotated-1", "rotated-2")
FILLED: Final[Mapping[str, float]] = {
    "filler-0.5": 0.5, "filler-1": 1.0, "filler-2": 2.0, "filler-4": 4.0,
}  # fmt: skip
"""Neutral words, in lengths of the response."""
REPEATED: Final[Mapping[str, int]] = {"repeat-2": 2, "repeat-3": 3}
FILLER, REPEAT = "filler", "repeat"
_SLACK: Final = 1e-9


class Point(NamedTuple):
    """One observation: what was changed, and the share of the maximum that was given."""

    x: float
    rate: float


Unit = tuple[Point, ...]
"""All observations of one item or one response: only what differs within it counts."""


class Slope(msgspec.Struct, frozen=True):
    """Change of the rate when x grows by one; ``units`` are the items or responses it is from."""

    value: float | None
    interval: Interval | None
    units: int


class PositionBias(msgspec.Struct, frozen=True):
    """What another order of the items does to their awards, in shares of the items' maxima.
    ``changed`` is the share of awards that differ from those in the rubric's own order, ``moved``
    how far they do on average; the two of noise are from asking again in that order. ``trend`` is
    what an item gains from standing last instead of first. ``ungraded`` awards are left out."""

    submissions: int
    compared: int
    ungraded: int
    changed: float | None
    moved: float | None
    noise_changed: float | None
    noise_moved: float | None
    trend: Slope


class LengthRow(msgspec.Struct, frozen=True):
    """One way to lengthen responses: how far the rate moves against the responses as they are."""

    variant: str
    compared: int
    times_as_long: float | None
    shift: float | None


class LengthBias(msgspec.Struct, frozen=True):
    """What length does to marks; slopes are per doubling of the length."""

    submissions: int
    ungraded: int
    rows: tuple[LengthRow, ...]
    slopes: dict[str, Slope]


def position_variants(submissions: Iterable[Submission]) -> list[Submission]:
    def change(one: Submission) -> Iterable[Submission]:
        return (variant(one, order, rubric=reorder(one.rubric, order)) for order in ORDERS)

    return beside_clean(submissions, change)


def length_variants(submissions: Iterable[Submission]) -> list[Submission]:
    def change(one: Submission) -> Iterable[Submission]:
        return (variant(one, name, response=text) for name, text in _lengthened(one.response))

    return beside_clean(submissions, change)


def reorder(rubric: Rubric, order: str) -> Rubric:
    """The rubric in another order: its sections, and the items of each. Nothing else changes."""
    sections = tuple(
        msgspec.structs.replace(section, items=_turned(section.items, order))
        for section in _turned(rubric.sections, order)
    )
    return msgspec.structs.replace(rubric, sections=sections)


def position_bias(submissions: Sequence[Submission], marks: Mapping[str, Mark]) -> PositionBias:
    units: list[Unit] = []
    moved: list[float] = []
    noise: list[float] = []
    ungraded = 0
    for submission in submissions:
        seen = {order: _places(reorder(submission.rubric, order)) for order in ORDERS}
        seen[CLEAN] = _places(submission.rubric)
        rates = {order: _item_rates(marks[f"{submission.key}/{order}"]) for order in (AGAIN, *seen)}
        ungraded += sum(rate is None for of_order in rates.values() for rate in of_order.values())
        for item, place in seen[CLEAN].items():
            base = rates[CLEAN][item]
            if base is None:
                continue
            points = [Point(place, base)]
            if (again := rates[AGAIN][item]) is not None:
                noise.append(abs(again - base))
            for order in ORDERS:
                if (rate := rates[order][item]) is not None:
                    moved.append(abs(rate - base))
                    points.append(Point(seen[order][item], rate))
            units.append(tuple(points))
    return PositionBias(
        submissions=len(submissions),
        compared=len(moved),
        ungraded=ungraded,
        changed=average([shift > _SLACK for shift in moved]),
        moved=average(moved),
        noise_changed=average([shift > _SLACK for shift in noise]),
        noise_moved=average(noise),
        trend=_slope(units, "position"),
    )


def length_bias(submissions: Sequence[Submission], marks: Mapping[str, Mark]) -> LengthBias:
    """From the marks of all length variants, by key."""
    shifts: dict[str, list[Point]] = {name: [] for name in (AGAIN, *FILLED, *REPEATED)}
    units: dict[str, list[Unit]] = {FILLER: [], REPEAT: []}
    ungraded = 0
    for submission in submissions:
        base = _rate(marks[f"{submission.key}/{CLEAN}"])
        length, texts = max(1, len(submission.response)), _lengthened(submission.response)
        lengths = {AGAIN: 1.0} | {name: len(text) / length for name, text in texts}
        rates = {name: _rate(marks[f"{submission.key}/{name}"]) for name in shifts}
        ungraded += sum(rate is None for rate in (base, *rates.values()))
        if base is None:
            continue
        known = {name: rate for name, rate in rates.items() if rate is not None}
        for name, rate in known.items():
            shifts[name].append(Point(lengths[name], rate - base))
        for kind, names in ((FILLER, FILLED), (REPEAT, REPEATED)):
            longer = (
                Point(math.log2(lengths[name]), known[name]) for name in names if name in known
            )
            units[kind].append((Point(0.0, base), *longer))
    rows = []
    for name, points in shifts.items():
        as_long, shift = (average([point[place] for point in points]) for place in (0, 1))
        rows.append(LengthRow(name, len(points), as_long, shift))
    slopes = {kind: _slope(of_kind, kind) for kind, of_kind in units.items()}
    return LengthBias(len(submissions), ungraded, tuple(rows), slopes)


def _lengthened(response: str) -> Iterable[tuple[str, str]]:
    for name, share in FILLED.items():
        yield name, f"{response}\n\n{padding(max(1, round(len(response) * share)))}"
    for name, times in REPEATED.items():
        yield name, "\n\n".join([response] * times)


def _turned(values: tuple[_T, ...], order: str) -> tuple[_T, ...]:
    if order == "reversed":
        return values[::-1]
    thirds = 1 if order == "rotated-1" else 2
    cut = math.ceil(len(values) * thirds / 3)
    return values[cut:] + values[:cut]


def _places(rubric: Rubric) -> dict[str, float]:
    """Where each item stands in the list: 0 first, 1 last."""
    ids = [item.id for item in rubric.items()]
    return {name: place / max(1, len(ids) - 1) for place, name in enumerate(ids)}


def _item_rates(mark: Mark) -> dict[str, float | None]:
    items = mark.items()
    return {of.id: None if of.awarded is None else of.awarded / of.maximum for of in items}


def _rate(mark: Mark) -> float | None:
    return None if mark.ungraded else mark.points / mark.maximum


def _slope(units: Sequence[Unit], purpose: str) -> Slope:
    """Least squares with a level of its own for each unit: what an item is worth says nothing. The
    slope is a figure of sums: of what each unit has in common with x, by how x spreads. Rates from
    0 to 1 limit how steep it can be."""
    parts = [_parts(unit) for unit in units if len({point.x for point in unit}) > 1]
    if not parts:
        return Slope(None, None, 0)
    down, across, most = map(math.fsum, zip(*parts, strict=True))
    change = evidence_of(
        [str(number) for number in range(len(parts))],
        [in_common / spread for in_common, spread, _ in parts],
        parts=[(in_common, spread) for in_common, spread, _ in parts],
        bounds=Bounds(-most / across, most / across),
    )
    return Slope(down / across, interval_of(change, purpose), len(parts))


def _parts(unit: Unit) -> tuple[float, float, float]:
    """What a unit adds to a slope: in common with x, spread of x, and the most in common."""
    x, rate = np.array(unit).T
    x = x - x.mean()
    return float(x @ (rate - rate.mean())), float(x @ x), float(x.clip(0.0).sum())
