"""Graded samples of a task taken apart: by scenario, by order, by dimension, by fate of items.

Rates are points out of points, as everywhere in this suite. The comparison of order-bound with free
questions is the one of the paper's figure 5; but questions differ in more than order, so what order
costs on the very same answers stands beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import Final, cast

import msgspec

from hengfa.grading.rubric import OrderKind
from hengfa.suites.plawbench import score
from hengfa.suites.plawbench.dataset import CASE, PLawBenchSample
from hengfa.suites.plawbench.extract import REASONING
from hengfa.suites.plawbench.score import DIMENSIONS, Fate
from hengfa.suites.scoring import Scored

BOUND: Final = frozenset({OrderKind.STRICT, OrderKind.PARTIAL})
FREE: Final = frozenset({OrderKind.FREE, OrderKind.UNSTATED})
"""What a rubric says of order. Numbered steps without a rule (`steps`) are neither: the paper's
authors numbered steps only where order matters, but the rubric does not make it a condition."""


class Rates(msgspec.Struct, frozen=True):
    """Some samples together. `lenient` takes ungraded items for full, `backed` leaves awards out
    that have no evidence; all are None where nothing was graded."""

    n: int
    rate: float | None
    lenient: float | None
    backed: float | None
    dimensions: dict[str, float]


class OrderComparison(msgspec.Struct, frozen=True):
    """Reasoning rates of order-bound, of numbered and of free questions.

    `drop` is free less bound, `drop_with_steps` the same with numbered steps among the bound.
    `cost` is what enforcing order takes from the bound ones: points of all reasoning points.
    """

    bound: Rates
    steps: Rates
    free: Rates
    drop: float | None
    drop_with_steps: float | None
    cost: float | None


class Breakdown(msgspec.Struct, frozen=True):
    """A task: its rates, rates by group, the comparison by order (cases only), and the profile.

    `profile` says, for each dimension, which share of its items came to what.
    """

    n: int
    graded: int
    whole: Rates
    groups: dict[str, dict[str, Rates]]
    profile: dict[str, dict[str, float]]
    order: OrderComparison | None = None


def breakdown(task: str, scored: Sequence[Scored]) -> Breakdown:
    """Take a task's scored samples apart."""
    graded = [response for response in scored if response.metrics[score.RATE] is not None]
    groups = {"label": _grouped(task, scored, lambda sample: sample.label)}
    if task == CASE:
        groups["order"] = _grouped(task, scored, lambda sample: str(sample.order))
    return Breakdown(
        n=len(scored),
        graded=len(graded),
        whole=rates(task, scored),
        groups={name: group for name, group in groups.items() if set(group) != {""}},
        profile={name: _profile(name, graded) for name in DIMENSIONS[task]},
        order=_by_order(scored) if task == CASE else None,
    )


def rates(task: str, scored: Sequence[Scored]) -> Rates:
    """The rates of some samples; those that nobody graded are left out."""
    names = DIMENSIONS[task]
    found = {name: _rate(scored, f"{name}_points", f"{name}_maximum") for name in names}
    return Rates(
        n=len(scored),
        rate=_rate(scored, score.POINTS, score.MAXIMUM),
        lenient=_rate(scored, score.LENIENT, score.MAXIMUM),
        backed=_rate(scored, score.BACKED, score.MAXIMUM),
        dimensions={name: rate for name, rate in found.items() if rate is not None},
    )


def _by_order(scored: Sequence[Scored]) -> OrderComparison:
    bound = [response for response in scored if _sample(response).order in BOUND]
    steps = [response for response in scored if _sample(response).order is OrderKind.STEPS]
    free = [response for response in scored if _sample(response).order in FREE]
    return OrderComparison(
        bound=rates(CASE, bound),
        steps=rates(CASE, steps),
        free=rates(CASE, free),
        drop=_drop(free, bound),
        drop_with_steps=_drop(free, [*bound, *steps]),
        cost=_rate(bound, score.ORDER_COST, f"{REASONING}_maximum"),
    )


def _drop(free: Sequence[Scored], bound: Sequence[Scored]) -> float | None:
    higher, lower = (
        _rate(some, f"{REASONING}_points", f"{REASONING}_maximum") for some in (free, bound)
    )
    return None if higher is None or lower is None else higher - lower


def _grouped(
    task: str, scored: Iterable[Scored], key: Callable[[PLawBenchSample], str]
) -> dict[str, Rates]:
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for response in scored:
        found[key(_sample(response))].append(response)
    return {name: rates(task, members) for name, members in sorted(found.items())}


def _profile(dimension: str, scored: Sequence[Scored]) -> dict[str, float]:
    counts = {fate: _sum(scored, f"{dimension}_{fate}") for fate in Fate}
    items = fsum(counts.values())
    return {str(fate): score.share(number, items) for fate, number in counts.items()}


def _rate(scored: Iterable[Scored], part: str, whole: str) -> float | None:
    graded = [sample for sample in scored if sample.metrics[score.RATE] is not None]
    maximum = _sum(graded, whole)
    return _sum(graded, part) / maximum if maximum else None


def _sum(scored: Iterable[Scored], metric: str) -> float:
    return fsum(sample.metrics[metric] or 0.0 for sample in scored)


def _sample(scored: Scored) -> PLawBenchSample:
    return cast("PLawBenchSample", scored.sample)
