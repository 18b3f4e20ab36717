"""How sure a figure is: its standard error and its 95 % interval.

The standard error is the spread of the figure over draws of the clusters. The interval is not cut
from the draws themselves: simulation (docs/statistics.md) shows that their percentiles miss the
truth too often for the numbers of samples that benchmarks have, BCa hardly less, and that all of
them fail near 0 and 1. Instead:

- a score between 0 and 1 has the interval of all true scores from which it is no farther than
  Student's quantile times the standard error that *they* would have, which shrinks towards 0 and 1
  as √(p(1 − p)) does. For right and wrong answers that is Wilson's interval;
- a difference, what has no limits, and a weighted sum of which a part is all alike have the usual
  interval of Student;
- where all clusters agree, draws cannot differ and would claim certainty. What was not seen may
  still be there: of C clusters without an exception, a share of up to 1 − 0.025^(1/C) of all there
  are may be one (Clopper and Pearson), and an exception may lie at either end of the scale.

A draw is nothing but how often each cluster comes up, so thousands of draws are one product of
matrices. All runs that answered the same samples are given the same draws: what is easy or hard
about a sample then cancels out where they are compared. Each task has draws of its own. Quantiles
are computed here with NumPy alone: scipy would be the largest part of an installation for their
sake (the tests compare them with scipy's).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np

from hengfa.base.statistics.evidence import Array, Bounds, Evidence

_STEPS: Final = 20_001
_FAR: Final = 12.0
"""Standard deviations beyond which a normal distribution holds nothing that counts."""


def normal_quantile(share: float) -> float:
    """Below which value this share of a standard normal distribution lies."""
    return NormalDist().inv_cdf(share)


def two_sided_p(deviations: float) -> float:
    """How often a standard normal value is this far from 0, or farther, on either side."""
    return math.erfc(abs(deviations) / math.sqrt(2))


@lru_cache(maxsize=4096)
def t_quantile(share: float, freedom: float) -> float:
    """Below which value this share of Student's distribution lies; at least 1 degree of freedom.

    With t = √ν·tan θ its density becomes cos θ to the power ν − 1, which is added up on a fine
    grid; what lies far out is nothing for a large ν.
    """
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    angle = np.linspace(0.0, min(math.pi / 2, _FAR / math.sqrt(freedom)), _STEPS)
    density = np.cos(angle) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    theta = np.interp(2 * share - 1, below / below[-1], angle)
    return math.sqrt(freedom) * math.tan(float(theta))


DRAWS: Final = 2000
SEED: Final = 20240501
_AT_ONCE: Final = 4_000_000
"""Numbers held at once; more would only wait for memory."""


def dice(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers of their own for each purpose: one task more changes no other."""
    words = [byte for word in purpose for byte in (*word.encode(), 0)]
    return np.random.default_rng([seed, *words])


def times_drawn(
    random: np.random.Generator, clusters: int, size: int, draws: int, width: int = 1
) -> Iterator[Array]:
    """How often each cluster (column) comes up among `size` drawn, a chunk of draws at a time.
    `width` is how many columns the caller makes of a draw, if that is more than clusters."""
    rows = max(1, _AT_ONCE // max(clusters, width))
    for start in range(0, draws, rows):
        many = min(rows, draws - start)
        drawn = random.integers(0, clusters, (many, size))
        drawn += np.arange(many)[:, None] * clusters
        times = np.bincount(drawn.ravel(), minlength=many * clusters)
        yield times.reshape(many, clusters).astype(np.float64)


def drawn_sums(columns: Array, task: str, *, seed: int = SEED, draws: int = DRAWS) -> Array:
    """The sums of columns in each draw (row), given what each cluster (row) adds to them.

    Of C clusters C − 1 are drawn, each weighing C/(C − 1): drawing all C would make figures look
    steadier than they are, by one part in C (Rao and Wu's rescaling). A single cluster can only be
    drawn as it is.
    """
    clusters = len(columns)
    if clusters == 1:
        return np.tile(columns, (draws, 1))
    chunks = times_drawn(dice(seed, task, "draws"), clusters, clusters - 1, draws)
    return np.concatenate([times @ columns for times in chunks]) * (clusters / (clusters - 1))


_OUTSIDE: Final = 0.05
_SAME: Final = 1e-12
ALIKE: Final = "all alike: the interval says what may not have been seen"
ALIKE_WITHOUT_BOUNDS: Final = "no interval: all alike, and nothing is known about its limits"
ONE_CLUSTER: Final = "a single cluster: nothing can be said about others"


class Estimate(msgspec.Struct, frozen=True):
    """A figure, how far it may be off by chance, and of how much it is. `low` and `high` are the
    ends of the 95 % interval; None where there is none, and `note` says why."""

    value: float
    standard_error: float
    low: float | None
    high: float | None
    samples: int
    clusters: int
    note: str = ""

    def turned(self) -> Estimate:
        """The same difference, seen from the other side."""
        low, high = (None if end is None else 0.0 - end for end in (self.high, self.low))
        return msgspec.structs.replace(self, value=0.0 - self.value, low=low, high=high)


@dataclass(frozen=True)
class Sampled:
    """A figure with its draws.

    `draws` are what came of drawing clusters; `chance` what chance can do to the figure, which is
    the same unless all draws are alike. `is_score` says that the figure is a score rather than a
    difference of two.
    """

    value: float
    draws: Array
    chance: Array
    freedom: float
    samples: int
    clusters: int
    bounds: Bounds | None
    is_score: bool = True

    @cached_property
    def alike(self) -> bool:
        return _alike(self.draws)

    @cached_property
    def standard_error(self) -> float:
        return float(self.chance.std(ddof=1))


def sampled(
    several: Sequence[Evidence], task: str, *, seed: int = SEED, draws: int = DRAWS
) -> list[Sampled]:
    """The scores of runs on the same samples, drawn together."""
    if any(evidence.samples != several[0].samples for evidence in several):
        raise ValueError("draws are common to runs on the same samples: use shared()")
    columns = np.concatenate([evidence.cluster_sums for evidence in several], axis=1)
    sums = drawn_sums(columns, task, seed=seed, draws=draws).reshape(draws, len(several), -1)
    rows = [evidence.figures(sums[:, number]) for number, evidence in enumerate(several)]
    return [
        _with_chance(one.value, row, one.freedom, one, one.bounds, (seed, task, "unseen", str(n)))
        for n, (one, row) in enumerate(zip(several, rows, strict=True))
    ]


def difference_of(
    one: Sampled, other: Sampled, behind: Evidence, task: str, *, seed: int = SEED
) -> Sampled:
    """How much more the first has, in the same draws; `behind` is the evidence of either."""
    bounds = None
    if one.bounds is not None and other.bounds is not None:
        width = max(one.bounds.high, other.bounds.high) - min(one.bounds.low, other.bounds.low)
        bounds = Bounds(-width, width)
    return _with_chance(
        one.value - other.value,
        one.draws - other.draws,
        one.freedom,
        behind,
        bounds,
        (seed, task, "unseen difference"),
        is_score=False,
    )


def _with_chance(
    value: float,
    draws: Array,
    freedom: float,
    behind: Evidence,
    bounds: Bounds | None,
    thrown: tuple[int, *tuple[str, ...]],
    *,
    is_score: bool = True,
) -> Sampled:
    clusters = len(behind.sizes)
    chance = draws
    if bounds is not None and _alike(draws):  # the exceptions that may be there
        random = dice(*thrown)
        share = 1 - random.random(len(draws)) ** (1 / clusters)
        ends = random.choice(np.array(bounds), len(draws))  # at which end they lie
        chance = value + share * (ends - value)
    return Sampled(value, draws, chance, freedom, len(behind.samples), clusters, bounds, is_score)


def _alike(draws: Array) -> bool:
    return bool(np.ptp(draws) <= _SAME * max(1.0, float(np.abs(draws).max())))


def weighted(parts: Mapping[str, Sampled], weights: Mapping[str, float], value: float) -> Sampled:
    """A weighted sum of figures of different tasks, whose draws are independent of each other.

    Its degrees of freedom are those of its parts as far as each adds to its variance
    (Satterthwaite).
    """
    used = [(parts[task], weight) for task, weight in weights.items() if weight]
    variances = np.array([(weight * part.standard_error) ** 2 for part, weight in used])
    freedoms = np.array([part.freedom for part, _ in used])
    total = float(variances.sum())
    freedom = total**2 / float((variances**2 / freedoms).sum()) if total else freedoms.min()
    limits = [
        sorted((weight * part.bounds.low, weight * part.bounds.high))
        for part, weight in used
        if part.bounds is not None
    ]
    bounds = None
    if len(limits) == len(used):
        bounds = Bounds(sum(low for low, _ in limits), sum(high for _, high in limits))
    return Sampled(
        value=value,
        draws=np.sum([weight * part.draws for part, weight in used], axis=0),
        chance=np.sum([weight * part.chance for part, weight in used], axis=0),
        freedom=max(1.0, float(freedom)),
        samples=sum(part.samples for part, _ in used),
        clusters=sum(part.clusters for part, _ in used),
        bounds=bounds,
        is_score=all(part.is_score for part, _ in used),
    )


def estimate(figure: Sampled) -> Estimate:
    """A figure with its standard error and interval."""
    low: float | None
    high: float | None
    error, note = figure.standard_error, ""
    if not figure.alike:
        # An error of what was not seen does not shrink towards the limits as that of a score does.
        is_score = figure.is_score and np.array_equal(figure.draws, figure.chance)
        low, high = interval(figure.value, error, figure.freedom, figure.bounds, is_score)
    elif figure.bounds is None:
        low = high = None
        note = ALIKE_WITHOUT_BOUNDS
    else:
        most = 1 - (_OUTSIDE / 2) ** (1 / figure.clusters)
        low = figure.value - most * (figure.value - figure.bounds.low)
        high = figure.value + most * (figure.bounds.high - figure.value)
        note = ONE_CLUSTER if figure.clusters == 1 else ALIKE
    return Estimate(figure.value, error, low, high, figure.samples, figure.clusters, note)


def estimate_of_difference(
    evidence: Evidence, task: str, *, seed: int = SEED, draws: int = DRAWS
) -> Estimate:
    """For evidence that is of differences itself, such as how far something moves marks."""
    (interval,) = sampled([evidence], task, seed=seed, draws=draws)
    return estimate(replace(interval, is_score=False))


def interval(
    value: float, error: float, freedom: float, bounds: Bounds | None, is_score: bool
) -> tuple[float, float]:
    """The 95 % interval from a standard error; never beyond what a figure can be."""
    t = t_quantile(1 - _OUTSIDE / 2, freedom)
    if bounds is None:
        return value - t * error, value + t * error
    width = bounds.high - bounds.low
    share, spread = (value - bounds.low) / width, error / width
    if not is_score or not 0 < share < 1:
        return max(bounds.low, value - t * error), min(bounds.high, value + t * error)
    told = share * (1 - share) / spread**2  # as many right-or-wrong answers would tell as much
    centre = (share + t * t / (2 * told)) / (1 + t * t / told)
    reach = t * math.sqrt(share * (1 - share) / told + (t / told) ** 2 / 4) / (1 + t * t / told)
    return bounds.low + width * (centre - reach), bounds.low + width * (centre + reach)


LEVEL: Final = 0.05
POWER: Final = 0.8


def smallest_difference(standard_error: float, freedom: float, comparisons: int = 1) -> float:
    """The true difference that a test at 5 % would find four times of five with such data.

    `standard_error` is that of the difference of two runs on the same samples. Of several
    comparisons each has to pass its share of the 5 %. A smaller difference may be there and will
    often go unseen: to find one half as large takes four times the samples.
    """
    to_pass = t_quantile(1 - LEVEL / comparisons / 2, freedom)
    return (to_pass + t_quantile(POWER, freedom)) * standard_error
