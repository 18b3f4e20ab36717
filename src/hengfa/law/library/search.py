"""Finds provisions by their words: an exact phrase, several words, or a question in plain language.

Provisions that hold all words of the query come first, found by the full-text index in the library
file and ranked by pairs of characters, which is what most Chinese words are (BM25, headings
counting half). Then come articles by the ranking of `hengfa retrieve`. An article is one hit, in
however many versions and places its text stands.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice, pairwise
from typing import Final, NamedTuple

import msgspec
from rapidfuzz.distance import Indel

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.history import ALIKE
from hengfa.law.library.lay_words import with_legal_words
from hengfa.law.library.model import LawEntry, LawKind, Version
from hengfa.law.library.store import Library, compose
from hengfa.law.library.versions import FoundVersion, Reading, read_date

LONGEST_QUERY: Final = 2000
MOST_WORDS: Final = 200
"""A question has fewer; the index takes no expression of a thousand parts."""
_RANKED: Final = 200
"""So many candidates are ranked in full, of those that hold all words and of the others."""
_DEPTH: Final = 8
"""In all versions so many are ranked for each article that is wanted: most are at hand in fewer."""
_MOVED: Final = 0.8
"""An article that was given another number shares so much with what it was."""
_AT_ONCE: Final = 300
# What separates the words of a query: "，", " ", "？", "“"; not "第"
_SEPARATORS: Final = re.compile(
    r"[\s，。；：、！？“”‘’「」（）《》〈〉,.;:!?()\"'\[\]…—·\x00-\x1f]+"
)
# “明知” and "明知"; not “” and not a mark that stands alone
_QUOTED: Final = re.compile(r"[“「\"]([^“”「」\"]++)[”」\"]")


class Hit(msgspec.Struct, frozen=True):
    """A provision that holds all words, or an article: its text, and the latest place of it."""

    version: Version
    position: Position
    headings: tuple[str, ...]
    text: str
    score: float  # larger is better, among the exact hits of a search and among the others
    exact: bool  # all words of the query are in the text
    elsewhere: int  # further places within what was searched


def search(
    library: Library,
    query: str,
    *,
    limit: int = 10,
    law: LawEntry | None = None,
    kinds: Sequence[LawKind] = (),
    on: date | None = None,
    reading: Reading = "in force on",
) -> list[Hit]:
    """The provisions that fit a query best, among the versions that a date means.

    Without ``on`` every version is searched; today's law is ``on=today``. Laws whose version on
    that day is unknown, not yet or no longer in force are left out. A query of nothing but
    phrases in quotation marks finds only what holds them all.
    """
    query = query[:LONGEST_QUERY]
    phrases = quoted_in(query)
    words = phrases or _words_in(query)
    if not words or limit < 1:
        return []
    wanted = versions_of(library, law, kinds, on, reading)
    literal = _literal(library, words, wanted, of_a_law=law is not None)
    hits = _fold(literal)
    if len(hits) < limit and not phrases:
        depth = limit * (_DEPTH if on is None else 1) + len(literal)
        ranked = _best_articles(library, query, wanted, depth)
        hits += _fold(hit for hit in ranked if not any(known.text in hit.text for known in literal))
    return hits[:limit]


def quoted_in(query: str) -> list[str]:
    """The phrases of a query that is nothing but phrases in quotation marks, each once.

    >>> quoted_in("“明知” “应当知道”")
    ['明知', '应当知道']
    >>> quoted_in("什么是“明知”")
    []
    """
    if _words_in(_QUOTED.sub(" ", query)):
        return []
    return list(dict.fromkeys(filter(str.strip, _QUOTED.findall(query))))[:MOST_WORDS]


def shared_with(library: Library, passage: str, limit: int) -> list[Hit]:
    """The provisions of any version that share most with a passage: where it may be quoted from.

    Every wording counts here, so that versions are not folded; the library's file is enough.
    """
    words = _words_in(passage)
    wanted = versions_of(library, None, (), None, "in force on")
    hits = _literal(library, words, wanted) if words else []
    if len(hits) < limit:
        known = {hit.text for hit in hits}
        sharing = TextIndex(library.connection).sharing_runs(words)
        others = _best_texts(library, sharing, words, wanted)
        hits += (hit for hit in others if hit.text not in known)
    return hits[:limit]


def _words_in(query: str) -> list[str]:
    words = filter(None, _SEPARATORS.split(query[:LONGEST_QUERY]))
    return list(dict.fromkeys(words))[:MOST_WORDS]


def _literal(
    library: Library, words: Sequence[str], wanted: Collection[int], *, of_a_law: bool = False
) -> list[Hit]:
    """The provisions that hold all the words, best first."""
    index = TextIndex(library.connection)
    only = index.texts_of(wanted) if of_a_law else None
    texts = (text for text in index.holding_all(words) if only is None or text in only)
    return _best_texts(library, texts, words, wanted, exact=True)


def _best_texts(
    library: Library,
    texts: Iterable[int],
    words: Sequence[str],
    wanted: Collection[int],
    *,
    exact: bool = False,
) -> list[Hit]:
    """The first texts that stand in the versions that are searched, best first."""
    places = list(islice(_places(library, texts, wanted), _RANKED))
    if not places:
        return []
    index = TextIndex(library.connection)
    ranking = Ranking({unit: index.how_many_hold(unit) for unit in units_of(words)}, index.size())
    hits = (_hit(library, of_text, ranking, exact=exact) for of_text in places)
    return sorted(hits, key=lambda hit: -hit.score)


def _best_articles(
    library: Library, query: str, wanted: Collection[int], depth: int
) -> Iterator[Hit]:
    """The articles that fit a question best; what shares but single characters does not fit."""
    from hengfa.law.library.article_index import articles_of  # noqa: PLC0415 - numpy

    articles = articles_of(library)
    pairs = units_of(_SEPARATORS.split(with_legal_words(query)))
    for ranked in articles.search([query], depth, only=articles.within(wanted))[0]:
        version, position = articles.place(ranked.number)
        parts = library.article(version, position)
        text = compose(parts, position)
        if text is None:  # an index may be old or damaged; the words are the library's
            continue
        searched = articles.names[ranked.number] + text
        if any(pair in searched for pair in pairs if len(pair) > 1):
            yield Hit(version, position, parts[0].headings, text, ranked.score, False, 0)


def _fold(hits: Iterable[Hit]) -> list[Hit]:
    """One hit for each article, in however many versions and parts it was hit: the latest."""
    groups: list[list[Hit]] = []
    of_law: defaultdict[str, list[list[Hit]]] = defaultdict(list)
    for hit in hits:
        known = of_law[hit.version.law]
        for group in known:
            if all(_are_one(hit, member) for member in group):
                group.append(hit)
                break
        else:
            groups.append([hit])
            known.append(groups[-1])
    folded: list[Hit] = []
    for group in groups:  # the best of it comes first
        latest = max(group, key=lambda hit: (hit.version.promulgated, hit.score))
        more = sum(hit.elsewhere for hit in group) + len(group) - 1
        folded.append(msgspec.structs.replace(latest, score=group[0].score, elsewhere=more))
    return folded


def _are_one(hit: Hit, other: Hit) -> bool:
    """Whether two hits in a law are one article; in another version its number may differ."""
    same_number = hit.position[:2] == other.position[:2]
    if hit.version.id == other.version.id:
        return same_number
    return Indel.normalized_similarity(hit.text, other.text) >= (ALIKE if same_number else _MOVED)


def versions_of(
    library: Library,
    law: LawEntry | None,
    kinds: Sequence[LawKind],
    on: date | None,
    reading: Reading,
) -> frozenset[int]:
    """The ids of the versions to be searched."""
    laws = [law] if law else library.laws(*kinds)
    if on is None:
        return frozenset(version.id for each_law in laws for version in library.versions(each_law))
    answers = (read_date(library, each_law, on, reading) for each_law in laws)
    return frozenset(answer.version.id for answer in answers if isinstance(answer, FoundVersion))


class _Place(NamedTuple):
    text: int
    version: int
    article: int
    sub: int
    paragraph: int
    item: int
    heading: int
    words: str


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
        places: dict[int, list[_Place]] = {text: [] for text in chunk}
        listed = msgspec.json.encode(chunk).decode()
        for row in library.connection.execute(sql, (listed,)):
            if row[1] in wanted:
                places[row[0]].append(_Place(*row))
        yield from filter(None, places.values())


def _hit(library: Library, places: Sequence[_Place], ranking: Ranking, *, exact: bool) -> Hit:
    versions = library.shelf.version_of
    # the latest version, and in it the first place
    place = max(reversed(places), key=lambda at: versions[at.version].promulgated)
    headings = library.headings[place.heading]
    version = versions[place.version]
    score = ranking.score(place.words, version.law + "".join(headings))
    position = Position(
        place.article, place.sub or None, place.paragraph or None, place.item or None
    )
    return Hit(version, position, headings, place.words, score, exact, len(places) - 1)


MOST_RUNS: Final = 24
"""So many runs of a passage are looked for, the rarest: more cost time and find nothing new."""
MOST_TEXTS: Final = 20_000
"""Runs that so many texts hold together are enough to look for."""
COMMON: Final = 5_000
"""Words of one or two characters in more texts than this are looked for text by text: the first
texts hold them, and no ranking could tell one from another."""


class TextIndex:
    """The full-text index of a library file: which texts hold some characters.

    Runs of three characters are indexed. Each text was indexed with two marks after its end, so
    that every run of one or two characters in it begins a run of three, and can be found through
    those. All that a reader typed goes to the index as parameters.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def size(self) -> int:
        row = self.connection.execute("SELECT max(id) FROM texts").fetchone()
        return int(row[0] or 0)

    def texts_of(self, versions: Collection[int]) -> set[int]:
        """The texts that stand in some versions."""
        sql = "SELECT text FROM provisions WHERE version IN (SELECT value FROM json_each(?))"
        listed = msgspec.json.encode(sorted(versions)).decode()
        return {text for (text,) in self.connection.execute(sql, (listed,))}

    def how_many_hold(self, unit: str) -> int:
        """About how many texts hold one, two or three characters: more rather than fewer."""
        sql = "SELECT sum(doc) FROM trigrams WHERE term >= ? AND term < ?"
        row = self.connection.execute(sql, _beginning_with(unit)).fetchone()
        return int(row[0] or 0)

    def holding_all(self, words: Sequence[str]) -> Iterator[int]:
        """The texts that hold all of these words, those with the rarest first."""
        long = [word for word in words if len(word) >= 3]
        short = sorted((word for word in words if len(word) < 3), key=self.how_many_hold)
        if not long and self.how_many_hold(short[0]) > COMMON:
            holds = " AND ".join("instr(text, ?) > 0" for _ in short)
            sql = f"SELECT id FROM texts WHERE {holds}"  # noqa: S608 - only question marks
            yield from (text for (text,) in self.connection.execute(sql, short))
            return
        parts = [_quote(word) for word in long]
        if not long:  # the runs of three that begin with the rarest
            sql = "SELECT term FROM trigrams WHERE term >= ? AND term < ?"
            rows = self.connection.execute(sql, _beginning_with(short.pop(0)))
            if not (runs := [run for (run,) in rows]):
                return
            parts = [f"({' OR '.join(map(_quote, runs))})"]
        sql = "SELECT rowid FROM texts_fts WHERE texts_fts MATCH ?"
        sql += "".join(" AND instr(text, ?) > 0" for _ in short)
        order = " ORDER BY rank" if long else ""
        rows = self.connection.execute(sql + order, (" AND ".join(parts), *short))
        yield from (text for (text,) in rows)

    def sharing_runs(self, words: Iterable[str]) -> Iterator[int]:
        """The texts that share the query's rarer runs of three characters, the best first."""
        runs = {word[at : at + 3] for word in words for at in range(len(word) - 2)}
        known = sorted((n, run) for run in runs if (n := self.how_many_hold(run)))
        chosen: list[str] = []
        held = 0
        for n, run in known[:MOST_RUNS]:
            held += n
            if chosen and held > MOST_TEXTS:
                break
            chosen.append(run)
        if chosen:
            sql = "SELECT rowid FROM texts_fts WHERE texts_fts MATCH ? ORDER BY rank"
            rows = self.connection.execute(sql, (" OR ".join(map(_quote, chosen)),))
            yield from (text for (text,) in rows)


def _beginning_with(unit: str) -> tuple[str, str]:
    """The range of terms that begin with some characters; the index knows small letters only."""
    unit = unit.lower()
    return unit, unit + "\U0010ffff"


def _quote(words: str) -> str:
    """A string of the index's own language, in which nothing else has a meaning."""
    return '"' + words.replace('"', '""') + '"'


_SATURATION: Final = 1.2  # k1: how soon more of the same adds little
_LENGTH: Final = 0.5  # b: how much a long text is held to be long-winded; provisions mean it
_MEAN: Final = 60.0  # characters of a provision, about
_ABOVE: Final = 0.5  # what stands in a heading or in the law's name counts half


def units_of(words: Iterable[str]) -> list[str]:
    """The pairs of characters of some words, and words of one character.

    >>> units_of(["抚养费", "罪"])
    ['抚养', '养费', '罪']
    """
    units = (
        unit
        for word in words
        for unit in ([word] if len(word) < 2 else map("".join, pairwise(word)))
    )
    return list(dict.fromkeys(units))


class Ranking:
    """How well texts fit one query: BM25 over its units, given how many texts hold each."""

    def __init__(self, held_by: Mapping[str, int], texts: int) -> None:
        self.weights = {
            unit: math.log1p((texts - min(n, texts) + 0.5) / (n + 0.5))
            for unit, n in held_by.items()
        }

    def score(self, text: str, above: str = "") -> float:
        """Larger is better; 0 where nothing is shared."""
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * len(text) / _MEAN)
        total = 0.0
        for unit, weight in self.weights.items():
            times = text.count(unit) + (_ABOVE if unit in above else 0.0)
            if times:
                total += weight * times * (_SATURATION + 1) / (times + damping)
        return total
