"""Many comparisons at once: with twenty of them, one in twenty comes out by chance."""

from __future__ import annotations

from collections.abc import Sequence


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
