"""Several tries at each sample: how good on average, how often at least once, how often each time.

A try is right if its value reaches the threshold. Of a sample with n tries, c of them right, k that
are drawn without putting any back are

- all right with the chance C(c, k) / C(n, k): pass^k, what one can rely on;
- not all wrong with the chance 1 − C(n − c, k) / C(n, k): pass@k, what is in reach;
- at worst x₍₁₎ + Σⱼ (x₍ⱼ₊₁₎ − x₍ⱼ₎) · C(n − j, k) / C(n, k), the values in order: the worst is
  beyond the j-th if all k are.

None of them is too high or too low on average, whatever n is; to put the share c/n to the power k
instead is both. C(c, k) / C(n, k) is a product of k factors up to 1, so nothing overflows.

The figures are means over samples. They are drawn by clusters as every other figure: tries at a
sample are never taken for samples of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np

from hengfa.base.statistics.evidence import SHARE, Array, Bounds, Evidence, Whole, evidence_of
from hengfa.base.statistics.intervals import DRAWS, Estimate, estimate, sampled

_SAME: Final = 1e-9
_WIDEST: Final = Bounds(0.0, 0.5**0.5)
"""The standard deviation of two tries at either end of a share; more tries have a smaller one."""


class AtK(msgspec.Struct, frozen=True):
    """What k tries are good for; `left_out` counts the samples that have fewer."""

    k: int
    left_out: int
    any_right: Estimate
    """pass@k"""
    all_right: Estimate
    """pass^k"""
    worst: Estimate


class Repeated(msgspec.Struct, frozen=True):
    """The figures of several tries at each sample.

    `mean` is the mean over samples of their means, `spread` that of the standard deviations within
    them, and `unsteady` the share of samples that are right in some tries and wrong in others.
    These two are of the samples with two tries and more, and None if there are none.
    """

    samples: int
    fewest: int
    most: int
    threshold: float
    mean: Estimate
    at: tuple[AtK, ...]
    spread: Estimate | None
    unsteady: Estimate | None


@dataclass(frozen=True, eq=False)
class Tries:
    """The values of each sample over its tries, of which samples may have unequal numbers. Each
    figure is evidence, sample by sample, so that runs can be compared in it."""

    samples: tuple[str, ...]
    values: tuple[Array, ...]
    clusters: tuple[str | None, ...]
    threshold: float

    def __post_init__(self) -> None:
        if not self.samples or not all(len(values) for values in self.values):
            raise ValueError("a sample without a try has no figures")

    @cached_property
    def numbers(self) -> Whole:
        return np.array([len(values) for values in self.values], dtype=np.int64)

    def mean(self) -> Evidence:
        return self._evidence(np.array([v.mean() for v in self.values]), 1, self._bounds)

    def any_right(self, k: int) -> Evidence:
        """For pass@k: how likely one of k tries at least is right."""
        return self._evidence(1 - self._chances[0][:, k], k)

    def all_right(self, k: int) -> Evidence:
        """For pass^k: how likely all of k tries are right."""
        return self._evidence(self._chances[1][:, k], k)

    def worst(self, k: int) -> Evidence:
        """The value to be expected of the worst of k tries."""
        return self._evidence(self._chances[2][:, k], k, self._bounds)

    def spread(self) -> Evidence:
        """The standard deviation within each sample that has two tries and more."""
        deviations = [v.std(ddof=1) if len(v) > 1 else np.nan for v in self.values]
        return self._evidence(np.array(deviations), 2, self._bounds and _WIDEST)

    def unsteady(self) -> Evidence:
        """Whether a sample with two tries and more is right in some and wrong in others."""
        mixed = (self._right > 0) & (self._right < self.numbers)
        return self._evidence(mixed.astype(np.float64), 2)

    @cached_property
    def _right(self) -> Whole:
        reached = [(values >= self.threshold - _SAME).sum() for values in self.values]
        return np.array(reached, dtype=np.int64)

    @cached_property
    def _bounds(self) -> Bounds | None:
        """Of the values; marks may lie below 0, and then nothing is known."""
        are_shares = all(v.min() >= 0 and v.max() <= 1 for v in self.values)
        return SHARE if are_shares else None

    @cached_property
    def _chances(self) -> Array:
        """All wrong, all right and the worst value: by sample and k, NaN for k beyond its tries."""
        most = int(self.numbers.max())
        table = np.full((3, len(self.samples), most + 1), np.nan)
        for n in np.unique(self.numbers).tolist():
            rows = np.flatnonzero(self.numbers == n)
            alike = chance_of_all(n)
            ordered = np.sort(np.stack([self.values[row] for row in rows]), axis=1)
            table[0, rows, : n + 1] = alike[n - self._right[rows]]
            table[1, rows, : n + 1] = alike[self._right[rows]]
            beyond = np.diff(ordered, axis=1) @ alike[n - 1 : 0 : -1]
            table[2, rows, : n + 1] = ordered[:, :1] + beyond
        return table

    def _evidence(self, column: Array, least: int, bounds: Bounds | None = SHARE) -> Evidence:
        """Of the samples with so many tries at least."""
        rows = np.flatnonzero(self.numbers >= least).tolist()
        return evidence_of(
            [self.samples[row] for row in rows],
            column[rows],
            [self.clusters[row] for row in rows],
            bounds=bounds,
        )


def chance_of_all(n: int) -> Array:
    """C(c, k) / C(n, k) for c (rows) and k (columns) from 0 to n: all of k are of the c."""
    c, drawn = np.arange(n + 1)[:, None], np.arange(n)[None, :]
    factors = np.maximum(c - drawn, 0) / (n - drawn)
    return np.cumprod(np.concatenate([np.ones((n + 1, 1)), factors], axis=1), axis=1)


def tries_of(
    samples: Sequence[str],
    values: Sequence[Sequence[float] | Array],
    threshold: float,
    clusters: Sequence[str | None] | None = None,
) -> Tries:
    """Tries from what there is for each sample; a sample without a cluster is one of its own."""
    columns = tuple(np.asarray(column, dtype=np.float64) for column in values)
    own = clusters if clusters is not None else [None] * len(samples)
    return Tries(tuple(samples), columns, tuple(own), threshold)


def repeated(tries: Tries, task: str = "repeats", *, draws: int = DRAWS) -> Repeated:
    """All figures with their intervals, for every k up to the largest number of tries."""

    def drawn(*several: Evidence) -> list[Estimate]:
        return [estimate(figure) for figure in sampled(several, task, draws=draws)]

    at: list[AtK] = []
    numbers: list[int] = np.unique(tries.numbers).tolist()
    for fewer, number in pairwise([0, *numbers]):  # every k between is of the same samples
        ks = range(fewer + 1, number + 1)
        figures = [
            iter(drawn(*(figure(k) for k in ks)))
            for figure in (tries.any_right, tries.all_right, tries.worst)
        ]
        left_out = int((tries.numbers < number).sum())
        at.extend(AtK(k, left_out, *map(next, figures)) for k in ks)
    several = numbers[-1] > 1
    spread, unsteady = drawn(tries.spread(), tries.unsteady()) if several else (None, None)
    return Repeated(
        samples=len(tries.samples),
        fewest=numbers[0],
        most=numbers[-1],
        threshold=tries.threshold,
        mean=drawn(tries.mean())[0],
        at=tuple(at),
        spread=spread,
        unsteady=unsteady,
    )
