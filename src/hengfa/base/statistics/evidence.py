"""What stands behind a score: for each sample, what it adds to the sums that the score is made of.

A mean is the sum of values by their number; a corpus-level F is a function of the sums of right,
wrong and missed edits. Whatever is a figure of sums can be drawn again without looking at the
samples again, and that is all that the statistics here need to know of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Mean(NamedTuple):
    """A mean, how far it may be off by chance, and of how many values it is."""

    value: float
    standard_error: float | None
    n: int


def left_to_right(values: Iterable[float]) -> float:
    """The sum as the published evaluators have it: `sum` rounds otherwise from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def mean(values: Sequence[float]) -> Mean | None:
    """The arithmetic mean with its standard error; None of nothing.

    The standard error, s/√n with the sample standard deviation, treats the samples as a random draw
    from all questions of this kind; of a single value there is none.
    """
    n = len(values)
    if n == 0:
        return None
    average = left_to_right(values) / n
    if n == 1:
        return Mean(average, None, 1)
    variance = math.fsum((value - average) ** 2 for value in values) / (n - 1)
    return Mean(average, math.sqrt(variance / n), n)


def average(values: Sequence[float]) -> float | None:
    """The mean alone, where nobody asks how far it may be off; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def of_sums(parts: Sequence[Sequence[float]], figure: Callable[..., float]) -> Mean | None:
    """A figure of the column sums, such as a corpus-level F; None of no rows.

    The standard error is the jackknife's: how much the figure moves when one row is left out, which
    needs no formula for the figure itself.
    """
    n = len(parts)
    if n == 0:
        return None
    sums = [left_to_right(column) for column in zip(*parts, strict=True)]
    value = figure(*sums)
    if n == 1:
        return Mean(value, None, 1)
    without = [
        figure(*(total - part for total, part in zip(sums, row, strict=True))) for row in parts
    ]
    centre = math.fsum(without) / n
    spread = math.fsum((replicate - centre) ** 2 for replicate in without)
    return Mean(value, math.sqrt(spread * (n - 1) / n), n)


Array: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]


class Bounds(NamedTuple):
    """Between which values a figure can lie at all."""

    low: float
    high: float


SHARE: Final = Bounds(0.0, 1.0)


def quotient(total: float, number: float) -> float:
    """The figure of a mean: the sum of the values by how many there are."""
    return total / number


@dataclass(frozen=True, eq=False)
class Evidence:
    """One run's part in one task: a row for each sample that its score counts.

    `values` is the task's metric sample by sample, `parts` what is summed, `figure` what the sums
    make; the score, not what chance does to it, is rounded to `digits`, if any. `clusters` numbers
    what samples have in common, such as a law or a case, from 0 without gaps: samples of a cluster
    are not independent, so they are drawn together. `bounds` is None where a figure has no limits.
    """

    samples: tuple[str, ...]
    clusters: Whole
    values: Array
    parts: Array
    figure: Callable[..., float] = quotient
    digits: int | None = None
    bounds: Bounds | None = SHARE

    @cached_property
    def value(self) -> float:
        """The score, summed in the order of the samples as scoring does it: equal to the digit."""
        sums = [left_to_right(column) for column in self.parts.T.tolist()]
        score = self.figure(*sums)
        return score if self.digits is None else round(score, self.digits)

    @cached_property
    def sizes(self) -> Whole:
        return np.bincount(self.clusters)

    @cached_property
    def cluster_sums(self) -> Array:
        return sums_by_cluster(self.clusters, list(self.parts.T))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of its standard error, at least 1.

        One less than there are clusters; where some are much larger than others, fewer: as many as
        clusters of equal size would tell as much (Kish's effective number).
        """
        sizes = self.sizes.astype(np.float64)
        return max(1.0, float(sizes.sum() ** 2 / (sizes**2).sum()) - 1)

    def figures(self, sums: Array) -> Array:
        """The figure of each row of sums."""
        if self.figure is quotient:
            return sums[:, 0] / sums[:, 1]
        return np.array([self.figure(*row) for row in sums.tolist()])

    def only(self, rows: Sequence[int]) -> Evidence:
        """Some of the samples, in this order."""
        chosen = np.array(rows, dtype=np.int64)
        return replace(
            self,
            samples=tuple(self.samples[row] for row in rows),
            clusters=np.unique(self.clusters[chosen], return_inverse=True)[1].astype(np.int64),
            values=self.values[chosen],
            parts=self.parts[chosen],
        )


def sums_by_cluster(clusters: Whole, columns: Sequence[Array]) -> Array:
    """What each cluster (row) adds to the sum of each column."""
    return np.stack([np.bincount(clusters, column).astype(np.float64) for column in columns], 1)


def evidence_of(
    samples: Sequence[str],
    values: Sequence[float] | Array,
    clusters: Sequence[str | None] | None = None,
    *,
    parts: Sequence[Sequence[float]] | Array | None = None,
    figure: Callable[..., float] = quotient,
    digits: int | None = None,
    bounds: Bounds | None = SHARE,
) -> Evidence:
    """Evidence for a mean of values, or with `parts` for a figure of their sums. A sample without a
    cluster is one of its own."""
    column = np.asarray(values, dtype=np.float64)
    summed = np.stack([column, np.ones(len(column))], axis=1) if parts is None else parts
    return Evidence(
        tuple(samples),
        numbered(samples, clusters),
        column,
        np.asarray(summed, dtype=np.float64),
        figure,
        digits,
        bounds,
    )


def numbered(samples: Sequence[str], clusters: Sequence[str | None] | None) -> Whole:
    """Clusters as numbers from 0 without gaps; a sample without one is a cluster of its own."""
    if clusters is None:
        return np.arange(len(samples))
    numbers: dict[tuple[str | None, str], int] = {}
    each = zip(samples, clusters, strict=True)
    keys = ((None, sample) if cluster is None else (cluster, "") for sample, cluster in each)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def joined(several: Mapping[str, Evidence]) -> Evidence:
    """The evidence of several runs as one; the same sample of two of them is one cluster."""
    first = next(iter(several.values()))
    cluster_of: dict[str, tuple[str, int]] = {}
    for name, evidence in several.items():
        for sample, cluster in zip(evidence.samples, evidence.clusters.tolist(), strict=True):
            cluster_of.setdefault(sample, (name, cluster))
    numbers = {cluster: place for place, cluster in enumerate(dict.fromkeys(cluster_of.values()))}
    return replace(
        first,
        samples=tuple(f"{name}/{sample}" for name, of in several.items() for sample in of.samples),
        clusters=np.array(
            [numbers[cluster_of[sample]] for of in several.values() for sample in of.samples]
        ),
        values=np.concatenate([evidence.values for evidence in several.values()]),
        parts=np.concatenate([evidence.parts for evidence in several.values()]),
    )


def with_names(
    tasks: Mapping[str, Evidence], others: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """The same evidence by task; samples that are also the others' have their names, which are most
    of what a million samples weigh."""
    return {
        task: replace(evidence, samples=others[task].samples)
        if task in others and others[task].samples == evidence.samples
        else evidence
        for task, evidence in tasks.items()
    }


def shared(several: Sequence[Evidence]) -> list[Evidence]:
    """The same evidence on the samples that all have; if not all have the same, in an order that
    does not depend on which of them is the first.

    Where records of some runs name no clusters, those of the others do: the coarsest are taken.
    """
    first, *others = same = list(several)
    if any(evidence.samples != first.samples for evidence in others):
        order = sorted(set(first.samples).intersection(*(other.samples for other in others)))
        rows = [{sample: row for row, sample in enumerate(one.samples)} for one in several]
        picked = [[row_of[sample] for sample in order] for row_of in rows]
        same = [one.only(chosen) for one, chosen in zip(several, picked, strict=True)]
    coarsest = min(same, key=lambda evidence: len(evidence.sizes)).clusters
    return [replace(one, samples=same[0].samples, clusters=coarsest) for one in same]
