"""From which text of a corpus each piece of an answer was taken.

Pieces are found from their rarest runs of seven letters: a run that stands in one article only says
more than one that stands in fifty. Each is extended to both sides as far as answer and text agree;
the longest agreement wins, and equally long ones are all named. Every letter is handed out once, so
the time grows with the length of the answer only.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hengfa.library.diagnosis.grams import GRAM, Codes, Held, Mask, Numbers

MOST_CANDIDATES: Final = 24
"""So many texts with the same seven letters are compared; a rarer run decided before, if any."""
_WINDOW: Final = 48
"""So many letters on either side are compared at once, with all candidates."""
_AROUND: Final = np.arange(_WINDOW)


class Origin(NamedTuple):
    """Letters ``start`` to ``end`` of a text of the corpus."""

    text: int
    start: int
    end: int


class Piece(NamedTuple):
    """Letters ``start`` to ``end`` of an answer, and the texts that have them.

    ``agreed`` is how many letters on end agree with these texts, those of other pieces included.
    """

    start: int
    end: int
    origins: tuple[Origin, ...]
    agreed: int


def trace(answer: Codes, wanted: Mask, held: Held, starts: Mask, texts: Mask | None) -> list[Piece]:
    """Pieces for all ``wanted`` letters, from first to last.

    ``starts`` says where runs begin that one of ``texts`` has (None: any text of the corpus).
    """
    if not wanted.any():
        return []
    tracer = _Tracer(answer, wanted, held, texts)
    begins = np.flatnonzero(starts & _touching(wanted))
    rarest = np.argsort(held.times()[begins], kind="stable")
    for start in begins[rarest].tolist():
        tracer.take(start)
    return sorted(tracer.pieces)


class _Tracer:
    """Hands out the letters of an answer; nothing agrees beyond its ends."""

    def __init__(self, answer: Codes, wanted: Mask, held: Held, texts: Mask | None) -> None:
        edge = np.ones(_WINDOW, dtype=answer.dtype)  # 1 is no letter
        self.answer = np.concatenate((edge, answer, edge))
        self.free = np.concatenate((edge > 1, wanted, edge > 1))
        self.held = held
        self.codes = held.index.codes
        self.texts = texts
        self.candidates: dict[int, Numbers] = {}
        self.used: set[int] = set()
        self.pieces: list[Piece] = []

    def take(self, start: int) -> None:
        """Hand out the letters of one run that nobody has yet, and what agrees around them."""
        run = self.free[start + _WINDOW : start + _WINDOW + GRAM]
        if not run.any():
            return
        places = self._candidates(start)
        while run.any():
            ahead = int(np.argmax(run))
            self._hand_out(start + ahead, places + ahead)

    def _candidates(self, start: int) -> Numbers:
        """Where in the texts a run stands, looked up once for each different run."""
        number = int(self.held.run_of[start])
        if number not in self.candidates:
            places = self.held.places(start)
            if self.texts is not None:
                places = places[self.texts[self.held.index.text_of(places)]]
            self.candidates[number] = places[:MOST_CANDIDATES]
        return self.candidates[number]

    def _hand_out(self, at: int, places: Numbers) -> None:
        """The longest agreement around letter ``at``, which stands at ``places`` of the corpus."""
        after, with_after = self._agreement(at, places, 1)
        before, with_before = self._agreement(at, places, -1)
        size, around = before + after, with_before + with_after
        best = np.flatnonzero(size == size.max())
        best = best[around[best] == around[best].max()]
        first = best[0]
        start, end = at - int(before[first]), at + int(after[first])
        self.free[start + _WINDOW : max(end, at + 1) + _WINDOW] = False
        if end == at:  # two runs with one hash: nothing agrees, the letter is from nowhere
            return
        origins = self._origins(places[best] - at + start, end - start)
        self.pieces.append(Piece(start, end, origins, max(end - start, int(around[first]))))

    def _origins(self, places: Numbers, size: int) -> tuple[Origin, ...]:
        """Each text once; those that gave another piece are more likely to have given this one."""
        texts = self.held.index.text_of(places)
        begins = places - self.held.index.starts[texts]
        found = {
            text: Origin(text, begin, begin + size)
            for text, begin in zip(texts.tolist(), begins.tolist(), strict=True)
        }
        chosen = tuple(found[text] for text in found if text in self.used) or tuple(found.values())
        if len(chosen) == 1:
            self.used.add(chosen[0].text)
        return chosen

    def _agreement(self, at: int, places: Numbers, way: int) -> tuple[Numbers, Numbers]:
        """How many letters agree with each place from ``at`` on (1) or before it (-1).

        First those that are free, then, as far as the window goes, all of them.
        """
        steps = _AROUND if way == 1 else -1 - _AROUND
        here = at + _WINDOW + steps
        there = np.clip(places[:, None] + steps, 0, len(self.codes) - 1)
        same = self.codes[there] == self.answer[here]
        free = _leading(same & self.free[here])
        for full in np.flatnonzero(free == _WINDOW):
            free[full] = self._far(at, int(places[full]), way)
        return free, _leading(same)

    def _far(self, at: int, place: int, way: int) -> int:
        """The same for one place, however far it goes; looks no further than twice that."""
        shift = place - at
        first, last = max(0, -shift), min(len(self.free) - 2 * _WINDOW, len(self.codes) - shift)
        size = _WINDOW
        while True:
            size *= 2
            low, high = (at, min(at + size, last)) if way == 1 else (max(at - size, first), at)
            mine = slice(low + _WINDOW, high + _WINDOW)
            same = (self.answer[mine] == self.codes[low + shift : high + shift]) & self.free[mine]
            if not same.all():
                return int(np.argmin(same if way == 1 else same[::-1]))
            if len(same) < size:
                return len(same)


def _touching(wanted: Mask) -> Mask:
    """Which runs of seven, by where they begin, have a wanted letter."""
    before = np.concatenate(([0], np.cumsum(wanted)))
    touching: Mask = before[GRAM:] > before[:-GRAM]
    return touching


def _leading(agree: Mask) -> Numbers:
    """How many values at the beginning of each row are true."""
    found: Numbers = np.where(agree.all(axis=1), agree.shape[1], np.argmin(agree, axis=1))
    return found
