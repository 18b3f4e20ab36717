"""One provision through all versions of its law, found again where it was given another number.

Between one version and the next an article is followed by its text: the article whose wording is
closest, where that is close enough, and of several that are equally close the one that stands where
the neighbours lead one to expect it. Inside the article its paragraph or item is found likewise.
Articles are also split and merged: a paragraph that its article has lost is looked for in all
others, and found only where one of them, and no second one, has nearly its words. An article that
has no counterpart was added or deleted between the two.

After the last version of a repealed law its successors follow: see
:mod:`hengfa.law.library.successors`.

:func:`difference` says what changed between two wordings, character by character, and :func:`show`
puts that in a form that people can read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel, Levenshtein

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.derived import Amendments
from hengfa.law.library.matching import Passages
from hengfa.law.library.model import LawEntry, Occasion, Provision, Version
from hengfa.law.library.store import Library, compose

ALIKE: Final = 0.5
"""Two wordings of one provision share at least half of their characters, in order."""
_NEAR: Final = 0.04
"""What stands where it is expected may be so much less alike than the best."""
_TWICE: Final = 0.15
"""What stands under the same heading may be so much less alike than what does not."""

# "第二章　有限责任公司" without its number
_LABEL: Final = re.compile(r"第[^　\s]{1,6}[编章节分部]+[　\s]*")
_COMMON: Final = frozenset({"总则", "附则", "一般规定", "其他规定", "法律责任", "罚则", "分则"})

_AROUND: Final = 3
"""So near an article others have to stand unchanged, on both sides."""
_SAME: Final = 0.7
"""What has gone to another article has kept so much of its words: there are many to choose from."""
_SAME_ITEM: Final = 0.75
"""Items are short, and alike without being the same: so much of theirs."""
_WITHIN: Final = 90
"""Or so many hundredths of it stand together in a longer one, which has more to say."""
_BETTER: Final = 0.1
"""And is so much more alike than what its own article has."""
_TELLING: Final = 12
"""Shorter provisions (法律规定的其他情形) stand in many articles, and are not looked for there."""
Articles = Mapping[Position, tuple[Provision, ...]]


class Moved(msgspec.Struct, frozen=True):
    """A paragraph that is not where the rest of its article is.

    ``of`` is its position in the version that is nearer to where the history starts, ``to`` that in
    the version of the step.
    """

    of: Position
    to: Position


class Twin(msgspec.Struct, frozen=True):
    """Another article with nearly the same words, and what it stands under."""

    position: Position
    headings: str


class Step(msgspec.Struct, frozen=True):
    """The provision in one version.

    ``position`` is None where the version has no such provision. ``similarity`` and ``changes``
    compare it with the step before, the next older version at hand that has it. ``successor`` says
    of a version of another law how it is known that the provision went there: *known*, people say
    so, or *found* by its words.
    """

    version: Version
    position: Position | None
    text: str
    similarity: float | None = None
    changes: tuple[Span, ...] = ()
    missing: tuple[Occasion, ...] = ()  # versions between the older one and this, not at hand
    elsewhere: tuple[Moved, ...] = ()  # paragraphs that were split off or came from elsewhere
    deleted: bool = False  # the number is kept, printed as deleted
    successor: Literal["", "known", "found"] = ""
    derived: str = ""  # the version is not at hand: what acts tell of the article
    twins: tuple[Twin, ...] = ()  # what the provision is as like as it is to this one


def history(library: Library, law: LawEntry, start: Version, position: Position) -> list[Step]:
    """The provision at ``position`` of the version ``start`` in every version, oldest first."""
    versions = library.versions(law)
    at = versions.index(start)
    places: dict[int, tuple[Position | None, tuple[Moved, ...], tuple[Twin, ...]]] = {
        start.id: (position, (), ())
    }
    for direction in (1, -1):
        here, where = start, position
        for version in versions[at + direction :: direction] if at + direction >= 0 else ():
            crossing = Crossing(library, here, version)
            place = crossing.follow(where)
            moved = tuple(crossing.moved_paragraphs(where, place))
            places[version.id] = place, moved, tuple(crossing.twins(where, place))
            if place is not None:
                here, where = version, place
    steps = _Steps(library, law)
    for version in versions:
        place, elsewhere, twins = places[version.id]
        article = () if place is None else library.article(version, place)
        text = "" if place is None else compose(article, place) or ""
        deleted = _is_deleted(article)
        steps.add(Step(version, place, text, elsewhere=elsewhere, deleted=deleted, twins=twins))
    steps.add_derived(None, steps.steps[-1])
    return steps.steps


class _Steps:
    """The steps of a history, oldest first, each compared with the one before that has words."""

    def __init__(self, library: Library, law: LawEntry) -> None:
        self.amendments = Amendments(Passages(library))
        self.law = law
        self.steps: list[Step] = []
        self.before: Step | None = None

    def add(self, step: Step) -> None:
        """A version at hand, after those that are not: derived where acts tell, else missing."""
        missing = self.add_derived(step.version.promulgated, step)
        self._append(msgspec.structs.replace(step, missing=missing))

    def add_derived(self, until: date | None, near: Step) -> tuple[Occasion, ...]:
        """The versions since the last step up to a day that are not at hand; what acts do not tell
        is returned. Acts count articles as the texts next to them do."""
        calendar = self.amendments.library.shelf.calendar.get(self.law.name, ())
        since = self.steps[-1].version.promulgated if self.steps else date.min
        missing: list[Occasion] = []
        for occasion in calendar:
            day = occasion.promulgated
            if occasion.version is not None or occasion.event == "repealed" or day <= since:
                continue
            if until is not None and day >= until:
                break
            position = (self.before or near).position
            step = self._derive(occasion, position, near.version) if position else None
            if step is None:
                missing.append(occasion)
            else:
                self._append(msgspec.structs.replace(step, missing=tuple(missing)))
                missing = []
        return tuple(missing)

    def _derive(self, occasion: Occasion, position: Position, near: Version) -> Step | None:
        """A version that is not at hand, as far as it is certain."""
        carried = self.amendments.after(self.law, position, occasion.promulgated)
        text = carried.text(position) if carried and carried.exists else ""
        if carried is None or text is None:
            return None
        version = msgspec.structs.replace(
            near,
            id=0,
            promulgated=occasion.promulgated,
            effective=occasion.effective,
            sure=occasion.sure,
            event=occasion.event,
        )
        place = position if carried.exists else None
        return Step(version, place, text, derived=carried.reason)

    def _append(self, step: Step) -> None:
        if step.position is not None and not step.deleted:
            step = self.before = with_changes(step, self.before)
        self.steps.append(step)


def follow(library: Library, old: Version, position: Position, new: Version) -> Position | None:
    """Where the provision of one version stands in another, or None where it does not."""
    return Crossing(library, old, new).follow(position)


class Crossing:
    """From the provisions of one version to those of another, of the same law or its successor."""

    def __init__(self, library: Library, old: Version, new: Version) -> None:
        self.olds, self.news = _articles(library, old), _articles(library, new)

    def follow(self, position: Position) -> Position | None:
        """Where a provision stands in the other version, or None where it does not."""
        source = self.olds.get(_article(position))
        wanted = compose(source, position) if source else None
        if source is None or wanted is None:
            return None
        expected = self._expect(_article(position))
        if expected and _is_deleted(source) != _is_deleted(self.news[expected]):
            gone = expected == _article(position)
            if gone and _closest(self._texts, _text(source), None) is None:
                return expected
        closest = self._of_its_subject(source, _closest(self._texts, _text(source), expected))
        inside = _inside(source, position, self.news[closest]) if closest else None
        alike = 0.0
        if inside is not None:
            there = compose(self.news[_article(inside)], inside) or ""
            alike = Indel.normalized_similarity(wanted, there)
        other = self._elsewhere(position, wanted, alike)
        if other and _article(other) == inside and alike >= _SAME:
            other = None  # not one paragraph of the article, but all of it
        place = other or inside or self._longest(position)
        stays = position == _article(position) and self._is_amended_in_place(position)
        return position if stays and (place is None or _article(place) != position) else place

    def _of_its_subject(
        self, source: Sequence[Provision], closest: Position | None
    ) -> Position | None:
        """The article under headings that say the same, of two that are nearly as much alike.

        The Company Law has many rules twice, for limited companies and for those with shares.
        """
        subjects = _subjects(source)
        if closest is None or not subjects or subjects & _subjects(self.news[closest]):
            return closest
        wanted = _text(source)
        least = Indel.normalized_similarity(wanted, self._texts[closest]) - _TWICE
        alike = {
            place: Indel.normalized_similarity(wanted, self._texts[place])
            for place, article in self.news.items()
            if subjects & _subjects(article)
        }
        best = max(alike, key=alike.__getitem__, default=closest)
        return best if alike.get(best, 0.0) >= max(least, ALIKE) else closest

    def twins(self, position: Position, place: Position | None) -> Iterator[Twin]:
        """What an article is nearly as like as to the one that it was found to be, or more."""
        if place is None or position != _article(position) or place not in self.news:
            return
        source, subjects = _text(self.olds[position]), _subjects(self.news[place])
        least = Indel.normalized_similarity(source, self._texts[place]) - _NEAR
        for other, article in self.news.items() if subjects else ():
            alike = Indel.normalized_similarity(source, self._texts[other])
            if alike >= max(least, _SAME) and not subjects & _subjects(article):
                yield Twin(other, " › ".join(article[0].headings))

    def _is_amended_in_place(self, article: Position) -> bool:
        """Whether the articles around it stand there word for word, under the same numbers.

        Then it is the same article, however much another one is like it: many crimes have the same
        penalties in the same words.
        """
        if article not in self.news or article not in self.olds:
            return False
        keys = list(self.olds)
        at = keys.index(article)
        around = (keys[max(0, at - _AROUND) : at], keys[at + 1 : at + 1 + _AROUND])
        return all(
            any(key in self.news and _text(self.olds[key]) == _text(self.news[key]) for key in side)
            for side in around
        )

    def moved_paragraphs(self, position: Position, place: Position | None) -> Iterator[Moved]:
        """The paragraphs of an article that stand elsewhere than the article does."""
        if place is None or position != _article(position):
            return
        for paragraph in self._paragraphs(position):
            to = self.follow(paragraph)
            if to is not None and (_article(to) != _article(place) or place.paragraph):
                yield Moved(paragraph, to)

    def _longest(self, position: Position) -> Position | None:
        """Where the longest paragraph is of an article that is nowhere as a whole."""
        if position != _article(position):
            return None
        texts = {p: compose(self.olds[position], p) or "" for p in self._paragraphs(position)}
        for paragraph in sorted(texts, key=lambda p: -len(texts[p])):
            if place := self.follow(paragraph):
                return place
        return None

    def _paragraphs(self, position: Position) -> list[Position]:
        """The paragraphs of an article, if there are several."""
        article = self.olds.get(position, ())
        numbers = sorted({provision.position.paragraph or 0 for provision in article})
        return [position._replace(paragraph=number) for number in numbers if number]

    def _elsewhere(self, position: Position, wanted: str, alike: float) -> Position | None:
        """The one paragraph or item of another article that is much more like it, if there is."""
        if len(wanted) < _TELLING:
            return None
        texts, same = self._all_paragraphs, _SAME
        if position.item is not None:
            texts, same = self._items, _SAME_ITEM
        least = max(same, min(alike + _BETTER, 1.0))
        hits = process.extract(
            wanted, texts, scorer=Indel.normalized_similarity, score_cutoff=least, limit=2
        )
        if not hits and alike < same:
            longer = {place: text for place, text in texts.items() if len(text) >= len(wanted)}
            hits = process.extract(
                wanted, longer, scorer=fuzz.partial_ratio, score_cutoff=_WITHIN, limit=2
            )
        if not hits or (len(hits) > 1 and hits[1][1] == hits[0][1]):
            return None
        return hits[0][2] if hits[0][1] > alike else None

    @cached_property
    def _texts(self) -> dict[Position, str]:
        return {key: _text(article) for key, article in self.news.items()}

    @cached_property
    def _items(self) -> dict[Position, str]:
        return {
            provision.position: provision.text
            for article in self.news.values()
            for provision in article
            if provision.position.item is not None
        }

    @cached_property
    def _all_paragraphs(self) -> dict[Position, str]:
        """Paragraphs, an article that has only one for itself."""
        places = {
            provision.position._replace(item=None): article
            for article in self.news.values()
            for provision in article
        }
        return {place: compose(article, place) or "" for place, article in places.items()}

    @cached_property
    def _places(self) -> dict[str, Position]:
        return {text: key for key, text in reversed(self._texts.items())}

    def _expect(self, position: Position) -> Position | None:
        """Where an article should stand, counted from a neighbour whose wording did not change."""
        keys, order = list(self.olds), list(self.news)
        at = keys.index(position)
        for distance in range(1, 12):
            for neighbour in (at - distance, at + distance):
                if not 0 <= neighbour < len(keys):
                    continue
                moved = self._places.get(_text(self.olds[keys[neighbour]]))
                if moved is None:
                    continue
                target = order.index(moved) + at - neighbour
                if 0 <= target < len(order):
                    return order[target]
        return position if position in self.news else None


def _inside(
    source: Sequence[Provision], position: Position, article: Sequence[Provision]
) -> Position | None:
    """The paragraph or item of an article that is closest to the one asked for."""
    here = _article(article[0].position)
    if position.paragraph is None and position.item is None:
        return here
    wanted = compose(source, position)
    if wanted is None:
        return None
    level = position.item is not None
    places = {
        provision.position if level else here._replace(paragraph=provision.position.paragraph)
        for provision in article
        if (provision.position.item is not None) == level or not level
    }
    order = sorted(places, key=lambda place: (place.paragraph or 0, place.item or 0))
    texts = {place: compose(article, place) or "" for place in order}
    expected = here._replace(paragraph=position.paragraph, item=position.item)
    return _closest(texts, wanted, expected)


def _closest(
    texts: Mapping[Position, str], wanted: str, expected: Position | None
) -> Position | None:
    """The position of the text that is most like another; the expected one of those as close."""
    keys, listed = list(texts), list(texts.values())
    scores = process.extract(
        wanted, listed, scorer=Indel.normalized_similarity, score_cutoff=ALIKE, limit=None
    )
    if not scores:
        return None
    best = scores[0][1]
    near = [keys[index] for _, score, index in scores if score >= best - _NEAR]
    if expected in near:
        return expected
    equal = [keys[index] for _, score, index in scores if score == best]
    if expected is None:
        return equal[0]
    return min(equal, key=lambda key: abs((key.article or 0) - (expected.article or 0)))


def with_changes(step: Step, before: Step | None) -> Step:
    """A step with what changed since an older one."""
    if before is None:
        return step
    similarity = Indel.normalized_similarity(before.text, step.text)
    changes = difference(before.text, step.text) if before.text != step.text else ()
    return msgspec.structs.replace(step, similarity=similarity, changes=changes)


def _subjects(article: Sequence[Provision]) -> set[str]:
    """What the headings above an article say, without those that every law has."""
    return {_LABEL.sub("", heading) for heading in article[0].headings} - _COMMON


def _is_deleted(article: Iterable[Provision]) -> bool:
    """Whether only the number of an article is left."""
    return {provision.deleted for provision in article} == {True}


def _articles(library: Library, version: Version) -> Articles:
    articles: dict[Position, tuple[Provision, ...]] = {}
    for article in library.articles(version):
        key = _article(article[0].position)
        articles[key] = articles.get(key, ()) + article
    return articles


def _article(position: Position) -> Position:
    return Position(position.article, position.article_sub)


def _text(article: Sequence[Provision]) -> str:
    return "\n".join(provision.label + provision.text for provision in article)


Mark: TypeAlias = Literal["same", "gone", "new"]
_TOO_SHORT: Final = 2
"""Fewer equal characters between two exchanges are an accident, and are shown as exchanged."""


class Span(NamedTuple):
    """Characters that both wordings have, or only the older (gone) or the newer (new)."""

    mark: Mark
    text: str


class _Run(NamedTuple):
    """A stretch of both wordings: equal, or ``old`` in place of ``new``."""

    equal: bool
    old: str
    new: str

    @property
    def exchanges(self) -> bool:
        return not self.equal and bool(self.old) and bool(self.new)


def difference(old: str, new: str) -> tuple[Span, ...]:
    """The two wordings laid side by side; what is gone stands before what is new in its place.

    Joining the spans that are not new gives the old wording, those that are not gone the new one.
    """
    runs = [
        _Run(op.tag == "equal", old[op.src_start : op.src_end], new[op.dest_start : op.dest_end])
        for op in Levenshtein.opcodes(old, new)
    ]
    spans: list[Span] = []
    for run in _unite(runs):
        if run.equal:
            spans.append(Span("same", run.new))
            continue
        spans += [Span("gone", run.old)] if run.old else []
        spans += [Span("new", run.new)] if run.new else []
    return tuple(spans)


def show(spans: Sequence[Span], *, colours: bool = False) -> str:
    """[-gone-] and {+new+} as in other tools, or in red and green.

    >>> show(difference("可以处罚款。", "应当处以罚款。"))
    '[-可以-]{+应当+}处{+以+}罚款。'
    """
    signs = _COLOURS if colours else _SIGNS
    return "".join(text.join(signs[mark]) for mark, text in spans)


_SIGNS: Final[dict[Mark, tuple[str, str]]] = {
    "same": ("", ""),
    "gone": ("[-", "-]"),
    "new": ("{+", "+}"),
}

_COLOURS: Final[dict[Mark, tuple[str, str]]] = {
    "same": ("", ""),
    "gone": ("\x1b[31;9m", "\x1b[0m"),
    "new": ("\x1b[32;4m", "\x1b[0m"),
}


def _unite(runs: Sequence[_Run]) -> list[_Run]:
    """Changes next to each other become one, over an equal character between two exchanges."""
    united: list[_Run] = []
    for place, run in enumerate(runs):
        accident = (
            run.equal
            and 0 < place < len(runs) - 1
            and len(run.new) < _TOO_SHORT
            and runs[place - 1].exchanges
            and runs[place + 1].exchanges
        )
        if united and not united[-1].equal and (accident or not run.equal):
            before = united.pop()
            united.append(_Run(False, before.old + run.old, before.new + run.new))
        else:
            united.append(run)
    return united
