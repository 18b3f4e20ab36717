"""How far two raters agree: six figures with their intervals, or why there is none.

Figures (all of shares of the maximum, in percent for MAE and bias):

pearson   whether higher goes with higher, on a line: 1 always, 0 not at all, -1 the reverse
spearman  the same of ranks; kendall: of all pairs, those in the same order less those reversed
mae       how far a rating is off, on the average
bias      by how much the rated is above the target, on the average
kappa     agreement beyond chance with squared distances as weights: 1 always, 0 as chance would.
          Of equally spaced levels it is the quadratic-weighted kappa; it takes the values as they
          are, so the mean of several people needs no rounding (it is then Lin's concordance).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import numpy as np

from hengfa.grading.people.calibration_bootstrap import (
    FIGURES,
    MOST_PAIRS,
    RESAMPLES,
    Array,
    Whole,
    resampled,
    resampled_means,
)
from hengfa.grading.people.calibration_ratings import Unit
from hengfa.results.statistics.correlation import kendall, mae, pearson, spearman, weighted_kappa

FEWEST: Final = 3
"""Two points always lie on a line."""
_UNDEFINED_SHARE: Final = 0.05
_IN_PERCENT: Final = {"mae", "bias"}


class Estimate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure with its interval; ``why`` says what is missing of it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


def agreement(
    target: Mapping[Unit, float],
    rated: Mapping[Unit, float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    models: Mapping[str, str] | None = None,
) -> tuple[int, int, dict[str, Estimate]]:
    """Units, submissions and figures of two raters' shares of the same units.

    With ``models`` (submission to model), the means of models are compared instead.
    """
    units = sorted(target.keys() & rated.keys())
    if models is not None:
        units = [unit for unit in units if unit[0] in models]
    x = np.array([target[unit] for unit in units])
    y = np.array([rated[unit] for unit in units])
    submissions = sorted({unit[0] for unit in units})
    if models is None:
        number = {name: place for place, name in enumerate(submissions)}
        cluster = np.array([number[unit[0]] for unit in units], dtype=np.int64)
        return len(units), len(submissions), _figures(x, y, cluster, seed, resamples)
    names = sorted({models[unit[0]] for unit in units})
    group = np.array([names.index(models[unit[0]]) for unit in units], dtype=np.int64)
    return len(names), len(submissions), _figures_of_means(x, y, group, seed, resamples)


def _bias(target: Array, rated: Array) -> float | None:
    return float((rated - target).mean()) if len(target) else None


_FUNCTIONS: Final[dict[str, Callable[[Array, Array], float | None]]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "mae": mae,
    "bias": _bias,
    "kappa": weighted_kappa,
}


def _figures(x: Array, y: Array, cluster: Whole, seed: int, resamples: int) -> dict[str, Estimate]:
    many = int(cluster.max()) + 1
    if many < FEWEST:
        return _without_interval(x, y, f"needs {FEWEST} submissions")
    drawn = resampled(x, y, cluster, seed=seed, resamples=resamples)
    return {name: _estimate(name, x, y, drawn[name]) for name in FIGURES}


def _figures_of_means(
    x: Array, y: Array, group: Whole, seed: int, resamples: int
) -> dict[str, Estimate]:
    sizes = np.bincount(group)
    means_x = np.bincount(group, x) / sizes
    means_y = np.bincount(group, y) / sizes
    if len(sizes) < FEWEST:
        return _without_interval(means_x, means_y, f"needs {FEWEST} models")
    drawn = resampled_means(x, y, group, seed=seed, resamples=resamples)
    return {name: _estimate(name, means_x, means_y, drawn[name]) for name in FIGURES}


def _without_interval(x: Array, y: Array, why: str) -> dict[str, Estimate]:
    """Of one or two units: distances mean something, correlations do not."""
    return {
        name: Estimate(_scaled(name, _FUNCTIONS[name](x, y)), why=why)
        if name in _IN_PERCENT
        else Estimate(None, why=why)
        for name in FIGURES
    }


def _estimate(name: str, x: Array, y: Array, drawn: Array) -> Estimate:
    value = _scaled(name, _FUNCTIONS[name](x, y))
    if value is None:
        return Estimate(None, why=_why_undefined(x, y))
    defined = drawn[np.isfinite(drawn)]
    missing = 1 - len(defined) / len(drawn)
    if name == "kendall" and not len(defined):
        return Estimate(value, why=f"no interval with more than {MOST_PAIRS:,} distinct pairs")
    if missing > _UNDEFINED_SHARE:
        return Estimate(value, why=f"no interval: undefined in {missing:.0%} of resamples")
    low, high = (_scaled(name, float(one)) for one in np.percentile(defined, [2.5, 97.5]))
    return Estimate(value, low, high)


def _why_undefined(x: Array, y: Array) -> str:
    if len(np.unique(x)) == 1:
        return "the target is the same for all"
    if len(np.unique(y)) == 1:
        return "the rater gave all the same"
    return "not defined"


def _scaled(name: str, value: float | None) -> float | None:
    return value * 100 if value is not None and name in _IN_PERCENT else value
