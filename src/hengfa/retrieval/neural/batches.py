"""Which rows a batch holds: a function of the seed and the batch's number, and of nothing else.

That is what lets a training go on where it stopped: no state of a random generator has to be kept.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hengfa.retrieval.neural.libraries import library


class Batches:
    """Rows in batches, in a new order each time round; the last batch of a round may be smaller."""

    def __init__(self, rows: int, size: int, seed: int) -> None:
        self.rows, self.size, self.seed = rows, size, seed
        self.per_round = -(-rows // size)
        self._order = lru_cache(maxsize=2)(self._shuffled)

    def __getitem__(self, number: int) -> list[int]:
        turn, place = divmod(number, self.per_round)
        return self._order(turn)[place * self.size : (place + 1) * self.size]

    def _shuffled(self, turn: int) -> list[int]:
        order = list(range(self.rows))
        random.Random(f"order {self.seed} {turn}").shuffle(order)
        return order


def dice(seed: int, number: int) -> random.Random:
    """The random choices within one batch."""
    return random.Random(f"batch {seed} {number}")


def padded(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[Any, Any]:
    """Token ids as one rectangle, and where in it there is a token."""
    torch = library("torch")
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), filler, dtype=torch.long)
    there = torch.zeros((len(rows), width), dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row, dtype=torch.long)
        there[number, : len(row)] = 1
    if device == "cuda":
        ids, there = ids.pin_memory(), there.pin_memory()
    return ids.to(device, non_blocking=True), there.to(device, non_blocking=True)
