"""Runs against each other on the same samples: scores, differences and ranks, with how sure.

Rows are tasks and the figures that a suite makes of them. Every figure is a weighted sum of task
scores, so its draws and swaps are the same weighted sums of those of the tasks.

Whether a difference is more than chance: if two runs were equally good, it would not matter whose
answers are whose. So the answers to each cluster are swapped between them, or not, and the share of
all ways to do so that makes a difference at least as large is the p of the permutation test. Few
clusters are swapped in every way there is; of many, so many random ways are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec
import numpy as np

from hengfa.base.statistics.evidence import Array, Evidence, shared
from hengfa.base.statistics.intervals import (
    DRAWS,
    SEED,
    Estimate,
    Sampled,
    dice,
    difference_of,
    estimate,
    sampled,
    smallest_difference,
    two_sided_p,
    weighted,
)

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
        columns = np.concatenate([evidence.cluster_sums for evidence in several], axis=1)
        random = dice(seed, task, "swaps")
        clusters = len(columns)
        rows = max(1, _AT_ONCE // clusters)
        sums: list[Array] = []
        for start in range(0, swaps, rows):
            signs = random.integers(0, 2, (min(rows, swaps - start), clusters), dtype=np.int8)
            signs *= 2
            signs -= 1
            sums.append(signs.astype(np.float64) @ columns)
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
        sums = (evidence.cluster_sums.sum(axis=0) for evidence in (self.one, self.other))
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
    if reached:
        return p
    # A bound for what so few random swaps cannot show: how rare a difference out of reach is.
    spread = float(np.sqrt((swapped**2).mean()))
    return min(p, TAIL * two_sided_p(observed / spread))


def _all_signs(differing: Sequence[int]) -> list[Array]:
    """Every way to give signs to the clusters of all tasks, a part for each task."""
    total = sum(differing)
    bits = np.arange(2**total)[:, None] >> np.arange(total) & 1
    signs = bits.astype(np.float64) * 2 - 1
    return np.split(signs, np.cumsum(differing)[:-1], axis=1)


_OUTSIDE: Final = 0.05


class RankRange(msgspec.Struct, frozen=True):
    """The rank of a run, 1 being the best, and where it can lie.

    `shares` says in which share of the draws it had rank 1, 2, …; `low` to `high` is what is left
    of the ranks without the outer 2.5 % at either end.
    """

    rank: int
    low: int
    high: int
    shares: tuple[float, ...]


def rank_ranges(values: Array, draws: Array) -> list[RankRange]:
    """Ranks of runs by their values, and by each column of draws; equals share the better rank."""
    runs = len(values)
    own = _ranks(values[:, None])[:, 0]
    drawn = _ranks(draws)
    ranges: list[RankRange] = []
    for number in range(runs):
        shares = np.bincount(drawn[number] - 1, minlength=runs) / draws.shape[1]
        below = np.cumsum(shares)
        low = 1 + int(np.searchsorted(below, _OUTSIDE / 2))
        high = 1 + int(np.searchsorted(below, 1 - _OUTSIDE / 2))
        rank = int(own[number])
        ranges.append(RankRange(rank, min(low, rank), max(high, rank), tuple(shares.tolist())))
    return ranges


def _ranks(draws: Array) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """One more than how many are better, in each column."""
    better = np.stack([(draws > row).sum(axis=0) for row in draws])
    return (better + 1).astype(np.int64)


Figures = Callable[[Mapping[str, float]], Mapping[str, float]]
Weights = Mapping[str, float]
"""Task to how much its score counts."""


class Difference(msgspec.Struct, frozen=True):
    """How much more the first run has than the second on the same samples.

    `p` is that of the permutation test. `wins` counts the samples on which the first scored more;
    `smallest` is the true difference that these data would show four times of five.
    """

    estimate: Estimate
    p: float
    wins: int
    ties: int
    losses: int
    smallest: float


def weights_of(figures: Figures, tasks: Sequence[str]) -> dict[str, dict[str, float]]:
    """How much each task counts in each figure that these tasks make.

    Found by asking for the figures of a suite that is all 0, and with one task at 1; a figure that
    is not such a weighted sum is a mistake in the suite.
    """
    nothing = figures(dict.fromkeys(tasks, 0.0))
    unit = {task: figures(dict.fromkeys(tasks, 0.0) | {task: 1.0}) for task in tasks}
    weights = {name: {task: unit[task][name] - nothing[name] for task in tasks} for name in nothing}
    uneven = {task: 1 / (2 + place) for place, task in enumerate(tasks)}
    for name, value in figures(uneven).items():
        summed = nothing[name] + sum(
            weight * uneven[task] for task, weight in weights[name].items()
        )
        if abs(summed - value) > 1e-9:
            raise ValueError(f"the figure {name!r} is not a weighted sum of the scores of tasks")
    return {name: {task: w for task, w in of.items() if w} for name, of in weights.items()}


class Contest:
    """Some runs on some tasks; evidence of a task must be on the same samples for all runs."""

    def __init__(
        self,
        tasks: Mapping[str, Sequence[Evidence]],
        figures: Figures,
        *,
        seed: int = SEED,
        draws: int = DRAWS,
        swaps: int = SWAPS,
    ) -> None:
        self.tasks = dict(tasks)
        self.seed, self._draws, self._swaps = seed, draws, swaps
        self.runs = len(next(iter(self.tasks.values()), ()))  # none where runs share no sample
        self.weights = weights_of(figures, list(tasks))
        self._figures = [
            figures({task: several[run].value for task, several in tasks.items()})
            for run in range(self.runs)
        ]

    @property
    def rows(self) -> list[str]:
        """Tasks, then figures."""
        return [*self.tasks, *self.weights]

    def is_task(self, row: str) -> bool:
        return row in self.tasks

    def value(self, row: str, run: int) -> float:
        return self.tasks[row][run].value if row in self.tasks else self._figures[run][row]

    def estimate(self, row: str, run: int) -> Estimate:
        return estimate(self._sampled(row, run))

    def pair(self, one: int, other: int) -> Paired:
        """Two of the runs, by their place."""
        return Paired(self, one, other)

    def ranks(self, row: str) -> list[RankRange]:
        """Where each run stands among all of them."""
        every = [self._sampled(row, run) for run in range(self.runs)]
        values = np.array([figure.value for figure in every])
        return rank_ranges(values, np.stack([figure.chance for figure in every]))

    def weights_in(self, row: str) -> Weights:
        return {row: 1.0} if row in self.tasks else self.weights[row]

    def of_row(self, row: str, parts: Mapping[str, Sampled], value: float) -> Sampled:
        """Tasks put together; a figure that is one task by another name is that task."""
        weights = self.weights_in(row)
        if list(weights.values()) == [1.0]:
            return parts[next(iter(weights))]
        return weighted(parts, weights, value)

    def _sampled(self, row: str, run: int) -> Sampled:
        parts = {task: self.drawn[task][run] for task in self.weights_in(row)}
        return self.of_row(row, parts, self.value(row, run))

    @cached_property
    def drawn(self) -> dict[str, list[Sampled]]:
        """Task to the draws of all runs."""
        return {
            task: sampled(several, task, seed=self.seed, draws=self._draws)
            for task, several in self.tasks.items()
        }

    @cached_property
    def swapped(self) -> dict[str, Swapped]:
        """Task to the swaps of all runs."""
        return {
            task: Swapped(several, task, seed=self.seed, swaps=self._swaps)
            for task, several in self.tasks.items()
        }


class Paired:
    """Two runs of a contest: how they differ in each row."""

    def __init__(self, contest: Contest, one: int, other: int) -> None:
        self._contest, self._one, self._other = contest, one, other
        self._swapped: dict[str, SwappedPair] = {}
        self._drawn: dict[str, Sampled] = {}

    def difference(self, row: str, comparisons: int = 1) -> Difference:
        """How much more the first has; `comparisons` is among how many of them this one stands."""
        contest, one, other = self._contest, self._one, self._other
        weights = contest.weights_in(row)
        for task in weights.keys() - self._drawn.keys():
            pair = contest.drawn[task][one], contest.drawn[task][other]
            behind = contest.tasks[task][one]
            self._drawn[task] = difference_of(*pair, behind, task, seed=contest.seed)
            self._swapped[task] = contest.swapped[task].pair(one, other)
        value = contest.value(row, one) - contest.value(row, other)
        figure = contest.of_row(row, self._drawn, value)
        gaps = [
            contest.tasks[task][one].values - contest.tasks[task][other].values for task in weights
        ]
        apart = np.concatenate(gaps)
        return Difference(
            estimate=estimate(figure),
            p=swap_test([(self._swapped[task], weight) for task, weight in weights.items()]),
            wins=int((apart > 0).sum()),
            ties=int((apart == 0).sum()),
            losses=int((apart < 0).sum()),
            smallest=smallest_difference(figure.standard_error, figure.freedom, comparisons),
        )


def difference_between(
    one: Evidence, other: Evidence, *, seed: int = SEED, draws: int = DRAWS, swaps: int = SWAPS
) -> Difference | None:
    """How much more the first has, on the samples that both have; None if there are none. So are
    two graders of the same answers compared. A sample must not stand in either twice."""
    both = shared([one, other])
    if not both[0].samples:
        return None
    contest = Contest({"": both}, lambda _: {}, seed=seed, draws=draws, swaps=swaps)
    return contest.pair(0, 1).difference("")


def holm(ps: Sequence[float]) -> list[float]:
    """Each p corrected for all of them (Holm), so that below 0.05 it is worth what a single p is.

    The chance that any of the differences found is not there stays below the level, whatever they
    have to do with each other. The smallest p counts as often as there are comparisons, the next
    once less, and none less than one before it.
    """
    corrected = [1.0] * len(ps)
    largest = 0.0
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    for passed, place in enumerate(order):
        largest = max(largest, min(1.0, (len(ps) - passed) * ps[place]))
        corrected[place] = largest
    return corrected
