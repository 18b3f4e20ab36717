"""An index of every seven letters in a row of many texts: where a piece of an answer comes from.

The letters of all texts stand in one array, and beside it the places of their runs of seven, sorted
by a 64-bit hash of the run. A run is looked up by binary search, so all laws together (four million
letters) take three seconds to index, no file, and microseconds to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

GRAM: Final = 7
"""CLaw spec 5: characters are covered by runs of seven."""

Codes: TypeAlias = NDArray[np.uint32]
Hashes: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_BETWEEN: Final = "\0"  # between two texts; no letter
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)


def codes_of(letters: str) -> Codes:
    """Letters as numbers."""
    return np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def hashes_of(codes: Codes) -> Hashes:
    """A hash for each run of seven, of which there are six fewer than letters."""
    size = max(len(codes) - GRAM + 1, 0)
    hashes = np.zeros(size, dtype=np.uint64)
    for at in range(GRAM):
        hashes += codes[at : at + size]
        hashes *= _ODD
        hashes ^= hashes >> _SHIFT
    return hashes


def covered(starts: Mask, size: int) -> Mask:
    """Which of ``size`` letters lie in a run of seven that begins where ``starts`` is true."""
    depth = np.zeros(size + 1, dtype=np.int64)
    begins = np.flatnonzero(starts)
    depth[begins] += 1
    np.subtract.at(depth, np.minimum(begins + GRAM, size), 1)
    return np.cumsum(depth[:size]) > 0


class Held:
    """Which runs of a question an index has; each different run is looked up once.

    ``run_of[i]`` is the number of the run that begins at letter ``i``; of run ``r`` the index has
    the places ``offsets[low[r]:high[r]]``.
    """

    def __init__(self, index: GramIndex, hashes: Hashes) -> None:
        runs, self.run_of = np.unique(hashes, return_inverse=True)
        self.index = index
        self.low = np.searchsorted(index.hashes, runs, side="left")
        self.high = np.searchsorted(index.hashes, runs, side="right")

    def times(self) -> Numbers:
        """How often the index has each run of the question, in the question's order."""
        return (self.high - self.low)[self.run_of]

    def within(self, texts: Mask) -> Mask:
        """Which runs of the question stand in one of these texts."""
        counts = self.high - self.low
        ends = np.cumsum(counts)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.high - ends, counts)
        hits = texts[self.index.text_of(self.index.offsets[at])]
        found = np.zeros(len(counts), dtype=bool)
        found[np.repeat(np.arange(len(counts)), counts)[hits]] = True
        return found[self.run_of]

    def places(self, start: int) -> Numbers:
        """Where in the index the run stands that begins at letter ``start``."""
        run = self.run_of[start]
        return np.sort(self.index.offsets[self.low[run] : self.high[run]])


class GramIndex:
    """The runs of seven letters of some texts; ``codes`` has a 0 before and after each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.codes = codes_of(_BETWEEN + "".join(text + _BETWEEN for text in texts))
        ends = accumulate((len(text) + 1 for text in texts), initial=1)
        self.starts: Numbers = np.array(list(ends), dtype=np.int64)
        hashes = hashes_of(self.codes)
        broken = covered(self.codes[::-1] == 0, len(self.codes))[::-1]  # by a gap further on
        whole = np.flatnonzero(~broken[: len(hashes)])
        hashes = hashes[whole]
        order = np.argsort(hashes)
        self.hashes: Hashes = hashes[order]
        self.offsets: Numbers = whole[order]

    def text_of(self, offsets: Numbers) -> Numbers:
        """The numbers of the texts in which these places lie."""
        return np.searchsorted(self.starts, offsets, side="right") - 1
