"""The compiled part of the alignment: ways through the table of costs (LawBench spec 3.4, 3.6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hengfa.text.proofreading.kernel import (
    DELETE,
    INSERT,
    MATCH,
    MOVE,
    SUBSTITUTE,
    Lengths,
    Operations,
    compiled,
)

Rows = NDArray[np.int32]


@compiled
def _before(i: int, j: int, operation: int, length: int) -> tuple[int, int]:
    if operation == MOVE:
        return i - length, j - length
    return i - int(operation != INSERT), j - int(operation != DELETE)


@compiled
def first_path(operations: Operations, lengths: Lengths) -> tuple[Rows, int]:
    """The alignment that follows each cell's first operation, and the number of its steps.

    Rows of operation, i, j in text order: like steps in a row as one, but each move by itself.
    """
    i, j = operations.shape[0] - 1, operations.shape[1] - 1
    rows = np.empty((i + j, 3), np.int32)
    kept, steps, last = len(rows), 0, 0
    while i or j:
        bits = operations[i, j]
        operation = bits & -bits
        if operation != last or operation == MOVE:
            kept -= 1
            rows[kept] = operation, i, j
        i, j = _before(i, j, operation, lengths[i, j])
        last = operation
        steps += 1
    return rows[kept:], steps


@compiled
def count_paths(
    operations: Operations, lengths: Lengths
) -> tuple[NDArray[np.float64], float, float, float]:
    """Alignments that pass each cell from the end; all; their steps; depths in the search tree."""
    n, m = operations.shape[0] - 1, operations.shape[1] - 1
    paths, depths = np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    paths[n, m] = 1
    all_depths = 0.0
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if paths[i, j] == 0:
                continue
            all_depths += depths[i, j]
            for operation in (MOVE, SUBSTITUTE, INSERT, DELETE, MATCH):
                if operations[i, j] & operation:
                    before = _before(i, j, operation, lengths[i, j])
                    paths[before] += paths[i, j]
                    depths[before] += depths[i, j] + paths[i, j]
    return paths, paths[0, 0], depths[0, 0], all_depths


@compiled
def steps_of_all_paths(
    operations: Operations, lengths: Lengths, paths: NDArray[np.float64]
) -> Rows:
    """Rows of operation, i, j before, i, j after; each after all those that lead to it."""
    rows = np.empty((4 * np.count_nonzero(paths), 5), np.int32)
    count = 0
    for i in range(operations.shape[0]):
        for j in range(operations.shape[1]):
            if paths[i, j] == 0:
                continue
            for operation in (MOVE, SUBSTITUTE, INSERT, DELETE, MATCH):
                if operations[i, j] & operation:
                    before = _before(i, j, operation, lengths[i, j])
                    rows[count] = operation, before[0], before[1], i, j
                    count += 1
    return rows[:count]
