"""How far two raters, or two figures of many models, go together.

Where models are the points, the interval asks what the correlation would be among all models of the
kind, of which these are a random draw. Few papers have many models, so it is mostly wide.

- Pearson: Fisher's z, r → artanh r with variance 1 / (n - 3). It supposes that both figures are
  normal together; heavy tails make it too narrow.
- Spearman: the same with the variance (1 + r² / 2) / (n - 3) of Bonett and Wright (2000). It asks
  for no normality, but for :data:`LEAST_FOR_RANKS` models: with fewer, equal orders are too common.

`docs/papers.md` has the simulated coverage of these and of the bootstrap, which misses too often
at every n that papers have.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hengfa.base.statistics.intervals import normal_quantile

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


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of labels without an order: 1 is agreement, 0 what chance gives.

    Chance is that of two raters who label at random, each as often as they did. None where both
    always say the same one thing, for then chance agrees as well.
    """
    if not one:
        return None
    same = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    counts, others = Counter(one), Counter(other)
    chance = sum(count * others[label] for label, count in counts.items()) / len(one) ** 2
    return None if chance == 1 else (same - chance) / (1 - chance)


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


LEAST = 4
"""Fewer points have no correlation worth the name, and Fisher's interval does not exist."""
LEAST_FOR_RANKS = 8
FEW = 12
"""Below this a warning goes with the figures."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation and its 95 % interval, None where there is none to give."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Association:
    """How two figures go together over `n` models; `warnings` say what to be careful about."""

    n: int
    pearson: Correlation | None
    spearman: Correlation | None
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"warnings": list(self.warnings)}


def associate(models: Sequence[str], x: Sequence[float], y: Sequence[float]) -> Association:
    """Correlate two figures of the same models; no figures below :data:`LEAST` points."""
    n, warnings = len(models), []
    if n < LEAST:
        return Association(n, None, None, (f"{n} points are too few for a correlation",))
    if n < FEW:
        warnings.append(f"only {n} points: one more model may change the picture")
    if repeated := n - len(set(models)):
        warnings.append(
            f"{repeated} of the {n} points are of a model that has another one: points that belong "
            "together say less than the intervals suppose"
        )
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    straight, ranked = pearson(one, other), spearman(one, other)
    if straight is None or ranked is None:
        return Association(n, None, None, (*warnings, "a figure is the same for all models"))
    by_rank = Correlation(ranked, None, None)
    if n >= LEAST_FOR_RANKS:
        by_rank = _with_interval(ranked, (1 + ranked**2 / 2) / (n - 3))
    return Association(n, _with_interval(straight, 1 / (n - 3)), by_rank, tuple(warnings))


def _with_interval(value: float, variance: float) -> Correlation:
    """Symmetric on the scale of artanh, where a perfect correlation is infinitely far away."""
    if abs(value) >= 1 - 1e-12:
        return Correlation(value, None, None)
    centre, reach = math.atanh(value), normal_quantile(0.975) * math.sqrt(variance)
    return Correlation(value, math.tanh(centre - reach), math.tanh(centre + reach))
