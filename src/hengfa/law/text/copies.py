"""Which texts stand in others, word by word or nearly so.

Texts are compared by their letters: no white space, punctuation or case, one width. One is *the
same* as another where all letters are. It is *near* where at least half of what is its own stands
in the other, counted in runs of eight letters. Its own is what at most five of the texts that are
looked for have, and not more than half of them, so that the set phrases of a questionnaire do not
count. A text with little of its own is never near.

The cost is linear in both: runs are looked up, texts are never laid side by side. What says the
same in other words is not found.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]

RUN: Final = 8
"""Shorter runs, such as the name of a court, are shared by texts that have nothing to do with each
other (as `evals/runs/suspicion.py` has it)."""
NEAR: Final = 0.5
"""So much of what is a text's own stands in one that it is near to."""
FEW: Final = 5
LEAST_OWN: Final = 12
"""Of a text with fewer runs of its own nothing near is told."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)


def codes_of(letters: str) -> NDArray[np.uint32]:
    return np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def hashes_of(codes: NDArray[np.uint32], run: int) -> Codes:
    size = max(len(codes) - run + 1, 0)
    hashes = np.zeros(size, dtype=np.uint64)
    for at in range(run):
        hashes += codes[at : at + size]
        hashes *= _ODD
        hashes ^= hashes >> _SHIFT
    return hashes


def letters(text: str) -> str:
    """What is compared of a text."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


class Copies:
    """Documents of one or several texts each, in which others are looked for."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self.size = len(documents)
        self._whole: defaultdict[str, list[int]] = defaultdict(list)
        texts: list[str] = []
        owners: list[int] = []
        for number, document in enumerate(documents):
            for text in dict.fromkeys(map(letters, document)):
                self._whole[text].append(number)
                texts.append(text)
                owners.append(number)
        codes, of_text = _runs(texts)
        self._codes, self._owners = _pairs(codes, np.array(owners, np.int64)[of_text])

    def find(
        self, texts: Sequence[str], *, shortest: int = 1, least_own: int = LEAST_OWN
    ) -> dict[tuple[int, int], float]:
        """Text and document, by their numbers, of all that is there, and how much of it is: 1 where
        all letters are the same, of which there must be `shortest`."""
        spelled = [letters(text) for text in texts]
        same = {
            (number, document): 1.0
            for number, text in enumerate(spelled)
            if len(text) >= shortest
            for document in self._whole.get(text, ())
        }
        return dict(sorted((dict(self._near(spelled, least_own)) | same).items()))

    def _near(
        self, texts: Sequence[str], least_own: int
    ) -> Iterator[tuple[tuple[int, int], float]]:
        codes, text = _pairs(*_runs(texts))
        _, kind, held_by = np.unique(codes, return_inverse=True, return_counts=True)
        own = held_by[kind.ravel()] <= min(FEW, max(1, len(texts) // 2))
        codes, text = codes[own], text[own]
        runs = np.bincount(text, minlength=len(texts)).tolist()
        first = np.searchsorted(self._codes, codes, "left")
        times = np.searchsorted(self._codes, codes, "right") - first
        before = np.cumsum(times) - times
        hits = np.repeat(first - before, times) + np.arange(int(times.sum()))
        keys = np.repeat(text, times) * max(self.size, 1) + self._owners[hits]
        pairs, shared = np.unique(keys, return_counts=True)
        for pair, count in zip(pairs.tolist(), shared.tolist(), strict=True):
            number, document = divmod(pair, self.size)
            if runs[number] >= least_own and count >= NEAR * runs[number]:
                yield (number, document), min(count / runs[number], 0.999)


def _runs(texts: Sequence[str]) -> tuple[Codes, Places]:
    """Every run of letters as a number, and the number of its text."""
    lengths = np.array([len(text) for text in texts], np.int64)
    signs = codes_of("".join(texts))
    codes = hashes_of(signs, RUN)
    text = np.repeat(np.arange(len(texts)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(signs))
    whole = left[: len(codes)] >= RUN  # a run does not go on in the next text
    return codes[whole], text[: len(codes)][whole]


def _pairs(codes: Codes, owners: Places) -> tuple[Codes, Places]:
    """Each run once for each owner, in the order of runs."""
    order = np.lexsort((owners, codes))
    codes, owners = codes[order], owners[order]
    new = np.ones(len(codes), bool)
    new[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
    return codes[new], owners[new]
