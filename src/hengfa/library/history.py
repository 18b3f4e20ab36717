"""One provision through all versions of its law, found again where it was given another number.

Between one version and the next an article is followed by its text: the article whose wording is
closest, where that is close enough, and of several that are equally close the one that stands where
the neighbours lead one to expect it. Inside the article its paragraph or item is found likewise. An
article that has no counterpart was added or deleted between the two.

:func:`difference` says what changed between two wordings, character by character, and :func:`show`
puts that in a form that people can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from rapidfuzz import process
from rapidfuzz.distance import Indel, Levenshtein

from hengfa.law.citation_model import Position
from hengfa.library.model import Law, Occasion, Provision, Version
from hengfa.library.store import Library, compose

ALIKE: Final = 0.5
"""Two wordings of one provision share at least half of their characters, in order."""

_NEAR: Final = 0.04
"""What stands where it is expected may be so much less alike than the best."""

Articles = Mapping[Position, tuple[Provision, ...]]


class Step(msgspec.Struct, frozen=True):
    """The provision in one version.

    ``position`` is None where the version has no such provision. ``similarity`` and ``changes``
    compare it with the step before, the next older version at hand that has it.
    """

    version: Version
    position: Position | None
    text: str
    similarity: float | None = None
    changes: tuple[Span, ...] = ()
    missing: tuple[Occasion, ...] = ()  # versions between the older one and this, not at hand


def history(library: Library, law: Law, start: Version, position: Position) -> list[Step]:
    """The provision at ``position`` of the version ``start`` in every version, oldest first."""
    versions = library.versions(law)
    at = versions.index(start)
    places: dict[int, Position | None] = {start.id: position}
    for direction in (1, -1):
        here, where = start, position
        for version in versions[at + direction :: direction] if at + direction >= 0 else ():
            places[version.id] = follow(library, here, where, version)
            if (next_place := places[version.id]) is not None:
                here, where = version, next_place
    steps: list[Step] = []
    before: Step | None = None
    for version in versions:
        step = _step(library, version, places[version.id], before, steps)
        steps.append(step)
        before = step if step.position is not None else before
    return steps


def follow(library: Library, old: Version, position: Position, new: Version) -> Position | None:
    """Where the provision of one version stands in another, or None where it does not."""
    olds, news = _articles(library, old), _articles(library, new)
    source = olds.get(_article(position))
    if source is None:
        return None
    closest = _closest(
        {key: _text(article) for key, article in news.items()},
        _text(source),
        _expected(olds, news, _article(position)),
    )
    if closest is None:
        return None
    return _inside(source, position, news[closest])


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
    texts = {place: compose(article, place) or "" for place in sorted(places, key=_order)}
    expected = here._replace(paragraph=position.paragraph, item=position.item)
    return _closest(texts, wanted, expected)


def _closest(
    texts: Mapping[Position, str], wanted: str, expected: Position | None
) -> Position | None:
    """The position of the text that is most like another; the expected one of those as close."""
    keys = list(texts)
    scores = process.extract(
        wanted,
        [texts[key] for key in keys],
        scorer=Indel.normalized_similarity,
        processor=None,
        score_cutoff=ALIKE,
        limit=None,
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


def _expected(olds: Articles, news: Articles, position: Position) -> Position | None:
    """Where an article should stand, counted from a neighbour whose wording did not change."""
    places = {_text(article): key for key, article in reversed(list(news.items()))}
    keys = list(olds)
    at = keys.index(position)
    for distance in range(1, 12):
        for neighbour in (at - distance, at + distance):
            if not 0 <= neighbour < len(keys):
                continue
            moved = places.get(_text(olds[keys[neighbour]]))
            if moved is None:
                continue
            order = list(news)
            target = order.index(moved) + at - neighbour
            if 0 <= target < len(order):
                return order[target]
    return position


def _step(
    library: Library,
    version: Version,
    position: Position | None,
    before: Step | None,
    steps: Sequence[Step],
) -> Step:
    missing = tuple(
        occasion
        for occasion in library.shelf.calendar.get(version.law, ())
        if occasion.version is None
        and occasion.event != "repealed"
        and (not steps or occasion.promulgated > steps[-1].version.promulgated)
        and occasion.promulgated < version.promulgated
    )
    text = "" if position is None else library.text(version, position) or ""
    if before is None or position is None:
        return Step(version, position, text, missing=missing)
    similarity = Indel.normalized_similarity(before.text, text)
    changes = difference(before.text, text) if before.text != text else ()
    return Step(version, position, text, similarity, changes, missing)


def _articles(library: Library, version: Version) -> Articles:
    articles: dict[Position, list[Provision]] = {}
    for provision in library.entries(version, role=None):
        articles.setdefault(_article(provision.position), []).append(provision)
    return {key: tuple(article) for key, article in articles.items()}


def _article(position: Position) -> Position:
    return Position(position.article, position.article_sub)


def _text(article: Sequence[Provision]) -> str:
    return "\n".join(provision.label + provision.text for provision in article)


def _order(position: Position) -> tuple[int, int]:
    return position.paragraph or 0, position.item or 0


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
    return tuple(span for run in _united(runs) for span in _spans(run))


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


def _united(runs: Sequence[_Run]) -> list[_Run]:
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


def _spans(run: _Run) -> Iterator[Span]:
    if run.equal:
        yield Span("same", run.new)
        return
    if run.old:
        yield Span("gone", run.old)
    if run.new:
        yield Span("new", run.new)
