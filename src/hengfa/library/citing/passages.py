"""The articles of a library as they are compared with quotations, and an index of their words.

A passage is one article of one version: its letters, and which of them belong to which paragraph
and item. :class:`WordIndex` finds the articles of a law that share words with a quotation by
sequences of eight letters, in all versions at once.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Generic, NamedTuple, TypeVar

from hengfa.law.citation_model import Position
from hengfa.law.numerals import parse_number
from hengfa.library.citing.letters import letters
from hengfa.library.model import Law, Version
from hengfa.library.store import Library

GRAM: Final = 8
"""Eight letters of law are mostly found in one provision only."""

_KEPT_ARTICLES: Final = 4_096
# "一、", "十二、" at the beginning of a line; not "（一）"
_SECTION: Final = re.compile(r"^(?P<number>[一二三四五六七八九十百]{1,5})、", re.MULTILINE)
# Where sentences end: "。", "；", "："; not "，"
_SENTENCE: Final = re.compile(r"[^。；;：:\n]*[。；;：:\n]?")

_K = TypeVar("_K", bound=Hashable)
_T = TypeVar("_T")


class Piece(NamedTuple):
    """A lead sentence or leaf of an article."""

    position: Position
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece by its letters: ``letters[start:end]`` of its passage."""

    start: int
    end: int
    position: Position
    text: str

    def moved(self, by: int) -> Unit:
        return Unit(self.start + by, self.end + by, self.position, self.text)


@dataclass(frozen=True, slots=True)
class Passage:
    """An article, or several one after another: letters and units, without the items' numbers."""

    version: Version
    letters: str
    units: tuple[Unit, ...]
    deleted: bool = False

    @property
    def article(self) -> Position:
        return Position(*self.units[0].position[:2])

    def within(self, start: int, end: int) -> tuple[Position, ...]:
        """The positions that letters from ``start`` to ``end`` belong to, in order."""
        return tuple(unit.position for unit in self.units if unit.start < end and start < unit.end)

    def sentences(self) -> set[int]:
        """The letters with which sentences begin, and the end."""
        borders = {len(self.letters)}
        for unit in self.units:
            place = unit.start
            for sentence in _SENTENCE.findall(unit.text):
                borders.add(place)
                place += len(letters(sentence))
        return borders

    def only(self, wanted: Callable[[Position], bool]) -> Passage | None:
        """The same without the units that are not wanted; None where none is left."""
        kept = [unit for unit in self.units if wanted(unit.position)]
        if len(kept) == len(self.units):
            return self
        return passage_of(self.version, [Piece(unit.position, unit.text) for unit in kept])


def passage_of(
    version: Version, pieces: Iterable[Piece], *, deleted: bool = False
) -> Passage | None:
    """The passage that these pieces make, or None without any."""
    found: list[str] = []
    units: list[Unit] = []
    place = 0
    for position, text in pieces:
        found.append(letters(text))
        units.append(Unit(place, place + len(found[-1]), position, text))
        place += len(found[-1])
    return Passage(version, "".join(found), tuple(units), deleted) if units else None


def joined(passages: Sequence[Passage]) -> Passage:
    """Several articles as one passage, for a quotation that runs over them."""
    units: list[Unit] = []
    place = 0
    for one in passages:
        units += [unit.moved(place) for unit in one.units]
        place += len(one.letters)
    return Passage(passages[0].version, "".join(p.letters for p in passages), tuple(units))


class WordIndex:
    """The words of a law: every article of every version, each text once."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.same: dict[str, list[Passage]] = {}
        for passage in passages:
            self.same.setdefault(passage.letters, []).append(passage)
        self.texts = list(self.same)
        self.grams: dict[str, list[int]] = {}
        for number, text in enumerate(self.texts):
            for gram in _grams(text):
                self.grams.setdefault(gram, []).append(number)

    def like(self, wanted: str, limit: int) -> list[list[Passage]]:
        """The texts that share most words with these letters, each with all its homes."""
        if len(wanted) < GRAM:
            holding = [text for text in self.texts if wanted and wanted in text]
            return [self.same[text] for text in holding[:limit]]
        votes: Counter[int] = Counter()
        for gram in _grams(wanted):
            votes.update(self.grams.get(gram, ()))
        ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        return [self.same[self.texts[number]] for number, _ in ranked[:limit]]


def _grams(text: str) -> set[str]:
    return {text[n : n + GRAM] for n in range(len(text) - GRAM + 1)}


class Passages:
    """Passages of one library, those used last kept in memory."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._articles: Kept[tuple[int, Position], Passage | None] = Kept(_KEPT_ARTICLES)

    def article(self, version: Version, position: Position) -> Passage | None:
        """The article in which a position lies; None where the version has none."""
        article = Position(position.article, position.article_sub)
        return self._articles.get((version.id, article), lambda: self._read(version, article))

    def _read(self, version: Version, article: Position) -> Passage | None:
        found = self.library.article(version, article)
        pieces = [Piece(one.position, one.text) for one in found]
        if version.form == "numbered":
            pieces = [piece for piece in self._sections(version) if piece.position == article]
        return passage_of(version, pieces, deleted=bool(found) and all(p.deleted for p in found))

    def _sections(self, version: Version) -> Iterator[Piece]:
        """The sections 一、二、三 of an amending act or decision, which are cited as articles."""
        body = "\n".join(p.text for p in self.library.parts(version) if p.part == "body")
        begin, number = 0, 0
        for found in _SECTION.finditer(body):
            if parse_number(found["number"]) == number + 1:
                if number:
                    yield Piece(Position(number), body[begin : found.start()].strip())
                begin, number = found.end(), number + 1
        if number:
            yield Piece(Position(number), body[begin:].strip())

    def all_of(self, law: Law) -> Iterator[Passage]:
        """Every article of every version of a law that is at hand."""
        for version in self.library.versions(law):
            entries = self.library.entries(version, role=None)
            for _, found in groupby(entries, key=lambda one: one.position[:2]):
                if passage := passage_of(version, (Piece(p.position, p.text) for p in found)):
                    yield passage


class Kept(Generic[_K, _T]):
    """What was made last, up to a number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.made: OrderedDict[_K, _T] = OrderedDict()

    def get(self, key: _K, make: Callable[[], _T]) -> _T:
        if key in self.made:
            self.made.move_to_end(key)
            return self.made[key]
        made = self.made[key] = make()
        if len(self.made) > self.most:
            self.made.popitem(last=False)
        return made
