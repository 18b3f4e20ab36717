"""Whether words that a document quotes are those of the provision it cites, and else whose.

The cited article is compared first. Only where its words differ are they looked for elsewhere: in
the other articles and versions of the law, by runs of eight letters, then in all laws of the
library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from operator import attrgetter
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.law.grammar.citation_model import Position, Quote
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.library.citing.aligning import Alignment, Edit, align
from hengfa.law.library.citing.findings import Misquotation, Quotation, Source, Verdict
from hengfa.law.library.citing.provisos import left_out
from hengfa.law.library.citing.rule_words import makes_another_rule
from hengfa.law.library.derived import Amendments
from hengfa.law.library.history import Span, show
from hengfa.law.library.matching import (
    QUOTED,
    QUOTED_RUN,
    Cache,
    Normalised,
    Passage,
    RunIndex,
    SharedRuns,
    joined,
    normalise_in_place,
)
from hengfa.law.library.model import LawEntry
from hengfa.law.library.search import shared_with
from hengfa.law.library.words import Note
from hengfa.law.text.copies import codes_of

OF_IT: Final = 0.5
"""Words that agree with the provision they are said to be of as much as this are words of it."""

FOUND: Final = 0.75
"""Words that agree as much as this with another provision have been taken from there."""

NEAREST: Final = 0.4
"""What agrees less is not even shown as the nearest provision."""

_SOURCES: Final = 6
_CONTEXT: Final = 6
_DIFFERENCES: Final = 12
_WORD: Final = 8

_AFTER: Final = 12
"""So much of the document after a quotation may say that the provision goes on."""

_Relation: TypeAlias = Literal["cited", "version", "provision", "both", "law"]
"""Where words were found, from near to far: in the provision that is cited; in the same one of
another version; in another of the same version; in another of another version; in another law."""

_NEAR: Final[tuple[_Relation, ...]] = ("cited", "version", "provision", "both", "law")

_VERDICTS: Final[dict[_Relation, Verdict]] = {
    "cited": "wording",
    "version": "other version",
    "provision": "other provision",
    "both": "other version",
    "law": "other provision",
}


@dataclass(frozen=True, slots=True)
class Cited:
    """What a quotation is said to be from.

    ``passages`` are the cited articles as they read on the day; ``known`` is False where the
    library does not have all of that text, so that other words need not be wrong. ``version`` is
    the day on which the version that counts was promulgated.
    """

    law: LawEntry | None
    positions: tuple[Position, ...]
    passages: tuple[Passage, ...]
    known: bool
    version: date | None = None


def judge(finder: Finder, text: str, quote: Quote, cited: Cited) -> Quotation | None:
    """The verdict on ``text[quote.start:quote.end]``; None where it has no words (……)."""
    words = normalise_in_place(text[quote.start : quote.end], QUOTED)
    after = text[quote.end : quote.end + _AFTER]
    return _Case(finder, words, quote, cited, after).verdict() if words.letters else None


def whose_words(finder: Finder, text: str, quote: Quote, position: Position) -> LawEntry | None:
    """The one law that has these words at this article, for a document that names none."""
    words = normalise_in_place(text[quote.start : quote.end], QUOTED)
    if len(words.letters) < 2 * QUOTED_RUN:
        return None
    case = _Case(finder, words, quote, Cited(None, (position,), (), known=False))
    named = {find.alignment.passage.version.law for find in case.anywhere()}
    laws = [finder.passages.library.shelf.by_name[name] for name in named]
    having = [law for law in laws if case.is_at(law, position)]
    return having[0] if len(having) == 1 else None


class _Find(NamedTuple):
    alignment: Alignment
    relation: _Relation

    @property
    def rank(self) -> tuple[int, int, int]:
        """What to prefer: few letters without a counterpart, few sentences skipped, near homes."""
        over = self.alignment
        return over.cost + over.foreign, len(over.skipped), _NEAR.index(self.relation)


class _Case:
    def __init__(
        self, finder: Finder, words: Normalised, quote: Quote, cited: Cited, after: str = ""
    ) -> None:
        self.finder = finder
        self.words = words
        self.quote = quote
        self.cited = cited
        self.after = after
        self._is_cited = belongs_to(cited.positions)

    def verdict(self) -> Quotation:
        finds = list(self._at_home())
        if not any(find.relation == "cited" and find.alignment.exact for find in finds):
            if self.cited.law:
                finds += self._finds(self.finder.in_the_law(self.cited.law, self.words))
            if not any(find.alignment.similarity >= FOUND for find in finds):
                finds += self.anywhere()
        rank = attrgetter("rank")
        best = min(finds, key=rank, default=None)
        home = min((find for find in finds if find.relation == "cited"), key=rank, default=None)
        if home and home.alignment.exact and best and best.rank[:2] >= home.rank[:2]:
            return self._say("wording" if self._proviso(home) else "exact", home, home, ())
        if not self.cited.known:
            return self._say("unknown", None, None, self._sources(finds))
        enough = FOUND if len(self.words.letters) < QUOTED_RUN else OF_IT
        of_it = home is not None and home.alignment.similarity >= enough
        if best and of_it and not best.alignment.exact:
            best = home  # nowhere word for word: what is cited comes first
        if best is None or not ((of_it and best is home) or best.alignment.similarity >= FOUND):
            nearest = self._sources([best]) if best else ()
            return self._say("not in the law", None, home, nearest)
        sources = () if best.relation == "cited" else self._sources([best])
        return self._say(_VERDICTS[best.relation], best, home, sources)

    # --- where the words are ---

    def _at_home(self) -> Iterator[_Find]:
        """In the cited articles, or in all of them one after another."""
        articles = list(dict.fromkeys(self.cited.passages))
        # the cited paragraph before its article: 情节严重 may stand in several paragraphs of it
        cut = ((article, article.only(self._is_cited)) for article in articles)
        parts = [part for article, part in cut if part not in {None, article}]
        whole = [joined(articles)] if len(articles) > 1 else []
        for find in self._finds(filter(None, [*parts, *articles, *whole])):
            is_cited = any(map(self._is_cited, find.alignment.positions))
            yield find._replace(relation="cited" if is_cited else "provision")

    def anywhere(self) -> Iterator[_Find]:
        return self._finds(self.finder.anywhere(self.words))

    def is_at(self, law: LawEntry, position: Position) -> bool:
        """Whether an article of some version of the law has these words."""
        finds = self._finds(self.finder.in_the_law(law, self.words))
        at = (f.alignment.passage.article[:2] for f in finds if f.alignment.exact)
        return position[:2] in at

    def _finds(self, passages: Iterable[Passage]) -> Iterator[_Find]:
        open_end = self.quote.mark in {"colon", "heading"}
        for passage in passages:
            if alignment := align(self.words, passage, open_end=open_end):
                yield _Find(alignment, self._relation(alignment))

    def _relation(self, alignment: Alignment) -> _Relation:
        version, law = alignment.passage.version, self.cited.law
        if law is None or version.law != law.name:
            return "law"
        is_cited = any(map(self._is_cited, alignment.positions))
        if version.promulgated == self.cited.version or any(
            version == cited.version for cited in self.cited.passages
        ):
            return "cited" if is_cited else "provision"
        return "version" if is_cited else "both"

    # --- what is said of them ---

    def _say(
        self, verdict: Verdict, find: _Find | None, home: _Find | None, sources: tuple[Source, ...]
    ) -> Quotation:
        alignment = find.alignment if find else None
        proviso = self._proviso(find) if find and verdict == "wording" else None
        edits = (*alignment.edits, *alignment.skipped) if alignment else ()
        differences = sorted(edits, key=lambda edit: edit.at)[:_DIFFERENCES]
        if proviso and proviso not in differences:
            differences.append(proviso)
        return Quotation(
            self.quote.start,
            self.quote.end,
            self.quote.mark,
            verdict,
            round(home.alignment.similarity, 3) if home else None,
            tuple(map(self._difference, differences)),
            tuple(dict.fromkeys(map(format_position, alignment.omitted))) if alignment else (),
            sources,
            tuple(self._remarks(verdict, alignment)),
            proviso.law if proviso else "",
        )

    def _proviso(self, home: _Find) -> Edit | None:
        """The exception of the cited provision that the quotation leaves out without a word."""
        strict = self.quote.mark == "phrase"
        return left_out(self.words, home.alignment, self.after, strict=strict)

    def _sources(self, finds: Sequence[_Find]) -> tuple[Source, ...]:
        """The homes of the words that fit best, the nearest first."""
        best = min((find.rank[:2] for find in finds), default=None)
        chosen = [find for find in finds if find.rank[:2] == best]
        law = self.cited.law
        passages = [find.alignment.passage for find in chosen]
        if law and any(passage.version.law == law.name for passage in passages):
            same = (home for passage in passages for home in self.finder.same(law, passage))
            chosen += self._finds(same)
        chosen.sort(key=lambda find: find.alignment.passage.version.promulgated, reverse=True)
        chosen.sort(key=lambda find: find.rank)
        sources = (_source_of(f.alignment) for f in chosen if f.alignment.similarity >= NEAREST)
        return tuple(dict.fromkeys(sources))[:_SOURCES]

    def _remarks(self, verdict: Verdict, alignment: Alignment | None) -> Iterator[Note]:
        if verdict == "not in the law" and self.finder.exhausted:
            yield Note("not searched")
        if alignment is None:
            return
        if alignment.beyond < len(self.words.letters):
            rest = self.words.text[self.words.places[alignment.beyond] :].strip()
            yield Note("not of it any more", words=f"{rest[:20]}{'…' if rest[20:] else ''}")
        outside = [place for place in alignment.positions if not self._is_cited(place)]
        if outside and len(outside) < len(alignment.positions):
            positions = tuple(dict.fromkeys(map(format_position, outside)))
            yield Note("also of others", positions=positions)

    def _difference(self, edit: Edit) -> Misquotation:
        end = edit.at + len(edit.quoted)
        before = self.words.letters[max(0, edit.at - _CONTEXT) : edit.at]
        after = self.words.letters[end : end + _CONTEXT]
        gone, new = edit.law, edit.quoted
        spans = Span("same", before), Span("gone", gone), Span("new", new), Span("same", after)
        a_word = max(len(new), len(gone)) <= _WORD  # a longer one is left out or added
        material = a_word and makes_another_rule(before + new + after, before + gone + after)
        return Misquotation(new, gone, show([span for span in spans if span.text]), material)


def belongs_to(positions: Iterable[Position]) -> Callable[[Position], bool]:
    """Whether a provision is cited by one of these: 第三款 by its article, a lead by an item.

    A list may cite the same again and again; each is looked at once.
    """
    cited: dict[tuple[int | None, ...], list[Position]] = {}
    for position in dict.fromkeys(positions):
        cited.setdefault(position[:2], []).append(position)
    return lambda one: any(
        wanted.paragraph in {None, one.paragraph or 1}
        and (wanted.item is None or one.item in {None, wanted.item})
        for wanted in cited.get(one[:2], ())
    )


def _source_of(alignment: Alignment) -> Source:
    """Where words were found, at the level that they fill."""
    positions = alignment.positions or (alignment.passage.article,)
    shared = Position(*positions[0][:2])
    if len({position.paragraph for position in positions}) == 1:
        shared = shared._replace(paragraph=positions[0].paragraph)
        if len(positions) == 1:
            shared = positions[0]
    version, alike = alignment.passage.version, round(alignment.similarity, 3)
    return Source(version.law, version.promulgated, format_position(shared), alike)


MOST_SEARCHES: Final = 200
"""So many times the whole library is searched for one document: each takes some milliseconds."""

_KEPT_LAWS: Final = 16
_LIKE: Final = 5
_QUERY: Final = 400


class Finder:
    """Finds homes of words for one document."""

    def __init__(self, indexes: Indexes) -> None:
        self.indexes = indexes
        self.passages = indexes.amendments.passages
        self.searches = 0

    @property
    def exhausted(self) -> bool:
        """Whether the library is not searched any more for this document."""
        return self.searches >= MOST_SEARCHES

    def in_the_law(self, law: LawEntry, words: Normalised) -> Iterator[Passage]:
        """Articles of any version of the law that share most with the words."""
        for homes in self.indexes.of(law).like(words.letters, _LIKE):
            yield from homes

    def same(self, law: LawEntry, passage: Passage) -> list[Passage]:
        """All articles of the law, in all versions, that have the words of a passage."""
        return self.indexes.of(law).same.get(passage.letters, [])

    def anywhere(self, words: Normalised) -> Iterator[Passage]:
        """Articles of any law that share most with the words."""
        if len(words.letters) < QUOTED_RUN or self.exhausted:
            return
        self.searches += 1
        hits = shared_with(self.passages.library, words.text[:_QUERY], _LIKE)
        articles = {(hit.version.id, *hit.position[:2]): hit for hit in hits}
        for hit in articles.values():
            if passage := self.passages.article(hit.version, hit.position):
                yield passage


class Indexes:
    """Word indexes of laws: their texts at hand, and the words that amending acts gave them."""

    def __init__(self, amendments: Amendments) -> None:
        self.amendments = amendments
        self._made: Cache[str, _WordIndex] = Cache(_KEPT_LAWS)

    def of(self, law: LawEntry) -> _WordIndex:
        """All articles of a law in all versions."""
        texts = self.amendments.passages.all_of
        new = self.amendments.new_texts
        return self._made.get(law.name, lambda: _WordIndex(chain(texts(law), new(law))))


class _WordIndex:
    """The words of a law: every article of every version, each text once."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.same: dict[str, list[Passage]] = {}
        for passage in passages:
            self.same.setdefault(passage.letters, []).append(passage)
        self.texts = list(self.same)
        self.runs = RunIndex(self.texts, QUOTED_RUN)

    def like(self, wanted: str, limit: int) -> list[list[Passage]]:
        """The texts that share most words with these letters, each with all its homes."""
        if len(wanted) < QUOTED_RUN:
            holding = [text for text in self.texts if wanted and wanted in text]
            return [self.same[text] for text in holding[:limit]]
        shared = SharedRuns(self.runs, codes_of(wanted)).shared()
        ranked = sorted(shared.nonzero()[0].tolist(), key=lambda text: (-shared[text], text))
        return [self.same[self.texts[text]] for text in ranked[:limit]]
