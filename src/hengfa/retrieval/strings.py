"""Many strings in two arrays, so that they can lie in a file and be read one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray


class Strings(Sequence[str]):
    """Strings that are decoded when asked for."""

    def __init__(self, content: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        self.content = content
        self.starts = starts

    @classmethod
    def of(cls, strings: Sequence[str]) -> Strings:
        encoded = [one.encode("utf-8", "surrogatepass") for one in strings]
        starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        start, end = self.starts[place % len(self)], self.starts[place % len(self) + 1]
        return self.content[start:end].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        content, starts = self.content.tobytes(), self.starts.tolist()
        for start, end in pairwise(starts):
            yield content[start:end].decode("utf-8", "surrogatepass")
