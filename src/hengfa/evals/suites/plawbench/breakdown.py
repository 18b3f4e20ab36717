"""What only PLawBench asks of the scores of a task: what order costs, what became of items, and
what each way of marking makes of the same verdicts.

It is made of the table of a scored run, so it needs neither the data nor another scoring; rates by
scenario, by order or by matter are break-downs by facet like any other (`hengfa results --by`).

The comparison of order-bound with free questions is the one of the paper's figure 5; but questions
differ in more than order, so what order costs on the very same answers stands beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum
from typing import Final

import msgspec

from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import OrderKind
from hengfa.evals.results.figures import Pooled, Recipe, TaskTable
from hengfa.evals.suites.plawbench.abilities import DIMENSIONS
from hengfa.evals.suites.plawbench.dataset import CASE
from hengfa.evals.suites.plawbench.extract import REASONING
from hengfa.evals.suites.plawbench.rules import (
    MAXIMUM,
    OPEN,
    POINTS,
    RATE,
    WAYS,
    Fate,
    points_by,
    rate_by,
    share,
)

BOUND: Final = frozenset({OrderKind.STRICT, OrderKind.PARTIAL})
STEPS: Final = frozenset({OrderKind.STEPS})
FREE: Final = frozenset({OrderKind.FREE, OrderKind.UNSTATED})
"""What a rubric says of order. Numbered steps without a rule (`steps`) are neither: the paper's
authors numbered steps only where order matters, but the rubric does not make it a condition."""
_MAXIMUM: Final = f"{REASONING}_maximum"
_COST: Final = "cost"
_UNORDERED: Final = points_by(Way.UNORDERED, penalties=True)


_TAKEN: Final = Pooled((_UNORDERED, POINTS, _MAXIMUM), lambda free, own, of: share(free - own, of))
_REASONING: Final = Pooled((f"{REASONING}_points", _MAXIMUM), share)
_OF_REASONING: Final = Recipe(RATE, _REASONING, {_COST: _TAKEN}, OPEN)
_BY_WAY: Final = {rate_by(*way): Pooled((points_by(*way), MAXIMUM), share) for way in WAYS}


class Reasoning(msgspec.Struct, frozen=True):
    """Some questions, and their points of reasoning out of all; None where none is graded."""

    n: int
    rate: float | None


class OrderComparison(msgspec.Struct, frozen=True):
    """Reasoning of order-bound, of numbered and of free questions. `drop` is free less bound,
    `drop_with_steps` the same with numbered steps among the bound. `cost` is what the way of
    marking takes from the bound ones: points of all reasoning points."""

    bound: Reasoning
    steps: Reasoning
    free: Reasoning
    drop: float | None
    drop_with_steps: float | None
    cost: float | None


class WayRates(msgspec.Struct, frozen=True):
    """The rate of a task by one way of marking, with penalties and without; and each less the
    default (`paper` with penalties)."""

    rate: float | None
    without_penalties: float | None
    less_default: float | None
    without_less_default: float | None


class Breakdown(msgspec.Struct, frozen=True):
    """A task: how many samples, how many of them graded, which share of the items of each dimension
    came to what, the rates by each way of marking, and the comparison by order (cases only)."""

    n: int
    graded: int
    profile: dict[str, dict[str, float]]
    ways: dict[str, WayRates]
    order: OrderComparison | None = None


def breakdown(task: str, table: TaskTable) -> Breakdown:
    """Take a task apart, without samples that nobody graded; no rates while items are open."""
    figure = table.figure(Recipe(RATE, more=_fate_shares(task) | _BY_WAY, graded=OPEN))
    return Breakdown(
        n=len(table.by_sample.samples),
        graded=figure.n,
        profile={
            name: {str(fate): figure.more.get(_of(name, fate), 0.0) for fate in Fate}
            for name in DIMENSIONS[task]
            if figure.band is None
        },
        ways={str(way): _way_rates(way, figure.more) for way in Way},
        order=_by_order(table) if task == CASE else None,
    )


def marked_by_ways(table: TaskTable) -> bool:
    """Whether the table has the points by every way, as all have that are scored now."""
    return not table.samples or all(points_by(*way) in table.columns for way in WAYS)


def _way_rates(way: Way, figures: Mapping[str, float]) -> WayRates:
    default = figures.get(rate_by(Way.PAPER, penalties=True))
    rate, without = (figures.get(rate_by(way, penalties=on)) for on in (True, False))
    return WayRates(rate, without, _less(rate, default), _less(without, default))


def _fate_shares(task: str) -> dict[str, Pooled]:
    shares = {}
    for name in DIMENSIONS[task]:
        every = [f"{name}_{fate}" for fate in Fate]
        for fate in Fate:
            of = (f"{name}_{fate}", *every)
            shares[_of(name, fate)] = Pooled(of, lambda part, *every: share(part, fsum(every)))
    return shares


def _of(dimension: str, fate: Fate) -> str:
    return f"{dimension}/{fate}"


def _by_order(table: TaskTable) -> OrderComparison:
    tables = (_of_order(table, kinds) for kinds in (BOUND, STEPS, FREE, BOUND | STEPS))
    bound, steps, free, either = (
        Reasoning(len(of.samples), of.figure(_OF_REASONING).score) for of in tables
    )
    return OrderComparison(
        bound=bound,
        steps=steps,
        free=free,
        drop=_less(free.rate, bound.rate),
        drop_with_steps=_less(free.rate, either.rate),
        cost=_of_order(table, BOUND).figure(_OF_REASONING).more.get(_COST),
    )


def _of_order(table: TaskTable, kinds: Collection[OrderKind]) -> TaskTable:
    rows = [row for row, facets in enumerate(table.facets) if facets.get("order") in kinds]
    return table.only(rows)


def _less(rate: float | None, other: float | None) -> float | None:
    return None if rate is None or other is None else rate - other
