"""Labels every letter of an answer by where it stands in the law (claw.md 5).

A letter is covered by a text if one of the runs of seven letters in which it stands is in that
text. The first that covers it names it, in this order: the gold, the rest of its article, other
articles of the version, other versions of the law, other laws; or it is unmatched.

Texts shorter than seven letters have no such run. A short gold is found where it stands by itself,
and a short answer where it is a whole provision. One changed letter can take away all runs of a
gold of less than three, and those at the ends of any: so an answer that is alike is laid over the
gold letter by letter as well.

What no run can show is looked at besides: whether the answer as a whole is another provision, word
for word or nearly so; which of its sentences have nothing of the gold; and whether it says the gold
in words of its own, by the pairs of letters that both have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec
import numpy as np
from rapidfuzz.distance import Indel

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.diagnosis.corpus import (
    MOST_CANDIDATES,
    Corpus,
    Home,
    Origin,
    corpora_of,
    pairs_of,
    trace,
)
from hengfa.law.library.matching import (
    RECITED_RUN,
    Mask,
    Normalised,
    Passage,
    SharedRuns,
    covered,
    normalise,
    normalise_in_place,
)
from hengfa.law.library.model import Version
from hengfa.law.library.store import Library, lies_in
from hengfa.law.text.copies import codes_of, hashes_of

Source: TypeAlias = Literal[
    "gold", "same article", "same version", "other version", "other law", "unmatched"
]
"""Where letters come from, in the order in which they are looked for (claw.md 5). The same
article is what it has besides the gold, the same version what is in its other articles."""
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
SHORT: Final = 3 * RECITED_RUN
ALIKE_IF_SHORT: Final = 0.6
ALIKE: Final = 0.9
"""An answer that shares so many letters with the gold, in order, is laid over it."""
PHRASE: Final = 2 * RECITED_RUN
"""Less than this on end in common with another law is a phrase that laws share, and no source."""
# Of the thresholds of claw.md 5 those that are needed here
MOSTLY: Final = 0.50
"""What *mostly* means: more than this part."""
NEAR_EXACT_RECALL: Final = 0.95
MOST_RECALL: Final = 0.80
"""From here on the answer has the gold: with additions, or in other words."""
_BLOCK: Final = 2
"""Single letters that agree are an accident."""


class Place(msgspec.Struct, frozen=True):
    """A provision of one version. Without numbers: the preamble, or an act without articles."""

    law: str
    version: date
    position: Position


class Span(msgspec.Struct, frozen=True):
    """Characters ``start`` to ``end`` of the answer, punctuation and all, and where they are from.

    ``where`` are up to three places that have them, ``more`` is how many others there are. Words in
    common with another law that are a mere ``phrase`` do not say that they were taken from there.
    """

    start: int
    end: int
    source: Source
    where: tuple[Place, ...] = ()
    more: int = 0
    phrase: bool = False


MOST_LAWS: Final = 3
"""What stands word for word in more laws than these is a formula, and no source."""
NEARLY: Final = 0.95
"""An answer that shares so many letters with another provision is that provision with a slip."""
LONGEST_TELLING: Final = 4
"""Nobody needs more than so many times the letters to say the gold in words of his own."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Other provisions that have an answer's letters, and what they are to the gold.

    ``exact``: all of them, and no others. ``level``: whether one of them is an item where an item
    was asked for, or none where none was.
    """

    source: Source
    where: tuple[Place, ...]
    exact: bool = True
    level: bool = True


@dataclass(frozen=True, slots=True)
class Cover:
    """An answer by the labels of its letters: what part of them has which.

    ``recall`` is the part of the gold's letters that the answer has. ``phrases`` is the part of its
    letters that it has from other laws, but never two runs of seven on end. ``added`` is the part
    in whole sentences that have nothing of the gold. ``paraphrase`` says how much of the rest of
    the gold is there in other words, by pairs of letters.
    """

    letters: str
    gold: str
    recall: float
    shares: dict[Source, float]
    phrases: float
    spans: tuple[Span, ...]
    twin: Twin | None
    added: float = 0.0
    paraphrase: float = 0.0


def cover_of(library: Library, version: Version, position: Position, answer: str) -> Cover:
    """The answer to a question for the text of a position that the version has."""
    words = normalise_in_place(answer)
    reader = _Reader(library, version, position, words)
    is_gold, recall = gold_cover(words, reader.gold, overlay=reader.twin is None)
    labelled = [
        *reader.from_the_law(is_gold),
        *runs(is_gold, "gold", Place(version.law, version.promulgated, position)),
    ]
    rest = np.ones(len(words.letters), dtype=bool)
    for piece in labelled:
        rest[piece.start : piece.end] = False
    labelled += runs(rest, "unmatched")
    size = max(len(words.letters), 1)
    twin = reader.twin or reader.near_twin()
    for piece in labelled:
        rest[piece.start : piece.end] |= piece.phrase
    sizes = [(piece.source, piece.end - piece.start, piece.phrase) for piece in labelled]
    return Cover(
        letters=words.letters,
        gold=reader.gold,
        recall=recall,
        shares={source: sum(n for s, n, _ in sizes if s == source) / size for source in SOURCES},
        phrases=sum(n for _, n, phrase in sizes if phrase) / size,
        spans=tuple(_to_spans(answer, words.places, labelled)),
        twin=twin,
        added=sum(end - start for start, end in additions(words, is_gold, rest, recall)) / size,
        paraphrase=reader.paraphrase(is_gold) if twin is None and recall < MOST_RECALL else 0.0,
    )


def additions(
    words: Normalised, is_gold: Mask, unmatched: Mask, recall: float
) -> Iterator[tuple[int, int]]:
    """The sentences, by their letters, that have nothing of the gold.

    One that stands in no law is the gold's own in other words, where some of the gold is missing,
    or a word about the answer: 以下是该条的原文.
    """
    borders = [*sorted(words.sentences), len(words.letters)]
    for start, end in pairwise(borders):
        if end - start < RECITED_RUN or is_gold[start:end].any():
            continue
        if unmatched[start:end].mean() < MOSTLY:
            yield start, end
        elif end - start >= PHRASE and recall >= NEAR_EXACT_RECALL:
            after = words.places[end] if end < len(words.places) else len(words.bare)
            if not _ABOUT.search(words.bare, words.places[start], after):
                yield start, end


# What somebody says about his answer: "以下是原文：", "以上内容仅供参考"; not "应当注明内容和来源"
_ABOUT: Final = re.compile(
    r"以[上下](?:是|为|内容|条文|规定)|如下|原文|全文|条文|供参考|建议|请[您你注参以查]|[：:]\s*\Z"
    r"|第[〇零一二三四五六七八九十百千0-9]{1,9}条(?:之[一二三四五六七八九十]{1,3})?的?(?:规定|内容)"
)


def gold_cover(words: Normalised, gold: str, *, overlay: bool = True) -> tuple[Mask, float]:
    """Which letters of an answer are the gold's, and what part of the gold they are.

    Without ``overlay`` an answer that is alike is not laid over the gold: it is another provision.
    """
    letters = words.letters
    is_gold = np.zeros(len(letters), dtype=bool)
    if letters == gold:
        return ~is_gold, 1.0
    if len(gold) < RECITED_RUN:
        start = letters.find(gold) if gold else -1
        while start >= 0:  # where it stands between punctuation
            if words.begins(start) and words.begins(start + len(gold)):
                is_gold[start : start + len(gold)] = True
            start = letters.find(gold, start + 1)
        if is_gold.any():
            return is_gold, 1.0
    there = np.zeros(len(gold), dtype=bool)
    if len(gold) >= RECITED_RUN and len(letters) >= RECITED_RUN:
        mine, golden = (hashes_of(codes_of(text), RECITED_RUN) for text in (letters, gold))
        is_gold = covered(np.isin(mine, golden), len(letters), RECITED_RUN)
        there = covered(np.isin(golden, mine), len(gold), RECITED_RUN)
    enough = ALIKE_IF_SHORT if len(gold) < SHORT else ALIKE
    if overlay and gold and _likeness(letters, gold, enough) > 0:
        for block in Indel.opcodes(letters, gold):
            if block.tag == "equal" and block.src_end - block.src_start >= _BLOCK:
                is_gold[block.src_start : block.src_end] = True
                there[block.dest_start : block.dest_end] = True
    return is_gold, float(there.mean()) if gold else 0.0


def runs(mask: Mask, source: Source, *where: Place) -> Iterator[Labelled]:
    """The stretches in which a mask is true."""
    edges = np.flatnonzero(np.diff(np.pad(mask.astype(np.int8), 1))).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield Labelled(start, end, source, where)


class _Layer(NamedTuple):
    """One source: where in the answer runs of it begin, and among which texts to trace them."""

    source: Source
    corpus: Corpus
    held: SharedRuns
    starts: Mask
    texts: Mask | None = None


class _Reader:
    """One answer, laid beside the gold and then beside the law."""

    def __init__(
        self, library: Library, version: Version, position: Position, words: Normalised
    ) -> None:
        self.library, self.corpora = library, corpora_of(library)
        self.version, self.position = version, position
        self.words, self.letters = words, words.letters
        asked = [p for p in library.article(version, position) if lies_in(p.position, position)]
        self.gold = "".join(normalise(provision.text) for provision in asked)
        self.own = self.corpora.of_law(library, version.law)
        self.twin = self._twin()
        self.sources: dict[tuple[Source, int], Passage] = {}

    def from_the_law(self, is_gold: Mask) -> Iterator[Labelled]:
        """The pieces of the answer that are not the gold's but stand somewhere in a law."""
        size = len(self.letters)
        if is_gold.all():
            return
        if size < RECITED_RUN:
            if self.twin is not None and not is_gold.any():
                yield Labelled(0, size, self.twin.source, self.twin.where)
            return
        codes = codes_of(self.letters)
        left, asked = ~is_gold, (self.version, self.position)
        known: dict[tuple[Source, tuple[Origin, ...]], tuple[Place, ...]] = {}
        for layer in self._layers(left):
            wanted = left & covered(layer.starts, size, RECITED_RUN)
            left &= ~wanted
            for piece in trace(codes, wanted, layer.held, layer.starts, layer.texts):
                for origin in piece.origins:
                    text = layer.corpus.texts[origin.text]
                    self.sources.setdefault((layer.source, origin.text), text)
                key = layer.source, piece.origins
                if key not in known:
                    known[key] = _places_of(self.library, layer.corpus, asked, *key)
                phrase = layer.source == "other law" and piece.agreed < PHRASE
                yield Labelled(piece.start, piece.end, layer.source, known[key], phrase)

    def _layers(self, left: Mask) -> Iterator[_Layer]:
        """From the same article outwards; other laws only if letters are left for them."""
        codes = codes_of(self.letters)
        held = SharedRuns(self.own.index, codes)
        article = self.own.of_article(self.version, self.position)
        mine = self.own.of_version(self.version)
        yield _Layer("same article", self.own, held, held.within(article), article)
        yield _Layer("same version", self.own, held, held.within(mine), mine)
        yield _Layer("other version", self.own, held, held.times() > 0)
        if left.any():
            everything = self.corpora.of_all(self.library)
            held = SharedRuns(everything.index, codes)
            yield _Layer("other law", everything, held, held.times() > 0)

    def _twin(self) -> Twin | None:
        """The nearest provisions, if any, that have exactly these letters.

        What many laws have, and what is too short, comes from none of them.
        """
        if not self.letters or self.letters == self.gold:
            return None
        twin = self._twin_in(self.own)
        if twin is not None or len(self.letters) < PHRASE:
            return twin
        twin = self._twin_in(self.corpora.of_all(self.library))
        return twin if twin and len({place.law for place in twin.where}) <= MOST_LAWS else None

    def _twin_in(self, corpus: Corpus) -> Twin | None:
        """A larger or smaller part of the same article is no other provision.

        But where it was the whole of what was asked for in another version, that was recited.
        """
        origins: dict[Source, list[Origin]] = {}
        levels: set[Source] = set()
        whole: list[Origin] = []
        part_of_it = False
        for origin in corpus.whole.get(self.letters, ()):
            part = corpus.texts[origin.text].part(origin.start, origin.end)
            for home in corpus.homes[origin.text]:
                source = _source_of(self.library, home, self.version, self.position)
                position = Position(home.article, home.article_sub, *part)
                if source == "same article" and self._contains(position):
                    part_of_it = True
                    continue
                origins.setdefault(source, []).append(origin)
                if _level(position)[1] == _level(self.position)[1]:
                    levels.add(source)
                if source == "other version" and _level(position) == _level(self.position):
                    whole.append(origin)
        if part_of_it:
            origins = {"other version": whole} if whole else {}
        if not origins:
            return None
        source = min(origins, key=SOURCES.index)
        asked = self.version, self.position
        places = _places_of(self.library, corpus, asked, source, origins[source])
        return Twin(source, places, level=source in levels)

    def near_twin(self) -> Twin | None:
        """A provision that gave some of the letters and has nearly all, more than the gold has."""
        if not self.sources:
            return None
        like_gold = _likeness(self.letters, self.gold, NEARLY)
        best, nearest = max(NEARLY, like_gold + 0.5 / len(self.letters)), None
        for (source, _), text in islice(self.sources.items(), MOST_CANDIDATES):
            for start, end in text.provisions():
                position = Position(*self.position[:2], *text.part(start, end))
                if source == "same article" and self._contains(position):
                    continue
                like = _likeness(self.letters, text.letters[start:end], best)
                if like >= best:
                    best, nearest = like, source
        return Twin(nearest, (), exact=False) if nearest else None

    def paraphrase(self, is_gold: Mask) -> float:
        """How much of the gold that is not there is said in other words.

        F of the pairs of letters, by weight; 0 where another article has more of the answer.
        """
        if len(self.letters) > LONGEST_TELLING * len(self.gold):
            return 0.0
        mine, gold = pairs_of(self.letters), pairs_of(self.gold)
        weights = {pair: self.own.weight(pair) for pair in mine | gold}

        def weight(pairs: set[str]) -> float:
            return sum(weights[pair] for pair in pairs)

        near = weight(mine & gold)
        article = self.own.of_article(self.version, self.position)
        for number in np.flatnonzero(self.own.of_version(self.version) & ~article).tolist():
            if weight(mine & self.own.pairs[number]) > near:
                return 0.0
        rest, missing = pairs_of(self.letters, ~is_gold), gold - pairs_of(self.letters, is_gold)
        shared = weight(rest & missing)
        return 2 * shared / (weight(rest) + weight(missing)) if shared else 0.0

    def _contains(self, position: Position) -> bool:
        asked = self.position
        same = asked[:2] == position[:2]
        return same and (lies_in(position, asked) or lies_in(asked, position))


def _level(position: Position) -> tuple[bool, bool]:
    """Whether it is of a paragraph, and of an item."""
    return position.paragraph is not None, position.item is not None


def _likeness(letters: str, others: str, least: float) -> float:
    """What part of both they share in order; 0 where it is less than ``least``."""
    # of so different lengths no more letters can be shared
    if 2 * min(len(letters), len(others)) < least * (len(letters) + len(others)):
        return 0.0
    return Indel.normalized_similarity(letters, others, score_cutoff=least)


MOST_PLACES: Final = 3


class Labelled(NamedTuple):
    """Letters ``start`` to ``end`` of the answer, and all places that have them."""

    start: int
    end: int
    source: Source
    where: tuple[Place, ...] = ()
    phrase: bool = False


def _places_of(
    library: Library,
    corpus: Corpus,
    asked: tuple[Version, Position],
    source: Source,
    origins: Iterable[Origin],
) -> tuple[Place, ...]:
    """Where these letters stand, among the homes of their texts that belong to a source.

    Of other versions the nearest come first; of another law one version is named, the latest.
    """
    version = asked[0]
    places: dict[Place, None] = {}
    for origin in origins:
        part = corpus.texts[origin.text].part(origin.start, origin.end)
        for home in corpus.homes[origin.text]:
            if _source_of(library, home, *asked) == source:
                own = library.shelf.version_of[home.version]
                where = Position(home.article, home.article_sub, *part)
                places[Place(own.law, own.promulgated, where)] = None
    if source == "other version":
        return tuple(sorted(places, key=lambda place: abs(place.version - version.promulgated)))
    if source == "other law":
        latest = {place.law: place for place in sorted(places, key=lambda place: place.version)}
        return tuple(place for place in places if latest[place.law] == place)
    return tuple(places)


def _source_of(library: Library, home: Home, version: Version, position: Position) -> Source:
    """What a home is to someone who was asked for a position of a version."""
    if home == (version.id, position.article, position.article_sub):
        return "same article"
    if home.version == version.id:
        return "same version"
    own = library.shelf.version_of[home.version].law == version.law
    return "other version" if own else "other law"


def _to_spans(answer: str, places: Sequence[int], labelled: Iterable[Labelled]) -> Iterator[Span]:
    """The pieces of all letters as spans of all characters: what is no letter goes with the last.

    Pieces side by side that come from the same places are one span.
    """
    pieces: list[Labelled] = []
    for piece in sorted(labelled):
        if pieces and pieces[-1][2:] == piece[2:]:
            pieces[-1] = pieces[-1]._replace(end=piece.end)
        else:
            pieces.append(piece)
    # one character may stand for several letters (㎡): it goes with the first of them
    starts = [0, *(places[piece.start] for piece in pieces[1:]), len(answer)]
    for piece, start, end in zip(pieces, starts, starts[1:], strict=False):
        if start < end:
            shown, more = piece.where[:MOST_PLACES], max(len(piece.where) - MOST_PLACES, 0)
            yield Span(start, end, piece.source, shown, more, piece.phrase)
    if not pieces and answer:
        yield Span(0, len(answer), "unmatched")
