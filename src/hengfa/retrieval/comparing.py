"""How sure a mean over queries is, and whether one retriever is better than another by chance.

The query is what was drawn at random, so queries are what is drawn again: all that belongs to one
query (its articles, its measures, both retrievers) stays together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from hengfa.errors import UsageError
from hengfa.retrieval.measures import Values

RESAMPLES: Final = 2000
SEED: Final = 20251115
_TAIL: Final = 2.5  # percent on either side
_AT_ONCE: Final = 250


class Interval(msgspec.Struct, frozen=True):
    """A mean, and where 95 of 100 means of resampled queries lie."""

    value: float
    low: float
    high: float
    queries: int


class Difference(msgspec.Struct, frozen=True):
    """How much more the first has than the second, on the same queries.

    ``p`` is how often a mean difference so large comes about when each query's two values are
    swapped at random: small where chance does not explain it.
    """

    value: float
    low: float
    high: float
    p: float
    better: int
    worse: int


class Evaluation(msgspec.Struct, frozen=True):
    """The measures of one run."""

    name: str
    figures: dict[str, Interval]


def interval(values: Values, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The mean of one value a query, with its percentile bootstrap interval."""
    if not len(values):
        raise UsageError("there are no queries to take a mean of")
    low, high = np.percentile(_means(values, resamples, seed), [_TAIL, 100 - _TAIL])
    return Interval(float(values.mean()), float(low), float(high), len(values))


def evaluation(
    name: str, measured: Mapping[str, Values], resamples: int = RESAMPLES, seed: int = SEED
) -> Evaluation:
    """Intervals of all measures; the same queries are drawn for each."""
    return Evaluation(
        name, {key: interval(values, resamples, seed) for key, values in measured.items()}
    )


def difference(
    one: Values, other: Values, resamples: int = RESAMPLES, seed: int = SEED
) -> Difference:
    """A paired comparison; both must have one value for each of the same queries."""
    if len(one) != len(other) or not len(one):
        raise UsageError("two retrievers are compared on the same queries")
    apart = one - other
    low, high = np.percentile(_means(apart, resamples, seed), [_TAIL, 100 - _TAIL])
    better, worse = int((apart > 0).sum()), int((apart < 0).sum())
    p = _swapped(apart, resamples, seed)
    return Difference(float(apart.mean()), float(low), float(high), p, better, worse)


def _means(values: Values, resamples: int, seed: int) -> Values:
    dice = np.random.default_rng(seed)
    n, done = len(values), []
    for start in range(0, resamples, _AT_ONCE):
        drawn = dice.integers(0, n, (min(_AT_ONCE, resamples - start), n))
        done.append(values[drawn].mean(axis=1))
    return np.concatenate(done)


def _swapped(apart: Values, resamples: int, seed: int) -> float:
    dice = np.random.default_rng(seed)
    observed, as_large = abs(apart.sum()), 1
    for start in range(0, resamples, _AT_ONCE):
        signs = dice.choice((-1.0, 1.0), (min(_AT_ONCE, resamples - start), len(apart)))
        as_large += int((np.abs(signs @ apart) >= observed - 1e-12).sum())
    return as_large / (resamples + 1)
