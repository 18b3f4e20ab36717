"""The articles of a law, or of all laws, as answers are compared with them: each text once.

Versions share most of their articles, so a text is kept once with everything that is its home. What
has no articles (preambles, amending acts, decisions) is one text with its version as its home.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from hengfa.law.citation_model import Position
from hengfa.library.diagnosis.grams import GRAM, Codes, GramIndex, Held, Mask, Numbers
from hengfa.library.diagnosis.normalised import normalise
from hengfa.library.model import Provision, Version
from hengfa.library.store import Library

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


class Leaf(NamedTuple):
    """Letters ``start`` to ``end`` of an article are this paragraph, item or lead sentence."""

    start: int
    end: int
    paragraph: int | None
    item: int | None


class Home(NamedTuple):
    """An article of a version, by its numbers; None for a text without articles."""

    version: int
    article: int | None
    article_sub: int | None


@dataclass(frozen=True, slots=True)
class ArticleText:
    """The letters of an article and how they are divided, wherever it stands."""

    letters: str
    leaves: tuple[Leaf, ...]
    homes: list[Home] = field(default_factory=list)

    def part(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Paragraph and item in which all of these letters lie, as far as there is one."""
        touched = [leaf for leaf in self.leaves if leaf.start < end and start < leaf.end]
        paragraphs = {leaf.paragraph for leaf in touched}
        items = {leaf.item for leaf in touched}
        if len(paragraphs) != 1:
            return None, None
        return paragraphs.pop(), items.pop() if len(items) == 1 else None

    def provisions(self) -> Iterator[tuple[int, int]]:
        """Where leaves, paragraphs and the article itself begin and end."""
        found = {(leaf.start, leaf.end) for leaf in self.leaves}
        for _, leaves in groupby(self.leaves, key=lambda leaf: leaf.paragraph):
            several = list(leaves)
            found.add((several[0].start, several[-1].end))
        yield from sorted({*found, (0, len(self.letters))})


class Corpus:
    """Texts with the index of their letters."""

    def __init__(self, texts: Sequence[ArticleText]) -> None:
        self.texts = texts
        self.index = GramIndex([text.letters for text in texts])
        self._versions: dict[int, Mask] = {}

    def of_version(self, version: Version) -> Mask:
        """Which texts stand in a version."""
        if version.id not in self._versions:
            own = (any(home.version == version.id for home in text.homes) for text in self.texts)
            self._versions[version.id] = np.fromiter(own, dtype=bool, count=len(self.texts))
        return self._versions[version.id]

    def of_article(self, version: Version, position: Position) -> Mask:
        """Which text is the article of a version in which a position lies."""
        found = np.zeros(len(self.texts), dtype=bool)
        home = Home(version.id, position.article, position.article_sub)
        if home in self._numbers:
            found[self._numbers[home]] = True
        return found

    @cached_property
    def _numbers(self) -> dict[Home, int]:
        return {home: number for number, text in enumerate(self.texts) for home in text.homes}

    @cached_property
    def whole(self) -> dict[str, list[Origin]]:
        """The letters of every provision, and where they stand."""
        found: dict[str, list[Origin]] = {}
        for number, text in enumerate(self.texts):
            for start, end in text.provisions():
                found.setdefault(text.letters[start:end], []).append(Origin(number, start, end))
        return found


class Corpora:
    """The corpora of one library, each made when it is first asked for."""

    def __init__(self) -> None:
        self._laws: dict[str, Corpus] = {}
        self._all: Corpus | None = None

    def of_law(self, library: Library, law: str) -> Corpus:
        """All versions of a law."""
        if law not in self._laws:
            self._laws[law] = Corpus(gather_texts(library, library.shelf.versions[law]))
        return self._laws[law]

    def of_all(self, library: Library) -> Corpus:
        """All versions of all laws: three seconds the first time."""
        if self._all is None:
            self._all = Corpus(gather_texts(library, library.versions()))
        return self._all


_KEPT: Final[WeakKeyDictionary[Library, Corpora]] = WeakKeyDictionary()


def corpora_of(library: Library) -> Corpora:
    """What was made of a library so far; it is forgotten with the library."""
    return _KEPT.setdefault(library, Corpora())


def gather_texts(library: Library, versions: Iterable[Version]) -> list[ArticleText]:
    """The different texts of these versions."""
    letters: dict[str, str] = {}
    texts: dict[tuple[tuple[int | None, int | None, str], ...], ArticleText] = {}
    for version in versions:
        for (article, sub), provisions in _articles(library, version):
            key = tuple((one.position.paragraph, one.position.item, one.text) for one in provisions)
            if key not in texts:
                texts[key] = _text(key, letters)
            texts[key].homes.append(Home(version.id, article, sub))
        for part in library.parts(version):
            if part.part in {"preamble", "body"}:
                key = ((None, None, part.text),)
                texts.setdefault(key, _text(key, letters)).homes.append(
                    Home(version.id, None, None)
                )
    return list(texts.values())


def _articles(
    library: Library, version: Version
) -> Iterator[tuple[tuple[int | None, int | None], list[Provision]]]:
    entries = library.entries(version, role=None)
    for number, provisions in groupby(entries, key=lambda one: one.position[:2]):
        yield number, list(provisions)


def _text(
    provisions: Iterable[tuple[int | None, int | None, str]], letters: dict[str, str]
) -> ArticleText:
    written: list[str] = []
    leaves: list[Leaf] = []
    end = 0
    for paragraph, item, text in provisions:
        if text not in letters:
            letters[text] = normalise(text)
        written.append(letters[text])
        start, end = end, end + len(letters[text])
        leaves.append(Leaf(start, end, paragraph, item))
    return ArticleText("".join(written), tuple(leaves))
