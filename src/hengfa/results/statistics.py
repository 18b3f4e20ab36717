"""What can be said about a mean of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Mean(NamedTuple):
    """A mean, how far it may be off by chance, and of how many values it is."""

    value: float
    standard_error: float | None
    n: int


def mean(values: Sequence[float]) -> Mean | None:
    """The arithmetic mean with its standard error; None of nothing.

    Summed left to right, as the published evaluators do. The standard error, s/√n with the sample
    standard deviation, treats the samples as a random draw from all questions of this kind; of a
    single value there is none.
    """
    n = len(values)
    if n == 0:
        return None
    total = 0.0
    for value in values:
        total += value
    average = total / n
    if n == 1:
        return Mean(average, None, 1)
    variance = math.fsum((value - average) ** 2 for value in values) / (n - 1)
    return Mean(average, math.sqrt(variance / n), n)
