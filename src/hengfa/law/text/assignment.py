"""The best one-to-one matching of a few things with many.

Written by hand because SciPy, the library that has it, is a hundred megabytes for these lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def best_matching(weights: Sequence[Sequence[float]]) -> float:
    """The largest sum of weights with at most one entry from each row and each column.

    Successive shortest augmenting paths with potentials (the Hungarian method): rows² × columns.
    """
    if not weights or not weights[0]:
        return 0.0
    if len(weights) > len(weights[0]):
        weights = list(zip(*weights, strict=True))
    rows, columns = len(weights), len(weights[0])
    row_price, column_price = [0.0] * (rows + 1), [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)  # 0: the column is free; column 0 holds the row being placed
    for row in range(1, rows + 1):
        row_of[0] = row
        slack, came_from = [math.inf] * (columns + 1), [0] * (columns + 1)
        used = [False] * (columns + 1)
        column = 0
        while row_of[column]:
            used[column] = True
            placed = row_of[column]
            for other in range(1, columns + 1):
                if not used[other]:
                    reduced = -weights[placed - 1][other - 1]
                    reduced -= row_price[placed] + column_price[other]
                    if reduced < slack[other]:
                        slack[other], came_from[other] = reduced, column
            nearest = min((c for c in range(1, columns + 1) if not used[c]), key=slack.__getitem__)
            step = slack[nearest]
            for other in range(columns + 1):
                if used[other]:
                    row_price[row_of[other]] += step
                    column_price[other] -= step
                else:
                    slack[other] -= step
            column = nearest
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    return math.fsum(weights[row_of[c] - 1][c - 1] for c in range(1, columns + 1) if row_of[c])
