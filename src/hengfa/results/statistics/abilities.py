"""Do abilities go together? Correlation of two figures across models, with intervals.

Each model is one point, and the interval asks what the correlation would be among all models of the
kind, of which these are a random draw. Few papers have many models, so it is mostly wide.

- Pearson: Fisher's z, r → artanh r with variance 1 / (n - 3). It supposes that both figures are
  normal together; heavy tails make it too narrow.
- Spearman: the same with the variance (1 + r² / 2) / (n - 3) of Bonett and Wright (2000). It asks
  for no normality, but for :data:`LEAST_FOR_RANKS` models: with fewer, equal orders are too common.

`docs/published.md` has the simulated coverage of these and of the bootstrap, which misses too often
at every n that papers have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hengfa.results.statistics.correlation import pearson, spearman
from hengfa.results.statistics.quantiles import normal_quantile

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

    def as_json(self) -> dict[str, float | None]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Association:
    """How two figures go together over `n` models; `warnings` say what to be careful about."""

    n: int
    pearson: Correlation | None
    spearman: Correlation | None
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "pearson": self.pearson and self.pearson.as_json(),
            "spearman": self.spearman and self.spearman.as_json(),
            "warnings": list(self.warnings),
        }


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
    return Association(
        n,
        _with_interval(straight, 1 / (n - 3)),
        _with_interval(ranked, (1 + ranked**2 / 2) / (n - 3))
        if n >= LEAST_FOR_RANKS
        else Correlation(ranked, None, None),
        tuple(warnings),
    )


def _with_interval(value: float, variance: float) -> Correlation:
    """Symmetric on the scale of artanh, where a perfect correlation is infinitely far away."""
    if abs(value) >= 1 - 1e-12:
        return Correlation(value, None, None)
    centre, reach = math.atanh(value), normal_quantile(0.975) * math.sqrt(variance)
    return Correlation(value, math.tanh(centre - reach), math.tanh(centre + reach))
