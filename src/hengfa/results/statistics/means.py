"""What can be said about a mean of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


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
    spread = math.fsum((one - centre) ** 2 for one in without)
    return Mean(value, math.sqrt(spread * (n - 1) / n), n)
