"""The words of the law as they are matched with other people's words, quoted or recited.

Editions of one law differ in commas, quotation marks, widths and the layout of items; these are no
differences of the law. So texts are compared by their letters (:func:`normalise`), under one of two
notations: :data:`QUOTED` for words in documents, :data:`RECITED` for answers of models.

A :class:`Passage` is an article by its letters, and which of them belong to which paragraph and
item. A :class:`RunIndex` says where runs of some letters stand in many passages. What to make of a
match is for others: :mod:`hengfa.law.library.citing` lays a quotation over the article it is said
to be from, :mod:`hengfa.law.library.diagnosis` says from where each letter of an answer was taken.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.numerals import parse_number
from hengfa.law.grammar.script import simplified
from hengfa.law.library.model import LawEntry, Version
from hengfa.law.library.store import Library
from hengfa.law.text.copies import codes_of, hashes_of

QUOTED_RUN: Final = 8
"""Eight letters of law are mostly found in one provision only."""
RECITED_RUN: Final = 7
"""claw.md 5: characters are covered by runs of seven."""
Codes: TypeAlias = NDArray[np.uint32]
Hashes: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


# --- letters ---


class _Letters(dict[int, str]):
    """What each character comes to: "" where it is dropped. Filled as characters are met."""

    def __init__(self, letters_of: Callable[[str], str]) -> None:
        super().__init__()
        self._letters_of = letters_of

    def __missing__(self, code: int) -> str:
        letters = self[code] = self._letters_of(chr(code))
        return letters


@dataclass(frozen=True, slots=True, eq=False)
class Notation:
    """How one kind of text writes the law down.

    ``presentation`` is what is no part of the words, such as the numbers of items; ``gaps`` are the
    signs for words that were left out.
    """

    presentation: re.Pattern[str]
    letters: _Letters
    gaps: re.Pattern[str] | None = None


def _quoted_letters(character: str) -> str:
    """Letters and digits in one width and script, and ×, which masks a word in a judgment."""
    if character == "×":
        return character
    if not character.isalnum():
        return ""
    wide = "０" <= character <= "ｚ"
    return chr(ord(character) - 0xFEE0) if wide else simplified(character)


def _recited_letters(character: str) -> str:
    """claw.md 5: NFKC, without white space and punctuation."""
    folded = unicodedata.normalize("NFKC", character)
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LMN")


QUOTED: Final = Notation(
    # "（二）", "(2)", "第（二）项", "3." where an item begins; not in 前款第（二）项, "3.5倍"
    re.compile(
        r"(?:(?<=[\s。；;：:….“”])|\A)"
        r"(?:第?[（(](?:[一二三四五六七八九十]{1,3}|[0-9]{1,2})[)）]项?|[0-9]{1,2}[.．、](?![0-9]))"
    ),
    _Letters(_quoted_letters),
    # "……", "...", "（略）"; not "。"
    re.compile(r"…+|\.{3,}|。{3,}|[（(\[［【](?:以?下?略|其[他余]略|节选)[)）\]］】]"),
)
"""Words of the law in a document: they may be given in part."""
_NUMERAL: Final = "[0-9０-９〇零一二三四五六七八九十百千]"

RECITED: Final = Notation(
    re.compile(
        # "```markdown", "~~~"; not "`"
        r"(?:```|~~~)[A-Za-z]*+"
        # "第二十条　", "**第20条第二款**", "第二十条之一：" before a text; not "第二十条规定的"
        rf"|^[ \t　>#*【\[]*+第{_NUMERAL}{{1,9}}条(?:之{_NUMERAL}{{1,3}})?"
        rf"(?:第{_NUMERAL}{{1,3}}款)?(?:第[（(]?{_NUMERAL}{{1,3}}[)）]?项)?(?=[\s*:：】\]])"
        # "（三）" where an item begins; not in "前款第（三）项"
        r"|(?:(?<=[\s。；;：:])|^)[（(][一二三四五六七八九十百]{1,4}[)）]"
        # "- 1. ", "2、" at the head of a line; not "1.5万元"
        r"|^[ \t　>*•-]*+[0-9]{1,2}[.、](?![0-9])",
        re.MULTILINE,
    ),
    _Letters(_recited_letters),
)
"""A provision as a model recites it: it is never blamed for layout, code fences and numbers."""
# "。" and what closes a sentence, or begins a new line
_SENTENCE_END: Final = re.compile(r"[。；;！？!?…”\s]")


@dataclass(frozen=True)
class Normalised:
    """A text by its letters: letter ``i`` stands at ``places[i]`` of ``text``.

    ``bare`` is the text with blanks for all that merely presents it; ``breaks`` are the letters
    before which words are left out and said to be (……).
    """

    text: str
    bare: str
    letters: str
    places: tuple[int, ...]
    breaks: frozenset[int]

    def begins(self, at: int) -> bool:
        """Whether something that is no letter, or nothing, stands before letter ``at``."""
        return at in {0, len(self.places)} or self.places[at] > self.places[at - 1] + 1

    @cached_property
    def sentences(self) -> frozenset[int]:
        """The letters that begin a sentence."""
        places = self.places
        begun = (n for n in range(1, len(places)) if self.begins(n))
        ends = (n for n in begun if _SENTENCE_END.search(self.bare, places[n - 1] + 1, places[n]))
        return frozenset((0, *ends))


def normalise(text: str, notation: Notation = RECITED) -> str:
    """The letters of a text."""
    return notation.presentation.sub(" ", text).translate(notation.letters)


def normalise_in_place(text: str, notation: Notation = RECITED) -> Normalised:
    """The letters of a text, and where each of them stands."""
    bare = notation.presentation.sub(_blank, text)
    gaps: list[int] = []
    if notation.gaps:
        gaps = [gap.start() for gap in notation.gaps.finditer(bare)]
        bare = notation.gaps.sub(_blank, bare)
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(bare):
        if written := notation.letters[ord(character)]:
            letters.append(written)
            places.extend([place] * len(written))
    breaks = frozenset(bisect_right(places, gap) for gap in gaps)
    return Normalised(text, bare, "".join(letters), tuple(places), breaks)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


# --- passages ---


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


# Where sentences end: "。", "；", "："; not "，"
_SENTENCE: Final = re.compile(r"[^。；;：:\n]*[。；;：:\n]?")


@dataclass(frozen=True, slots=True)
class Passage:
    """An article, or several one after another: letters and units, without the items' numbers."""

    version: Version
    letters: str
    units: tuple[Unit, ...]
    notation: Notation
    deleted: bool = False

    @property
    def article(self) -> Position:
        return Position(*self.units[0].position[:2])

    @property
    def text(self) -> str:
        return "\n".join(unit.text for unit in self.units)

    def within(self, start: int, end: int) -> tuple[Position, ...]:
        """The positions that letters from ``start`` to ``end`` belong to, in order."""
        return tuple(unit.position for unit in self.units if unit.start < end and start < unit.end)

    def part(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Paragraph and item in which all of these letters lie, as far as there is one."""
        touched = self.within(start, end)
        paragraphs = {position.paragraph for position in touched}
        items = {position.item for position in touched}
        if len(paragraphs) != 1:
            return None, None
        return paragraphs.pop(), items.pop() if len(items) == 1 else None

    def provisions(self) -> Iterator[tuple[int, int]]:
        """Where leaves, paragraphs and the article itself begin and end."""
        spans = {(unit.start, unit.end) for unit in self.units}
        for _, units in groupby(self.units, key=lambda unit: unit.position.paragraph):
            several = list(units)
            spans.add((several[0].start, several[-1].end))
        yield from sorted({*spans, (0, len(self.letters))})

    def sentences(self) -> set[int]:
        """The letters with which sentences begin, and the end."""
        borders = {len(self.letters)}
        for unit in self.units:
            place = unit.start
            for sentence in _SENTENCE.findall(unit.text):
                borders.add(place)
                place += len(normalise(sentence, self.notation))
        return borders

    def only(self, wanted: Callable[[Position], bool]) -> Passage | None:
        """The same without the units that are not wanted; None where none is left."""
        kept = [unit for unit in self.units if wanted(unit.position)]
        if len(kept) == len(self.units):
            return self
        pieces = [Piece(unit.position, unit.text) for unit in kept]
        return passage_of(self.version, pieces, self.notation) if pieces else None


def passage_of(
    version: Version, pieces: Sequence[Piece], notation: Notation, *, deleted: bool = False
) -> Passage:
    """The passage that these pieces make, one at least."""
    written: list[str] = []
    units: list[Unit] = []
    place = 0
    for position, text in pieces:
        written.append(normalise(text, notation))
        units.append(Unit(place, place + len(written[-1]), position, text))
        place += len(written[-1])
    return Passage(version, "".join(written), tuple(units), notation, deleted)


def joined(passages: Sequence[Passage]) -> Passage:
    """Several articles as one passage, for a quotation that runs over them."""
    units: list[Unit] = []
    place = 0
    for passage in passages:
        units += [unit.moved(place) for unit in passage.units]
        place += len(passage.letters)
    letters = "".join(passage.letters for passage in passages)
    return Passage(passages[0].version, letters, tuple(units), passages[0].notation)


def articles(library: Library, version: Version) -> Iterator[list[Piece]]:
    """The leads and leaves of a version, article by article."""
    for provisions in library.articles(version):
        yield [Piece(provision.position, provision.text) for provision in provisions]


_K = TypeVar("_K", bound=Hashable)
_T = TypeVar("_T")


class Cache(Generic[_K, _T]):
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


_KEPT_ARTICLES: Final = 4_096
# "一、", "十二、" at the beginning of a line; not "（一）"
_SECTION: Final = re.compile(r"^(?P<number>[一二三四五六七八九十百]{1,5})、", re.MULTILINE)


class Passages:
    """Passages of one library for quotations, those used last kept in memory."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._articles: Cache[tuple[int, Position], Passage | None] = Cache(_KEPT_ARTICLES)

    def article(self, version: Version, position: Position) -> Passage | None:
        """The article in which a position lies; None where the version has none."""
        article = Position(position.article, position.article_sub)
        return self._articles.get((version.id, article), lambda: self._read(version, article))

    def _read(self, version: Version, article: Position) -> Passage | None:
        provisions = self.library.article(version, article)
        pieces = [Piece(provision.position, provision.text) for provision in provisions]
        if version.form == "numbered":
            pieces = [piece for piece in self._sections(version) if piece.position == article]
        if not pieces:
            return None
        deleted = bool(provisions) and all(provision.deleted for provision in provisions)
        return passage_of(version, pieces, QUOTED, deleted=deleted)

    def _sections(self, version: Version) -> Iterator[Piece]:
        """The sections 一、二、三 of an amending act or decision, which are cited as articles."""
        body = "\n".join(p.text for p in self.library.parts(version) if p.part == "body")
        begin, number = 0, 0
        for section in _SECTION.finditer(body):
            if parse_number(section["number"]) == number + 1:
                if number:
                    yield Piece(Position(number), body[begin : section.start()].strip())
                begin, number = section.end(), number + 1
        if number:
            yield Piece(Position(number), body[begin:].strip())

    def articles(self, version: Version) -> Iterator[Passage]:
        """Every article of a version."""
        for pieces in articles(self.library, version):
            yield passage_of(version, pieces, QUOTED)

    def all_of(self, law: LawEntry) -> Iterator[Passage]:
        """Every article of every version of a law that is at hand."""
        for version in self.library.versions(law):
            yield from self.articles(version)


# --- runs of letters ---

_BETWEEN: Final = "\0"  # between two texts; no letter


def covered(starts: Mask, size: int, run: int) -> Mask:
    """Which of ``size`` letters lie in a run of letters that begins where ``starts`` is true."""
    depth = np.zeros(size + 1, dtype=np.int64)
    begins = np.flatnonzero(starts)
    depth[begins] += 1
    np.subtract.at(depth, np.minimum(begins + run, size), 1)
    return np.cumsum(depth[:size]) > 0


class RunIndex:
    """Every ``run`` letters in a row of some texts.

    The letters of all texts stand in one array, ``codes``, with a 0 before and after each text, and
    beside it the places of their runs, sorted by a 64-bit hash of the run. A run is looked up by
    binary search, so all laws together (four million letters) take three seconds to index, no file,
    and microseconds to ask.
    """

    def __init__(self, texts: Sequence[str], run: int) -> None:
        self.run = run
        self.codes = codes_of(_BETWEEN + "".join(text + _BETWEEN for text in texts))
        ends = accumulate((len(text) + 1 for text in texts), initial=1)
        self.starts: Numbers = np.array(list(ends), dtype=np.int64)
        hashes = hashes_of(self.codes, run)
        broken = covered(self.codes[::-1] == 0, len(self.codes), run)[::-1]  # by a gap further on
        whole = np.flatnonzero(~broken[: len(hashes)])
        hashes = hashes[whole]
        order = np.argsort(hashes)
        self.hashes: Hashes = hashes[order]
        self.offsets: Numbers = whole[order]

    def text_of(self, offsets: Numbers) -> Numbers:
        """The numbers of the texts in which these places lie."""
        return np.searchsorted(self.starts, offsets, side="right") - 1


class SharedRuns:
    """Which runs of a question an index has; each different run is looked up once.

    ``run_of[i]`` is the number of the run that begins at letter ``i``; of run ``r`` the index has
    the places ``offsets[low[r]:high[r]]``.
    """

    def __init__(self, index: RunIndex, letters: Codes) -> None:
        runs, self.run_of = np.unique(hashes_of(letters, index.run), return_inverse=True)
        self.index = index
        self.low = np.searchsorted(index.hashes, runs, side="left")
        self.high = np.searchsorted(index.hashes, runs, side="right")

    def times(self) -> Numbers:
        """How often the index has each run of the question, in the question's order."""
        return (self.high - self.low)[self.run_of]

    def within(self, texts: Mask) -> Mask:
        """Which runs of the question stand in one of these texts."""
        runs, homes = self._homes()
        held = np.zeros(len(self.low), dtype=bool)
        held[runs[texts[homes]]] = True
        return held[self.run_of]

    def shared(self) -> Numbers:
        """How many different runs of the question each text has."""
        runs, homes = self._homes()
        texts = len(self.index.starts)
        pairs = np.unique(runs * texts + homes)
        return np.bincount(pairs % texts, minlength=texts)

    def places(self, start: int) -> Numbers:
        """Where in the index the run stands that begins at letter ``start``."""
        run = self.run_of[start]
        return np.sort(self.index.offsets[self.low[run] : self.high[run]])

    def _homes(self) -> tuple[Numbers, Numbers]:
        """Each run as often as the index has it, and the text in which it stands there."""
        counts = self.high - self.low
        ends = np.cumsum(counts)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.high - ends, counts)
        runs = np.repeat(np.arange(len(counts)), counts)
        return runs, self.index.text_of(self.index.offsets[at])
