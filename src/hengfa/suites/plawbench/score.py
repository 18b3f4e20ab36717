"""What graders said of a response, to metrics; metrics to figures: pure (PLawBench spec 5).

A rate is points out of points, summed over samples before it is divided. Where no grader was asked
every metric that needs one is None: a response that nobody graded is no zero. Items that a grader
left out count as zero in `rate` and as full in `lenient_rate`; both are given, always.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from hengfa.grading.marking import Choices, mark
from hengfa.grading.marks import Flag, Mark
from hengfa.grading.panel import combine
from hengfa.grading.verdict import Sheet
from hengfa.suites.base import BACKED_RATE, LENIENT_RATE, UNGRADED_RATE, Metrics, Pooled
from hengfa.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PLAINTIFF,
    PLawBenchSample,
)
from hengfa.suites.plawbench.dimensions import DIMENSIONS, Fate, by_dimension, fates
from hengfa.suites.plawbench.submissions import submission

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck

RATE: Final = "rate"
POINTS, LENIENT, BACKED, MAXIMUM = "points", "lenient_points", "backed_points", "maximum"
ITEMS, UNGRADED, ORDER_COST = "items", "ungraded", "order_cost"
PENALISED, WRONG_LAW = "penalised", "wrong_law"
_POINTS, _MAXIMUM, _RATE = "_points", "_maximum", "_rate"
"""What a dimension's metrics and figures end with."""

_LAW_FLAGS: Final = frozenset({Flag.NO_SUCH_LAW, Flag.NOT_IN_FORCE, Flag.MISQUOTED})

WEIGHTS: Final[Mapping[str, float]] = {"plc": 0.2, "pca": 0.5, "ldg": 0.3}
"""How much each task counts in the overall figure."""


def share(part: float, whole: float) -> float:
    """Nothing out of nothing is nothing."""
    return part / whole if whole else 0.0


POOLED: Final = Pooled((POINTS, MAXIMUM), share)


def more_figures(task: str) -> dict[str, Pooled]:
    """The other rates of a task: the band, what has evidence, the share ungraded, dimensions."""
    found = {
        LENIENT_RATE: Pooled((LENIENT, MAXIMUM), share),
        BACKED_RATE: Pooled((BACKED, MAXIMUM), share),
        UNGRADED_RATE: Pooled((UNGRADED, ITEMS), share),
        "order_cost_rate": Pooled((ORDER_COST, MAXIMUM), share),
    }
    for name in DIMENSIONS[task]:
        found[name + _RATE] = Pooled((name + _POINTS, name + _MAXIMUM), share)
    return found


def marked(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    law: LawCheck | None = None,
) -> Mark:
    """One mark from what all graders said."""
    graded = submission(sample, response)
    marks = [mark(graded, sheet, Choices(order=order, law=law)) for sheet in sheets]
    return marks[0] if len(marks) == 1 else combine(marks, sample.panel)


def graded_metrics(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    evidence: bool,
    law: LawCheck | None = None,
) -> Metrics:
    """All metrics of a graded response.

    `order` enforces the order of steps; `evidence` leaves awards out that have none. What order
    costs is measured either way. With `law`, wrong citations behind awards are counted.
    """
    ordered = marked(sample, response, sheets, order=True, law=law)
    free = marked(sample, response, sheets, order=False)
    chosen = ordered if order else free
    points = chosen.backed if evidence else chosen.points
    metrics: dict[str, float | None] = {
        RATE: share(points, chosen.maximum),
        POINTS: points,
        LENIENT: points + chosen.lenient - chosen.points,
        BACKED: chosen.backed,
        MAXIMUM: chosen.maximum,
        ITEMS: float(len(chosen.items())),
        UNGRADED: float(chosen.ungraded),
        ORDER_COST: free.points - ordered.points,
        PENALISED: float(_is_penalised(sample, chosen)),
        WRONG_LAW: None if law is None else float(_wrong_law(ordered)),
    }
    for name, part in by_dimension(sample.task, chosen).items():
        metrics[name + _POINTS] = part.backed if evidence else part.points
        metrics[name + _MAXIMUM] = part.maximum
    # An item counts as misplaced wherever order is asked for, whether or not that cost points.
    counted = fates(sample.task, ordered)
    for name in DIMENSIONS[sample.task]:
        for fate in Fate:
            metrics[f"{name}_{fate}"] = float(counted[name, fate])
    return metrics


def zero_metrics(sample: PLawBenchSample) -> Metrics:
    """Silence: nothing out of everything, and every item at zero."""
    nothing = _unanswered(sample)
    metrics = dict(graded_names(sample.task))
    for name, part in by_dimension(sample.task, nothing).items():
        metrics |= {name + _POINTS: 0.0, name + _MAXIMUM: part.maximum}
        metrics |= {f"{name}_{fate}": 0.0 for fate in Fate}
    for (name, _), number in fates(sample.task, nothing).items():
        metrics[f"{name}_{Fate.ZERO}"] = float(number)
    zeros = (RATE, POINTS, LENIENT, BACKED, UNGRADED, ORDER_COST, PENALISED)
    return (
        metrics
        | dict.fromkeys(zeros, 0.0)
        | {
            MAXIMUM: nothing.maximum,
            ITEMS: float(len(nothing.items())),
        }
    )


def graded_names(task: str) -> dict[str, float | None]:
    """Every metric that needs a grader, without a value: nobody was asked."""
    names = [RATE, POINTS, LENIENT, BACKED, MAXIMUM, ITEMS, UNGRADED]
    names += [ORDER_COST, PENALISED, WRONG_LAW]
    for dimension in DIMENSIONS[task]:
        names += [dimension + _POINTS, dimension + _MAXIMUM]
        names += [f"{dimension}_{fate}" for fate in Fate]
    return dict.fromkeys(names)


def _unanswered(sample: PLawBenchSample) -> Mark:
    """The mark of a response of which no item has an award: it has every maximum."""
    return mark(submission(sample, ""), Sheet(""))


def _is_penalised(sample: PLawBenchSample, one: Mark) -> bool:
    penalties = {penalty.id for penalty in sample.rubric.penalties}
    return not penalties.isdisjoint(one.faults)


def _wrong_law(one: Mark) -> int:
    return sum(not _LAW_FLAGS.isdisjoint(item.flags) for item in one.items())


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The three tasks under the paper's names and the overall, each where its parts are there."""
    found: dict[str, float] = {}
    if CONSULTATION in task_scores:
        found["plc"] = task_scores[CONSULTATION]
    if CASE in task_scores:
        found["pca"] = task_scores[CASE]
    if PLAINTIFF in task_scores and DEFENDANT in task_scores:
        found["ldg"] = (task_scores[PLAINTIFF] + task_scores[DEFENDANT]) / 2
    if found.keys() == WEIGHTS.keys():
        found["overall"] = sum(weight * found[name] for name, weight in WEIGHTS.items())
    return found
