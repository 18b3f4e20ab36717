"""When a share is clearly above what is usual: one rule for all hints that count answers."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import median

from hengfa.results.statistics.quantiles import normal_quantile

MARGIN = 0.02
"""A share must be above the usual one by more than this: below it, nothing is worth a review."""
LEAST_ANSWERS = 50
"""Of fewer answers no share is told."""
_LEVEL = 0.05


def clearly_above(count: int, n: int, others: Sequence[float], comparisons: int) -> bool:
    """Whether `count` of `n` is above the median of the others' shares by more than the margin.

    The lower end of Wilson's interval must be, with the level divided by how many comparisons are
    made, so that a long table does not have hints by its length alone.
    """
    if n < LEAST_ANSWERS:
        return False
    usual = median(others) if others else 0.0
    return wilson_low(count, n, _LEVEL / max(1, comparisons)) > usual + MARGIN


def wilson_low(count: int, n: int, level: float) -> float:
    """The lower end of Wilson's one-sided interval of a share."""
    if n == 0:
        return 0.0
    z = normal_quantile(1 - level)
    share, square = count / n, z * z
    centre = share + square / (2 * n)
    reach = z * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, (centre - reach) / (1 + square / n))
