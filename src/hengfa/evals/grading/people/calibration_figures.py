"""How far two raters agree: six figures with their intervals, or why there is none ("What the
figures mean" in docs/grading.md).

Kappa has squared distances as weights. Of equally spaced levels it is the quadratic-weighted kappa;
it takes the values as they are, so the mean of several people needs no rounding (it is then Lin's
concordance).

Submissions are drawn with replacement, and each brings all its items with it, because the items of
one response are not independent of each other. MAE and bias are means, and have the interval that
all means have here (docs/statistics.md). Correlations and kappa are no means, and neither are
figures of the means of models: their intervals hold 95 of 100 resamples. A resample is nothing but
how often each submission was drawn, and every figure follows from how often each *pair* of ratings
occurs then: sums are matrix products, ranks are cumulative counts, and Kendall's tau is a quadratic
form. That is why ten thousand resamples of five hundred submissions take seconds, ties and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.base.statistics import intervals
from hengfa.base.statistics.correlation import kendall, mae, pearson, spearman, weighted_kappa
from hengfa.base.statistics.evidence import SHARE, Bounds, evidence_of
from hengfa.base.statistics.intervals import estimate, estimate_of_difference, sampled, times_drawn

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Unit = tuple[str, str]
"""Submission and item; the item is empty where the submission is rated as a whole."""
FIGURES: Final = ("pearson", "spearman", "kendall", "mae", "bias", "kappa")
_MEANS: Final = ("mae", "bias")
RESAMPLES: Final = 10_000
_CHUNK_CELLS: Final = 2_000_000  # numbers held at once; more would only wait for memory
MOST_PAIRS: Final = 6_000
"""Kendall's matrix grows with the square of the distinct pairs: beyond this it has no interval."""
FEWEST: Final = 3  # two points always lie on a line
_UNDEFINED_SHARE: Final = 0.05


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
    """Units, submissions and figures of two raters' shares of the same units. With ``models``
    (submission to model), the means of models are compared instead."""
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


def same_share(
    one: Mapping[Unit, float], other: Mapping[Unit, float], *, seed: int, resamples: int
) -> Estimate:
    """In how many of 100 items both gave the same, with the interval of a score."""
    units = sorted(one.keys() & other.keys())
    equal = np.array([float(one[unit] == other[unit]) for unit in units])
    ids = [str(number) for number in range(len(units))]
    evidence = evidence_of(ids, equal, [unit[0] for unit in units], bounds=SHARE)
    (drawn,) = sampled([evidence], "same", seed=seed, draws=resamples)
    return _in_percent(float(equal.mean()), estimate(drawn))


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
    means = _means(x, y, cluster, seed, resamples)
    return {
        name: means[name] if name in _MEANS else _estimate(name, x, y, drawn[name])
        for name in FIGURES
    }


def _means(x: Array, y: Array, cluster: Whole, seed: int, draws: int) -> dict[str, Estimate]:
    """Mean distances, with the interval of a score, and mean differences."""
    gap = y - x
    limited = bool(np.abs(gap).max() <= 1)
    units = [str(number) for number in range(len(gap))]
    submissions = [str(number) for number in cluster]
    distances = evidence_of(units, np.abs(gap), submissions, bounds=SHARE if limited else None)
    biases = evidence_of(units, gap, submissions, bounds=Bounds(-1, 1) if limited else None)
    (mae_drawn,) = sampled([distances], "mae", seed=seed, draws=draws)
    of_biases = estimate_of_difference(biases, "bias", seed=seed, draws=draws)
    mean_gap = _in_percent(mae(x, y), estimate(mae_drawn))
    return {"mae": mean_gap, "bias": _in_percent(_bias(x, y), of_biases)}


def _in_percent(value: float | None, interval: intervals.Estimate) -> Estimate:
    """A figure of shares with the interval of a score, or with what that says of its lack."""
    shares = (value, interval.low, interval.high)
    value, low, high = (None if share is None else 100 * share for share in shares)
    return Estimate(value, low, high, interval.note if low is None else "")


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
    values = {name: _scale(name, _FUNCTIONS[name](x, y)) for name in _MEANS}
    return {name: Estimate(values.get(name), why=why) for name in FIGURES}


def _estimate(name: str, x: Array, y: Array, drawn: Array) -> Estimate:
    value = _scale(name, _FUNCTIONS[name](x, y))
    if value is None:
        why = "not defined"
        if len(np.unique(y)) == 1:
            why = "the rater gave all the same"
        if len(np.unique(x)) == 1:
            why = "the target is the same for all"
        return Estimate(None, why=why)
    defined = drawn[np.isfinite(drawn)]
    missing = 1 - len(defined) / len(drawn)
    if name == "kendall" and not len(defined):
        return Estimate(value, why=f"no interval with more than {MOST_PAIRS:,} distinct pairs")
    if missing > _UNDEFINED_SHARE:
        return Estimate(value, why=f"no interval: undefined in {missing:.0%} of resamples")
    low, high = (_scale(name, float(bound)) for bound in np.percentile(defined, [2.5, 97.5]))
    return Estimate(value, low, high)


def _scale(name: str, value: float | None) -> float | None:
    return value * 100 if value is not None and name in _MEANS else value


def resampled(
    target: Array, rated: Array, cluster: Whole, *, seed: int, resamples: int = RESAMPLES
) -> dict[str, Array]:
    """Each figure but means in each resample of clusters; NaN where it is not defined. ``cluster``
    numbers the submissions from 0, without gaps."""
    table = _Pairs(target, rated, cluster)
    clusters, random = int(cluster.max()) + 1, np.random.default_rng(seed)
    chunks = times_drawn(random, clusters, clusters, resamples, table.width)
    return _join(table.figures(times) for times in chunks)


def _join(chunks: Iterable[Mapping[str, Array]]) -> dict[str, Array]:
    parts = list(chunks)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def resampled_means(
    target: Array, rated: Array, group: Whole, *, seed: int, resamples: int = RESAMPLES
) -> dict[str, Array]:
    """The same of the means of groups, such as models; drawn within each group."""
    sizes = np.bincount(group)
    random = np.random.default_rng(seed)
    means = np.empty((2, resamples, len(sizes)))
    for number, size in enumerate(sizes.tolist()):
        members = np.flatnonzero(group == number)
        both = np.stack([target[members], rated[members]], axis=1)
        sums = [times @ both for times in times_drawn(random, size, size, resamples)]
        means[:, :, number] = np.concatenate(sums).T / size
    return _of_rows(means[0], means[1])


class _Pairs:
    """Distinct pairs of ratings, and how many of each every cluster has."""

    def __init__(self, target: Array, rated: Array, cluster: Whole) -> None:
        self._xs, x = np.unique(target, return_inverse=True)
        self._ys, y = np.unique(rated, return_inverse=True)
        codes, pair = np.unique(x * len(self._ys) + y, return_inverse=True)
        self._x, self._y = np.divmod(codes, len(self._ys))
        self.width = len(codes)
        self._of_cluster = np.zeros((int(cluster.max()) + 1, self.width))
        np.add.at(self._of_cluster, (cluster, pair), 1.0)
        # moments are taken about the means of all, so that nothing is lost by cancellation
        self._dx = self._xs[self._x] - target.mean()
        self._dy = self._ys[self._y] - rated.mean()
        self._gap = self._ys[self._y] - self._xs[self._x]
        self._signs = _signs(self._x, self._y) if self.width <= MOST_PAIRS else None

    def figures(self, times: Array) -> dict[str, Array]:
        """``times``: for each resample (row), how often each cluster (column) was drawn."""
        counts = times @ self._of_cluster
        n = counts.sum(1)
        of_x = _merge_counts(counts, self._x, len(self._xs))
        of_y = _merge_counts(counts, self._y, len(self._ys))
        mean_x, mean_y = counts @ self._dx / n, counts @ self._dy / n
        var_x = counts @ self._dx**2 / n - mean_x**2
        var_y = counts @ self._dy**2 / n - mean_y**2
        shared = counts @ (self._dx * self._dy) / n - mean_x * mean_y
        bias = counts @ self._gap / n
        apart = counts @ self._gap**2 / n
        varies = ((of_x > 0).sum(1) > 1) & ((of_y > 0).sum(1) > 1)
        either = ((of_x > 0).sum(1) > 1) | ((of_y > 0).sum(1) > 1) | (np.abs(bias) > 1e-12)
        by_chance = var_x + var_y + bias**2
        return {
            "pearson": _ratio(shared, np.sqrt(np.maximum(var_x * var_y, 0)), varies),
            "spearman": self._spearman(counts, n, of_x, of_y, varies),
            "kendall": self._kendall(counts, n, of_x, of_y, varies),
            "kappa": 1 - _ratio(apart, by_chance, either),
        }

    def _spearman(
        self, counts: Array, n: Array, of_x: Array, of_y: Array, varies: NDArray[np.bool_]
    ) -> Array:
        """Pearson of the mid-ranks: those before, and half of those that are equal."""
        middle = ((n + 1) / 2)[:, None]
        x = (np.cumsum(of_x, 1) - (of_x - 1) / 2 - middle)[:, self._x]
        y = (np.cumsum(of_y, 1) - (of_y - 1) / 2 - middle)[:, self._y]
        shared = np.einsum("ij,ij,ij->i", counts, x, y)
        scale = np.einsum("ij,ij,ij->i", counts, x, x) * np.einsum("ij,ij,ij->i", counts, y, y)
        return _ratio(shared, np.sqrt(scale), varies)

    def _kendall(
        self, counts: Array, n: Array, of_x: Array, of_y: Array, varies: NDArray[np.bool_]
    ) -> Array:
        """Tau-b: agreeing less opposing pairs, over the pairs that are tied in neither."""
        if self._signs is None:
            return np.full(len(counts), np.nan)
        # whole numbers far below 2**24, which single precision holds exactly
        agreeing = np.einsum("ij,ij->i", counts.astype(np.float32) @ self._signs, counts) / 2
        pairs = n * (n - 1) / 2
        untied_x = pairs - (of_x * (of_x - 1)).sum(1) / 2
        untied_y = pairs - (of_y * (of_y - 1)).sum(1) / 2
        return _ratio(agreeing, np.sqrt(untied_x * untied_y), varies)


def _merge_counts(counts: Array, values: Whole, many: int) -> Array:
    """Counts of pairs as counts of one of their two values."""
    order = np.argsort(values, kind="stable")
    starts = np.searchsorted(values[order], np.arange(many))
    return np.add.reduceat(counts[:, order], starts, axis=1)


def _signs(x: Whole, y: Whole) -> NDArray[np.float32]:
    signs: Whole = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    return signs.astype(np.float32)


def _ratio(above: Array, below: Array, defined: NDArray[np.bool_]) -> Array:
    out = np.full(len(above), np.nan)
    np.divide(above, below, out=out, where=defined & (below > 0))
    return out


def _of_rows(x: Array, y: Array) -> dict[str, Array]:
    """The figures of each row by itself; for few columns, since it compares all with all."""
    size = max(1, _CHUNK_CELLS // x.shape[1] ** 2)
    starts = range(0, len(x), size)
    return _join(_of_some_rows(x[at : at + size], y[at : at + size]) for at in starts)


def _of_some_rows(x: Array, y: Array) -> dict[str, Array]:
    before_x, before_y = (np.sign(v[:, :, None] - v[:, None, :]) for v in (x, y))
    varies = (before_x != 0).sum((1, 2)).astype(bool) & (before_y != 0).sum((1, 2)).astype(bool)
    agreeing = np.einsum("ijk,ijk->i", before_x, before_y)
    untied = np.sqrt(np.abs(before_x).sum((1, 2)) * np.abs(before_y).sum((1, 2)))
    gap = y - x
    by_chance = x.var(1) + y.var(1) + gap.mean(1) ** 2
    return {
        "pearson": _pearson_rows(x, y, varies),
        # how many are below less how many are above: a rank, up to a constant
        "spearman": _pearson_rows(before_x.sum(2), before_y.sum(2), varies),
        "kendall": _ratio(agreeing, untied, varies),
        "mae": np.abs(gap).mean(1),
        "bias": gap.mean(1),
        "kappa": 1 - _ratio((gap**2).mean(1), by_chance, by_chance > 1e-12),
    }


def _pearson_rows(x: Array, y: Array, varies: NDArray[np.bool_]) -> Array:
    dx, dy = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    scale = np.sqrt((dx**2).sum(1) * (dy**2).sum(1))
    return _ratio((dx * dy).sum(1), scale, varies)
