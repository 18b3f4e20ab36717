"""Finds provisions by their words: an exact phrase, several words, or a question in plain language.

The index in the library file finds candidates: texts that hold all words of the query, then texts
that share the rarer runs of three characters with it. They are ranked by pairs of characters, which
is what most Chinese words are (BM25, headings counting half). A text that stands in several places
is one hit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from hengfa.law.citation_model import Position
from hengfa.library.model import Law, LawKind, Version
from hengfa.library.ranking import Ranking, units_of
from hengfa.library.store import Library
from hengfa.library.text_index import TextIndex
from hengfa.library.versions import Found, Reading, read_date

LONGEST_QUERY: Final = 2000
_RANKED: Final = 200
"""So many candidates are ranked in full, of those that hold all words and of the others."""
_AT_ONCE: Final = 300

# What separates the words of a query: "，", " ", "？", "“"; not "第"
_SEPARATORS: Final = re.compile(r"[\s，。；：、！？“”‘’（）《》〈〉,.;:!?()\"'\[\]…—·\x00-\x1f]+")


class Hit(msgspec.Struct, frozen=True):
    """A text, the latest place where it stands, and how many others there are."""

    version: Version
    position: Position
    headings: tuple[str, ...]
    text: str
    score: float  # larger is better; within one search only
    exact: bool  # all words of the query are in the text
    elsewhere: int  # further places within what was searched


class _Place(NamedTuple):
    text: int
    version: int
    article: int
    sub: int
    paragraph: int
    item: int
    heading: int
    words: str


def search(
    library: Library,
    query: str,
    *,
    limit: int = 10,
    law: Law | None = None,
    kinds: Sequence[LawKind] = (),
    on: date | None = None,
    reading: Reading = "in force on",
) -> list[Hit]:
    """The provisions that fit a query best, among the versions that a date means.

    Without ``on`` every version is searched; today's law is ``on=today``. Laws whose version on
    that day is unknown, not yet or no longer in force are left out.
    """
    words = [word for word in _SEPARATORS.split(query[:LONGEST_QUERY]) if word]
    if not words or limit < 1:
        return []
    wanted = versions_of(library, law, kinds, on, reading)
    index = TextIndex(library.connection)
    only = index.texts_of(wanted) if law else None
    units = units_of(words)
    ranking = Ranking({unit: index.how_many_hold(unit) for unit in units}, index.size())
    hits: list[Hit] = []
    seen: set[int] = set()
    for exact, texts in ((True, index.holding_all(words)), (False, index.sharing_runs(words))):
        if len(hits) >= limit:
            break
        fresh = (text for text in texts if text not in seen and (only is None or text in only))
        found: list[Hit] = []
        for places in islice(_places(library, fresh, wanted), _RANKED):
            seen.add(places[0].text)
            found.append(_hit(library, places, ranking, exact=exact))
        found.sort(key=lambda hit: -hit.score)
        hits += found
    return hits[:limit]


def versions_of(
    library: Library,
    law: Law | None,
    kinds: Sequence[LawKind],
    on: date | None,
    reading: Reading,
) -> frozenset[int]:
    """The ids of the versions to be searched."""
    laws = [law] if law else library.laws(*kinds)
    if on is None:
        return frozenset(version.id for one in laws for version in library.versions(one))
    answers = (read_date(library, one, on, reading) for one in laws)
    return frozenset(answer.version.id for answer in answers if isinstance(answer, Found))


def _places(
    library: Library, texts: Iterable[int], wanted: Collection[int]
) -> Iterator[list[_Place]]:
    """Where each text stands in the versions that are searched; texts that do not are passed by."""
    sql = """
        SELECT p.text, p.version, p.article, p.article_sub, p.paragraph, p.item, p.heading, t.text
        FROM json_each(?) AS wanted JOIN provisions AS p ON p.text = wanted.value
        JOIN texts AS t ON t.id = p.text ORDER BY p.id
    """
    stream = iter(texts)
    while chunk := list(islice(stream, _AT_ONCE)):
        found: dict[int, list[_Place]] = {text: [] for text in chunk}
        listed = msgspec.json.encode(chunk).decode()
        for row in library.connection.execute(sql, (listed,)):
            if row[1] in wanted:
                found[row[0]].append(_Place(*row))
        yield from filter(None, found.values())


def _hit(library: Library, places: Sequence[_Place], ranking: Ranking, *, exact: bool) -> Hit:
    versions = library.shelf.version_of
    # the latest version, and in it the first place
    place = max(reversed(places), key=lambda one: versions[one.version].promulgated)
    headings = library.headings[place.heading]
    version = versions[place.version]
    score = ranking.score(place.words, version.law + "".join(headings))
    position = Position(
        place.article, place.sub or None, place.paragraph or None, place.item or None
    )
    return Hit(version, position, headings, place.words, score, exact, len(places) - 1)
