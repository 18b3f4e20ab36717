"""How far a figure may be off by chance, from the cases themselves drawn again and again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

T = TypeVar("T")
RESAMPLES: Final = 2000
_SEED: Final = 20240501


class Interval(NamedTuple):
    """The middle 95 % of what resampling gives."""

    low: float
    high: float


def interval(units: Sequence[T], figure: Callable[[Sequence[T]], float | None]) -> Interval | None:
    """The percentile bootstrap of a figure; None of fewer than two units, or where it has no value.

    ``units`` are what was drawn at random and is independent: attacks, items or submissions, each
    with all that belongs to it. Of a handful of units the interval is too narrow; say how many.
    """
    if len(units) < 2:
        return None
    draw = random.Random(_SEED)
    drawn = (figure(draw.choices(units, k=len(units))) for _ in range(RESAMPLES))
    values = sorted(value for value in drawn if value is not None)
    if not values:
        return None
    cut = len(values) // 40
    return Interval(values[cut], values[-1 - cut])
