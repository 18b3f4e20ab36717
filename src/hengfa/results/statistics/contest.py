"""Runs against each other on the same samples: scores, differences and ranks, with how sure.

Rows are tasks and the figures that a suite makes of them. Every figure is a weighted sum of task
scores, so its draws and swaps are the same weighted sums of those of the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np

from hengfa.results.statistics.evidence import Evidence
from hengfa.results.statistics.intervals import (
    Estimate,
    Sampled,
    difference_of,
    estimate,
    sampled,
    weighted,
)
from hengfa.results.statistics.power import smallest_difference
from hengfa.results.statistics.ranks import RankRange, rank_ranges
from hengfa.results.statistics.resampling import DRAWS, SEED
from hengfa.results.statistics.swapping import SWAPS, Swapped, SwappedPair, swap_test

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
    found = {name: {task: unit[task][name] - nothing[name] for task in tasks} for name in nothing}
    uneven = {task: 1 / (2 + place) for place, task in enumerate(tasks)}
    for name, value in figures(uneven).items():
        summed = nothing[name] + sum(weight * uneven[task] for task, weight in found[name].items())
        if abs(summed - value) > 1e-9:
            raise ValueError(f"the figure {name!r} is not a weighted sum of the scores of tasks")
    return {name: {task: w for task, w in of.items() if w} for name, of in found.items()}


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
        self.runs = len(next(iter(self.tasks.values())))
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
        """The score itself."""
        return self.tasks[row][run].value if row in self.tasks else self._figures[run][row]

    def estimate(self, row: str, run: int) -> Estimate:
        """The score with its interval."""
        return estimate(self._sampled(row, run))

    def pair(self, one: int, other: int) -> Paired:
        """Two of the runs, by their place."""
        return Paired(self, one, other)

    def ranks(self, row: str) -> list[RankRange]:
        """Where each run stands among all of them."""
        every = [self._sampled(row, run) for run in range(self.runs)]
        values = np.array([one.value for one in every])
        return rank_ranges(values, np.stack([one.chance for one in every]))

    def weights_in(self, row: str) -> Weights:
        """Which tasks a row is made of."""
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
        found = contest.of_row(row, self._drawn, value)
        gaps = [
            contest.tasks[task][one].values - contest.tasks[task][other].values for task in weights
        ]
        apart = np.concatenate(gaps)
        return Difference(
            estimate=estimate(found),
            p=swap_test([(self._swapped[task], weight) for task, weight in weights.items()]),
            wins=int((apart > 0).sum()),
            ties=int((apart == 0).sum()),
            losses=int((apart < 0).sum()),
            smallest=smallest_difference(found.standard_error, found.freedom, comparisons),
        )
