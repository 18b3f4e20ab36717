"""How far graders agree, over many submissions: on single items, and on what they come to.

Totals and items are compared as shares of their maxima, so that rubrics of 35 and of 160 points
weigh the same. What one of the two graders left ungraded is left out of items; a submission counts
among the totals only where both graded all of it, since a band cannot be correlated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

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
from hengfa.evals.grading.rubric import ItemMark, Mark

Marks = Mapping[str, Mark]
"""What one grader gave, by the key of the submission."""

_SAME = 1e-9


class Agreement(msgspec.Struct, frozen=True):
    """Two graders. Correlations and ``mae`` are of totals, the rest is of items.

    ``exact`` is the share of items with equal points, ``item_mae`` the mean difference on an item,
    ``kappa`` quadratic-weighted, on items with levels or whole points. None where undefined.
    """

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
    items = [
        (x, y)
        for a, b in pairs
        for x, y in zip(a.items(), b.items(), strict=True)
        if x.awarded is not None and y.awarded is not None and x.maximum > 0
    ]
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
