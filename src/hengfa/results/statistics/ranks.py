"""How sure a rank is: where each run comes out in thousands of draws of the samples."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from hengfa.results.statistics.evidence import Array

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
    found: list[RankRange] = []
    for number in range(runs):
        shares = np.bincount(drawn[number] - 1, minlength=runs) / draws.shape[1]
        below = np.cumsum(shares)
        low = 1 + int(np.searchsorted(below, _OUTSIDE / 2))
        high = 1 + int(np.searchsorted(below, 1 - _OUTSIDE / 2))
        rank = int(own[number])
        found.append(
            RankRange(rank, min(low, rank), max(high, rank), tuple(float(one) for one in shares))
        )
    return found


def _ranks(draws: Array) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """One more than how many are better, in each column."""
    better = np.stack([(draws > row).sum(axis=0) for row in draws])
    return (better + 1).astype(np.int64)
