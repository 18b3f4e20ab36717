"""Whether a difference of two runs is more than chance: the answers to a cluster are swapped.

If two runs were equally good, it would not matter whose answers are whose. So the answers to each
cluster are swapped between them, or not, and the share of all ways to do so that makes a difference
at least as large is the p of the permutation test. Few clusters are swapped in every way there is;
of many, so many random ways are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hengfa.results.statistics.evidence import Array, Evidence
from hengfa.results.statistics.quantiles import two_sided_p
from hengfa.results.statistics.resampling import dice

SWAPS: Final = 9_999
FEW: Final = 12
"""Up to so many clusters on which two runs differ, all ways to swap are tried: 4,096 of them."""
_AT_ONCE: Final = 4_000_000
_SAME: Final = 1e-9

TAIL: Final = 1 / (2 * two_sided_p(2**0.5))
"""The tail of a sum with random signs is at most 3.18 times that of the normal distribution, at
every distance (Bentkus and Dzindzalieta, Bernoulli 21, 2015)."""


class Swapped:
    """The sums of runs on the same samples of a task, with random signs for its clusters.

    What a swap does to the sums of two runs follows from what the same signs make of the sums of
    each: so they are made once for all pairs.
    """

    def __init__(self, several: Sequence[Evidence], task: str, *, seed: int, swaps: int) -> None:
        self._several = several
        columns = np.concatenate([one.cluster_sums for one in several], axis=1)
        random = dice(seed, task, "swaps")
        clusters = len(columns)
        rows = max(1, _AT_ONCE // clusters)
        sums = [
            _signs(random, min(rows, swaps - start), clusters) @ columns
            for start in range(0, swaps, rows)
        ]
        by_run = np.concatenate(sums).reshape(swaps, len(several), -1)
        self._signed = np.ascontiguousarray(by_run.swapaxes(0, 1))

    def pair(self, one: int, other: int) -> SwappedPair:
        """Two of the runs, by their place."""
        signed = self._signed[one] - self._signed[other]
        return SwappedPair(self._several[one], self._several[other], signed)


@dataclass(frozen=True, eq=False)
class SwappedPair:
    """Two runs on the same samples of a task, and their swaps."""

    one: Evidence
    other: Evidence
    signed: Array
    """In each random swap, how much more the first has in the sums."""

    @cached_property
    def apart(self) -> Array:
        """How much more the first adds to the sums, for each cluster on which they differ."""
        gap: Array = self.one.cluster_sums - self.other.cluster_sums
        differing: Array = gap[np.abs(gap).max(axis=1) > 0]
        return differing

    @cached_property
    def observed(self) -> float:
        """The difference as it is, swapped nowhere."""
        return float(self.differences(self.apart.sum(axis=0)[None])[0])

    @cached_property
    def at_random(self) -> Array:
        """The difference in each random swap."""
        return self.differences(self.signed)

    def differences(self, signed: Array) -> Array:
        """The difference of the two figures where the first has so much more in the sums."""
        sums = (one.cluster_sums.sum(axis=0) for one in (self.one, self.other))
        middle = sum(sums) / 2
        return self.one.figures(middle + signed / 2) - self.other.figures(middle - signed / 2)


def swap_test(tasks: Sequence[tuple[SwappedPair, float]]) -> float:
    """The p of a weighted sum of the differences of tasks; of one task with weight 1, its own."""
    observed = sum(weight * task.observed for task, weight in tasks)
    differing = [len(task.apart) for task, _ in tasks]
    few = sum(differing) <= FEW
    if few:
        signs = _all_signs(differing)
        rows = [
            task.differences(part @ task.apart)
            for (task, _), part in zip(tasks, signs, strict=True)
        ]
    else:
        rows = [task.at_random for task, _ in tasks]
    swapped = np.sum([weight * row for (_, weight), row in zip(tasks, rows, strict=True)], axis=0)
    reached = int((np.abs(swapped) >= abs(observed) - _SAME).sum())
    if few:
        return reached / len(swapped)
    p = (reached + 1) / (len(swapped) + 1)
    return p if reached else min(p, _tail(observed, swapped))


def _signs(random: np.random.Generator, rows: int, columns: int) -> Array:
    return random.integers(0, 2, (rows, columns), dtype=np.int8).astype(np.float64) * 2 - 1


def _all_signs(differing: Sequence[int]) -> list[Array]:
    """Every way to give signs to the clusters of all tasks, a part for each task."""
    total = sum(differing)
    bits = np.arange(2**total)[:, None] >> np.arange(total) & 1
    signs = bits.astype(np.float64) * 2 - 1
    return np.split(signs, np.cumsum(differing)[:-1], axis=1)


def _tail(observed: float, swapped: Array) -> float:
    """A bound for what so few random swaps cannot show: how rare a difference out of reach is."""
    spread = float(np.sqrt((swapped**2).mean()))
    return TAIL * two_sided_p(observed / spread)
