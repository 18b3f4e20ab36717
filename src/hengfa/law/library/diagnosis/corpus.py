"""The law as answers are compared with it, and from which text of it each piece of one was taken.

Versions share most of their articles, so a text is kept once with everything that is its home. What
has no articles (preambles, amending acts, decisions) is one text with its version as its home.

Pieces of an answer are traced from their rarest runs of seven letters: a run that stands in one
article only says more than one that stands in fifty. Each is extended to both sides as far as
answer and text agree; the longest agreement wins, and equally long ones are all named. Every letter
is handed out once, so the time grows with the length of the answer only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.matching import (
    RECITED,
    RECITED_RUN,
    Codes,
    Mask,
    Numbers,
    Passage,
    Piece,
    RunIndex,
    SharedRuns,
    articles,
    passage_of,
)
from hengfa.law.library.model import Version
from hengfa.law.library.store import Library

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


class Home(NamedTuple):
    """An article of a version, by its numbers; None for a text without articles."""

    version: int
    article: int | None
    article_sub: int | None


class Corpus:
    """The different texts of some versions, with the index of their letters.

    ``homes[i]`` are all articles that read as ``texts[i]``.
    """

    def __init__(self, library: Library, versions: Iterable[Version]) -> None:
        self.texts: list[Passage] = []
        self.homes: list[list[Home]] = []
        numbers: dict[_Shape, int] = {}
        for version in versions:
            bodies = (part for part in library.parts(version) if part.part in {"preamble", "body"})
            besides = ([Piece(Position(), part.text)] for part in bodies)
            for pieces in chain(articles(library, version), besides):
                home = Home(version.id, *pieces[0].position[:2])
                shape = tuple((*position[2:], text) for position, text in pieces)
                if shape not in numbers:
                    numbers[shape] = len(self.texts)
                    self.texts.append(passage_of(version, pieces, RECITED))
                    self.homes.append([])
                self.homes[numbers[shape]].append(home)
        self.index = RunIndex([text.letters for text in self.texts], RECITED_RUN)
        self._versions: dict[int, Mask] = {}

    def of_version(self, version: Version) -> Mask:
        """Which texts stand in a version."""
        if version.id not in self._versions:
            own = (any(home.version == version.id for home in homes) for homes in self.homes)
            self._versions[version.id] = np.fromiter(own, dtype=bool, count=len(self.texts))
        return self._versions[version.id]

    def of_article(self, version: Version, position: Position) -> Mask:
        """Which text is the article of a version in which a position lies."""
        mask = np.zeros(len(self.texts), dtype=bool)
        home = Home(version.id, position.article, position.article_sub)
        if home in self._numbers:
            mask[self._numbers[home]] = True
        return mask

    @cached_property
    def _numbers(self) -> dict[Home, int]:
        return {home: number for number, homes in enumerate(self.homes) for home in homes}

    @cached_property
    def whole(self) -> dict[str, list[Origin]]:
        """The letters of every provision, and where they stand."""
        origins: dict[str, list[Origin]] = {}
        for number, text in enumerate(self.texts):
            for start, end in text.provisions():
                origins.setdefault(text.letters[start:end], []).append(Origin(number, start, end))
        return origins

    @cached_property
    def pairs(self) -> list[set[str]]:
        """The pairs of letters of each text."""
        return [pairs_of(text.letters) for text in self.texts]

    @cached_property
    def _having(self) -> Counter[str]:
        return Counter(pair for pairs in self.pairs for pair in pairs)

    def weight(self, pair: str) -> float:
        """How much a pair of letters says: the more, the fewer texts have it."""
        return math.log((len(self.texts) + 1) / (self._having[pair] + 1))


def pairs_of(letters: str, wanted: Mask | None = None) -> set[str]:
    """Every two letters in a row; of those that are wanted only."""
    starts = range(len(letters) - 1) if wanted is None else np.flatnonzero(wanted[:-1] & wanted[1:])
    return {letters[at : at + 2] for at in starts}


_Shape: TypeAlias = tuple[tuple[int | None, int | None, str], ...]
"""Paragraph, item and text of each piece of an article, whatever its number."""


class Corpora:
    """The corpora of one library, each made when it is first asked for."""

    def __init__(self) -> None:
        self._laws: dict[str, Corpus] = {}
        self._all: Corpus | None = None

    def of_law(self, library: Library, law: str) -> Corpus:
        if law not in self._laws:
            self._laws[law] = Corpus(library, library.shelf.versions[law])
        return self._laws[law]

    def of_all(self, library: Library) -> Corpus:
        """All versions of all laws: three seconds the first time."""
        if self._all is None:
            self._all = Corpus(library, library.versions())
        return self._all


_KEPT: Final[WeakKeyDictionary[Library, Corpora]] = WeakKeyDictionary()


def corpora_of(library: Library) -> Corpora:
    """What was made of a library so far; it is forgotten with the library."""
    return _KEPT.setdefault(library, Corpora())


class Traced(NamedTuple):
    """Letters ``start`` to ``end`` of an answer, and the texts that have them.

    ``agreed`` is how many letters on end agree with these texts, those of other pieces included.
    """

    start: int
    end: int
    origins: tuple[Origin, ...]
    agreed: int


def trace(
    answer: Codes, wanted: Mask, held: SharedRuns, starts: Mask, texts: Mask | None
) -> list[Traced]:
    """Pieces for all ``wanted`` letters, from first to last.

    ``starts`` says where runs begin that one of ``texts`` has (None: any text of the corpus).
    """
    if not wanted.any():
        return []
    tracer = _Tracer(answer, wanted, held, texts)
    before, run = np.concatenate(([0], np.cumsum(wanted))), held.index.run
    begins = np.flatnonzero(starts & (before[run:] > before[:-run]))  # runs with a wanted letter
    rarest = np.argsort(held.times()[begins], kind="stable")
    for start in begins[rarest].tolist():
        tracer.take(start)
    return sorted(tracer.pieces)


class _Tracer:
    """Hands out the letters of an answer; nothing agrees beyond its ends."""

    def __init__(self, answer: Codes, wanted: Mask, held: SharedRuns, texts: Mask | None) -> None:
        edge = np.ones(_WINDOW, dtype=answer.dtype)  # 1 is no letter
        self.answer = np.concatenate((edge, answer, edge))
        self.free = np.concatenate((edge > 1, wanted, edge > 1))
        self.held = held
        self.codes = held.index.codes
        self.texts = texts
        self.candidates: dict[int, Numbers] = {}
        self.used: set[int] = set()
        self.pieces: list[Traced] = []

    def take(self, start: int) -> None:
        """Hand out the letters of one run that nobody has yet, and what agrees around them."""
        run = self.free[start + _WINDOW :][: self.held.index.run]
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
        self.pieces.append(Traced(start, end, origins, max(end - start, int(around[first]))))

    def _origins(self, places: Numbers, size: int) -> tuple[Origin, ...]:
        """Each text once; those that gave another piece are more likely to have given this one."""
        texts = self.held.index.text_of(places)
        begins = places - self.held.index.starts[texts]
        origins = {
            text: Origin(text, begin, begin + size)
            for text, begin in zip(texts.tolist(), begins.tolist(), strict=True)
        }
        known = tuple(origin for text, origin in origins.items() if text in self.used)
        chosen = known or tuple(origins.values())
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


def _leading(agree: Mask) -> Numbers:
    """How many values at the beginning of each row are true."""
    leading: Numbers = np.where(agree.all(axis=1), agree.shape[1], np.argmin(agree, axis=1))
    return leading
