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
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec
import numpy as np

from hengfa.results.statistics.evidence import Array, Bounds, Evidence
from hengfa.results.statistics.quantiles import t_quantile
from hengfa.results.statistics.resampling import DRAWS, SEED, dice, drawn_figures

_OUTSIDE: Final = 0.05
_SAME: Final = 1e-12
ALIKE: Final = "all alike: the interval says what may not have been seen"
ALIKE_WITHOUT_BOUNDS: Final = "no interval: all alike, and nothing is known about its limits"
ONE_CLUSTER: Final = "a single cluster: nothing can be said about others"


class Estimate(msgspec.Struct, frozen=True):
    """A figure, how far it may be off by chance, and of how much it is.

    `low` and `high` are the ends of the 95 % interval; None where there is none, and `note` says
    why.
    """

    value: float
    standard_error: float
    low: float | None
    high: float | None
    samples: int
    clusters: int
    note: str = ""


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
        """Whether no draw differs from another."""
        return _alike(self.draws)

    @cached_property
    def standard_error(self) -> float:
        return float(self.chance.std(ddof=1))


def sampled(
    several: Sequence[Evidence], task: str, *, seed: int = SEED, draws: int = DRAWS
) -> list[Sampled]:
    """The scores of runs on the same samples, drawn together."""
    rows = drawn_figures(several, task, seed=seed, draws=draws)
    return [
        _with_chance(
            one.value, row, one.freedom, one, one.bounds, (seed, task, "unseen", str(number))
        )
        for number, (one, row) in enumerate(zip(several, rows, strict=True))
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
    if bounds is not None and _alike(draws):
        chance = _unseen(value, len(draws), clusters, bounds, dice(*thrown))
    return Sampled(value, draws, chance, freedom, len(behind.samples), clusters, bounds, is_score)


def _alike(draws: Array) -> bool:
    return bool(np.ptp(draws) <= _SAME * max(1.0, float(np.abs(draws).max())))


def _unseen(
    value: float, draws: int, clusters: int, bounds: Bounds, random: np.random.Generator
) -> Array:
    """Draws with the exceptions that may be there: their share, and at which end they lie."""
    share = 1 - random.random(draws) ** (1 / clusters)
    ends = random.choice(np.array(bounds), draws)
    return value + share * (ends - value)


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
    return Sampled(
        value=value,
        draws=_sum([weight * part.draws for part, weight in used]),
        chance=_sum([weight * part.chance for part, weight in used]),
        freedom=max(1.0, float(freedom)),
        samples=sum(part.samples for part, _ in used),
        clusters=sum(part.clusters for part, _ in used),
        bounds=Bounds(sum(low for low, _ in limits), sum(high for _, high in limits))
        if len(limits) == len(used)
        else None,
        is_score=all(part.is_score for part, _ in used),
    )


def _sum(rows: Sequence[Array]) -> Array:
    total: Array = np.sum(rows, axis=0)
    return total


def estimate(one: Sampled) -> Estimate:
    """A figure with its standard error and interval."""
    low: float | None
    high: float | None
    note = ""
    if not one.alike:
        # An error of what was not seen does not shrink towards the limits as that of a score does.
        is_score = one.is_score and np.array_equal(one.draws, one.chance)
        low, high = interval(one.value, one.standard_error, one.freedom, one.bounds, is_score)
    elif one.bounds is None:
        low = high = None
        note = ALIKE_WITHOUT_BOUNDS
    else:
        most = 1 - (_OUTSIDE / 2) ** (1 / one.clusters)
        low = one.value - most * (one.value - one.bounds.low)
        high = one.value + most * (one.bounds.high - one.value)
        note = ONE_CLUSTER if one.clusters == 1 else ALIKE
    return Estimate(one.value, one.standard_error, low, high, one.samples, one.clusters, note)


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
