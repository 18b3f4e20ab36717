"""How far two raters agree: pure statistics over paired numbers.

Written with numpy alone. They are a few lines each, and scipy would be the largest part of an
installation for their sake; the tests compare them with figures worked out by hand.

All take arrays of equal length and give None where the figure is not defined: fewer than two pairs,
or a rater who always says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]

_ROWS = 1024


def pearson(one: Numbers, other: Numbers) -> float | None:
    """How well a straight line maps one on the other: 1 perfectly, 0 not at all, below 0 falling.

    It does not see that a rater is always too generous; :func:`mae` and :func:`weighted_kappa` do.
    """
    if len(one) < 2:
        return None
    a, b = one - one.mean(), other - other.mean()
    spread = float(np.sqrt(a @ a) * np.sqrt(b @ b))
    if not spread or _is_constant(one) or _is_constant(other):
        return None
    return float(np.clip(a @ b / spread, -1.0, 1.0))


def spearman(one: Numbers, other: Numbers) -> float | None:
    """Pearson's correlation of ranks: whether both put things in the same order. Ties share."""
    return pearson(_ranks(one), _ranks(other))


def kendall(one: Numbers, other: Numbers) -> float | None:
    """Kendall's tau-b: pairs in the same order less pairs in opposite order, ties accounted for."""
    n = len(one)
    agreed = ties_one = ties_other = 0.0
    for start in range(0, n, _ROWS):
        rows = slice(start, start + _ROWS)
        a = np.sign(one[rows, None] - one[None, :])
        b = np.sign(other[rows, None] - other[None, :])
        agreed += float((a * b).sum())
        ties_one += float((a != 0).sum())
        ties_other += float((b != 0).sum())
    if not ties_one or not ties_other:
        return None
    return float(np.clip(agreed / np.sqrt(ties_one * ties_other), -1.0, 1.0))


def mae(one: Numbers, other: Numbers) -> float | None:
    """The mean absolute difference, in the unit of the numbers."""
    return float(np.abs(one - other).mean()) if len(one) else None


def weighted_kappa(one: Numbers, other: Numbers) -> float | None:
    """Cohen's kappa with quadratic weights: 1 is agreement, 0 what chance gives, below 0 worse.

    A disagreement weighs as the square of the difference of the numbers themselves, so grades must
    be given by their worth (0, 10, 20). With these weights it equals Lin's concordance coefficient,
    and no table of categories is needed. None also where both always say the same one thing.
    """
    if len(one) < 2:
        return None
    apart = float(((one - other) ** 2).mean())
    chance = float(one.var() + other.var() + (one.mean() - other.mean()) ** 2)
    if not chance or (_is_constant(one) and _is_constant(other) and one[0] == other[0]):
        return None
    return 1.0 - apart / chance


def krippendorff(units: Sequence[Numbers]) -> float | None:
    """Krippendorff's alpha for numbers: 1 is agreement, 0 what chance gives, below 0 worse.

    Each unit holds what was said of one thing, by however many raters; a unit with a single rating
    says nothing of agreement and is passed over.
    """
    rated = [unit for unit in units if len(unit) > 1]
    if not rated:
        return None
    everything = np.concatenate(rated)
    n = len(everything)
    within = sum(len(unit) ** 2 * float(unit.var()) / (len(unit) - 1) for unit in rated)
    among = n**2 * float(everything.var()) / (n - 1)
    return None if _is_constant(everything) else 1.0 - within / among


def _is_constant(numbers: Numbers) -> bool:
    return bool((numbers == numbers[0]).all())


def _ranks(numbers: Numbers) -> Numbers:
    """Ranks from 1, equal numbers sharing the mean of theirs."""
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Numbers = (last - (counts - 1) / 2)[place]
    return shared
