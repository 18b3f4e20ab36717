"""Drawing clusters again and again: what a score might have been with other samples.

A draw is nothing but how often each cluster comes up, so thousands of draws are one product of
matrices. All runs that answered the same samples are given the same draws: what is easy or hard
about a sample then cancels out where they are compared. Each task has draws of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from hengfa.results.statistics.evidence import Array, Evidence

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

    `width` is how many columns the caller makes of a draw, if that is more than clusters.
    """
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


def drawn_figures(
    several: Sequence[Evidence], task: str, *, seed: int = SEED, draws: int = DRAWS
) -> Array:
    """The figure of each run (row) in each draw (column); all must be on the same samples."""
    first = several[0]
    if any(one.samples != first.samples for one in several):
        raise ValueError("draws are common to runs on the same samples: use shared()")
    columns = np.concatenate([one.cluster_sums for one in several], axis=1)
    sums = drawn_sums(columns, task, seed=seed, draws=draws)
    by_run = sums.reshape(draws, len(several), -1)
    return np.stack([one.figures(by_run[:, number]) for number, one in enumerate(several)])
