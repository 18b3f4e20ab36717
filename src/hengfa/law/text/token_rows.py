"""Texts in tokens through a model: batches of like length, by tokens, that keep a card busy.

The tokens of many texts are put on the card at once, one text after the other, and a batch is cut
out of them there. A batch holds as many tokens as its budget allows, padding counted; where the
card runs out of memory the budget is halved. Texts of one length that nearly fill a batch get it
for themselves: without padding there is no mask, and attention takes its fastest way.

Torch is an optional part, imported by those who call this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import chain
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hengfa.base.errors import UsageError

Numbers = NDArray[np.int64]
Item = TypeVar("Item")
_CPU_TOKENS: Final = 16_384  # in a batch
_CARD_TOKENS: Final = 262_144
_NEARLY: Final = 4  # a batch for texts of one length is filled to a fourth at least


def precision(device: str) -> Any:
    """What a model computes in: bfloat16 on a card that knows it, float32 elsewhere."""
    torch = import_module("torch")
    half = device != "cpu" and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if half else torch.float32


class TokenRows:
    """The tokens of texts, one text after the other on a device, and a last one for padding."""

    def __init__(self, rows: Sequence[Sequence[int]], filler: int, device: str) -> None:
        self._torch, self._device = import_module("torch"), device
        self.lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        self._lengths = self.put(self.lengths)
        self._starts = self.put(self.lengths.cumsum() - self.lengths)
        self.ids = self.beside(rows, filler)

    def put(self, array: NDArray[Any]) -> Any:
        """An array on the device; nobody waits for the copy."""
        tensor = self._torch.from_numpy(array)
        if self._device == "cpu":
            return tensor
        return tensor.pin_memory().to(self._device, non_blocking=True)

    def beside(self, rows: Sequence[Sequence[int]], filler: int) -> Any:
        """A number for every token, in the order of the tokens."""
        return self.put(np.fromiter(chain(*rows, [filler]), np.int64, self.lengths.sum() + 1))

    def rectangle(self, numbers: Numbers) -> tuple[Any, Any]:
        """Where the tokens of some texts stand, and which of these places are no padding."""
        rows = self.put(numbers)
        width = max(1, int(self.lengths[numbers].max()))  # a text may have no token at all
        span = self._torch.arange(width, device=self._device)
        there = span < self._lengths[rows].unsqueeze(1)
        places = self._starts[rows].unsqueeze(1) + span
        return self._torch.where(there, places, len(self.ids) - 1), there

    def mask(self, numbers: Numbers, there: Any) -> Any:
        """What a model is told of padding: nothing where there is none."""
        lengths = self.lengths[numbers]
        return None if lengths.min() == lengths.max() else there.long()


class TokenBudget:
    """How many tokens a batch may hold; without a number, what suits the device."""

    def __init__(self, tokens: int | None = None) -> None:
        self._tokens = tokens

    def tokens(self, device: str) -> int:
        return self._tokens or (_CPU_TOKENS if device == "cpu" else _CARD_TOKENS)

    def run(self, lengths: Numbers, device: str, work: Callable[[Numbers], None]) -> None:
        """Give the numbers of all texts to ``work``, a batch at a time, the longest first.

        A batch may be given a second time, in parts, after the memory of a card was not enough.
        """
        torch = import_module("torch")
        order = np.argsort(-lengths, kind="stable")
        falling = -lengths[order]
        start = 0
        while start < len(order):
            longest = max(1, -int(falling[start]))
            rows = max(1, self.tokens(device) // longest)
            equal = int(np.searchsorted(falling, falling[start], "right")) - start
            batch = order[start : start + (min(rows, equal) if equal * _NEARLY >= rows else rows)]
            try:
                work(batch)
            except torch.cuda.OutOfMemoryError as error:
                if len(batch) == 1:
                    raise UsageError(
                        f"the card has too little memory for a text of {longest} tokens"
                    ) from error
                self._tokens = longest * (len(batch) // 2)
            else:
                start += len(batch)
                continue
            torch.cuda.empty_cache()  # after the error, which holds on to what was computed


def fetch(tensor: Any) -> Callable[[], NDArray[Any]]:
    """Begin to copy a tensor to this side; the function waits until it is here."""
    torch = import_module("torch")
    here = tensor.to("cpu", non_blocking=True)
    if not tensor.is_cuda:
        return lambda: np.asarray(here)
    copied = torch.cuda.Event()
    copied.record()

    def wait() -> NDArray[Any]:
        copied.synchronize()
        return np.asarray(here)

    return wait


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The items, each made by a thread while the one before it is used."""
    making = iter(items)
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, making, None)
        while (item := following.result()) is not None:
            following = thread.submit(next, making, None)
            yield item
