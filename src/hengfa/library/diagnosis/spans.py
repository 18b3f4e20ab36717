"""Pieces of an answer, with the provisions they come from, as spans of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from hengfa.law.citation_model import Position
from hengfa.library.diagnosis.corpus import Corpus, Home
from hengfa.library.diagnosis.tracing import Origin
from hengfa.library.model import Version
from hengfa.library.store import Library

Source: TypeAlias = Literal[
    "gold", "same article", "same version", "other version", "other law", "unmatched"
]
"""Where letters come from, in the order in which they are looked for (CLaw spec 5). The same
article is what it has besides the gold, the same version what is in its other articles."""

SOURCES: Final[tuple[Source, ...]] = get_args(Source)

MOST_PLACES: Final = 3


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


class Labelled(NamedTuple):
    """Letters ``start`` to ``end`` of the answer, and all places that have them."""

    start: int
    end: int
    source: Source
    where: tuple[Place, ...] = ()
    phrase: bool = False


def places_of(
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
    found: dict[Place, None] = {}
    for origin in origins:
        text = corpus.texts[origin.text]
        part = text.part(origin.start, origin.end)
        for home in text.homes:
            if source_of(library, home, *asked) == source:
                found[place_of(library, home, part)] = None
    if source == "other version":
        return tuple(sorted(found, key=lambda one: abs(one.version - version.promulgated)))
    if source == "other law":
        latest = {place.law: place for place in sorted(found, key=lambda one: one.version)}
        return tuple(place for place in found if latest[place.law] == place)
    return tuple(found)


def source_of(library: Library, home: Home, version: Version, position: Position) -> Source:
    """What a home is to someone who was asked for a position of a version."""
    if home == (version.id, position.article, position.article_sub):
        return "same article"
    if home.version == version.id:
        return "same version"
    own = library.shelf.version_of[home.version].law == version.law
    return "other version" if own else "other law"


def place_of(library: Library, home: Home, part: tuple[int | None, int | None]) -> Place:
    """A part of an article at its home."""
    version = library.shelf.version_of[home.version]
    position = Position(home.article, home.article_sub, *part)
    return Place(version.law, version.promulgated, position)


def to_spans(answer: str, places: Sequence[int], labelled: Iterable[Labelled]) -> Iterator[Span]:
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
            where = piece.where
            more = max(len(where) - MOST_PLACES, 0)
            yield Span(start, end, piece.source, where[:MOST_PLACES], more, piece.phrase)
    if not pieces and answer:
        yield Span(0, len(answer), "unmatched")
