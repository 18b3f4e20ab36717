"""The library on disk, its tables, and how it is read: laws, versions, provisions, by key.

Everything is in one SQLite file that is written once and then only replaced as a whole, so readers
need no locks: any number of threads and processes may use one :class:`Library`, and one that is
open keeps the file it opened. What is small, everything but the texts, is read once and kept as a
:class:`Shelf`.

Texts are stored once however many versions share them, and the full-text index is over these: that
is why a search gives one hit for one text. In ``provisions`` 0 stands for "none", because a column
that may be NULL cannot be looked up with one ``=``.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.data.paths import home
from hengfa.base.data.sqlite_file import SqliteFile, checked
from hengfa.base.errors import DataError
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.grammar.statute import Role
from hengfa.law.library.model import (
    LawEntry,
    LawKind,
    Occasion,
    Part,
    Provision,
    Remark,
    Repeal,
    Source,
    Succession,
    Version,
)

FILE: Final = "law.sqlite"
HOW_TO_BUILD: Final = "`hengfa law get` brings the texts and makes the library"
FORMAT: Final = 3
"""A file of another format is built anew."""
OWN: Final = "own"
"""Under this key of ``meta`` are the folders of a user's own texts, as JSON."""
APPLICATION: Final = 0x48464C57  # "HFLW"; tells `file` and us what this is
SEPARATOR: Final = "\n"
"""Between the headings of a path; no heading holds a line break."""

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE laws (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, short TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE names (
    name TEXT NOT NULL, law INTEGER NOT NULL REFERENCES laws, how TEXT NOT NULL,
    PRIMARY KEY (name, law)) WITHOUT ROWID;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY, law INTEGER NOT NULL REFERENCES laws, promulgated TEXT NOT NULL,
    effective TEXT, effective_basis TEXT NOT NULL, sure TEXT NOT NULL, event TEXT NOT NULL,
    kind TEXT NOT NULL, form TEXT NOT NULL, articles INTEGER NOT NULL, leaves INTEGER NOT NULL,
    UNIQUE (law, promulgated));
CREATE TABLE sources (
    version INTEGER NOT NULL REFERENCES versions, role TEXT NOT NULL, repository TEXT NOT NULL,
    commit_id TEXT NOT NULL, path TEXT NOT NULL, file TEXT NOT NULL, file_row INTEGER,
    sha256 TEXT NOT NULL, articles INTEGER NOT NULL);
CREATE TABLE calendar (
    law INTEGER NOT NULL REFERENCES laws, promulgated TEXT NOT NULL, event TEXT NOT NULL,
    effective TEXT, sure TEXT NOT NULL, version INTEGER REFERENCES versions,
    by_law TEXT NOT NULL DEFAULT '', scope TEXT NOT NULL DEFAULT '');
CREATE TABLE repeals (
    law INTEGER REFERENCES laws, name TEXT NOT NULL, on_date TEXT, before_date TEXT NOT NULL,
    by_law TEXT NOT NULL, by_version TEXT, clause TEXT NOT NULL, scope TEXT NOT NULL,
    basis TEXT NOT NULL);
CREATE TABLE successors (
    law INTEGER NOT NULL REFERENCES laws, position TEXT NOT NULL,
    successor INTEGER NOT NULL REFERENCES laws, successor_position TEXT NOT NULL,
    basis TEXT NOT NULL);
CREATE TABLE headings (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE provisions (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES versions,
    article INTEGER NOT NULL, article_sub INTEGER NOT NULL, paragraph INTEGER NOT NULL,
    item INTEGER NOT NULL, role TEXT NOT NULL, label TEXT NOT NULL,
    text INTEGER NOT NULL REFERENCES texts, heading INTEGER NOT NULL REFERENCES headings,
    deleted INTEGER NOT NULL);
CREATE TABLE parts (
    version INTEGER NOT NULL REFERENCES versions, part TEXT NOT NULL, title TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE remarks (
    version INTEGER REFERENCES versions, file TEXT NOT NULL, file_row INTEGER, line INTEGER,
    reason TEXT NOT NULL, text TEXT NOT NULL);
"""

# The two marks after each text are for words shorter than three characters: see TextIndex.
INDEXES: Final = """
CREATE INDEX provisions_by_position ON provisions (version, article, article_sub, paragraph, item);
CREATE INDEX provisions_by_text ON provisions (text, version);
CREATE INDEX texts_by_digest ON texts (digest);
CREATE INDEX sources_by_version ON sources (version);
CREATE INDEX parts_by_version ON parts (version);
CREATE VIRTUAL TABLE texts_fts USING fts5 (
    text, content = 'texts', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO texts_fts (rowid, text) SELECT id, text || char(3, 3) FROM texts;
INSERT INTO texts_fts (texts_fts) VALUES ('optimize');
CREATE VIRTUAL TABLE trigrams USING fts5vocab ('texts_fts', 'row');
"""
"""Made when all rows are in, which is several times faster than keeping them up to date."""

_PROVISION: Final = """
    SELECT p.version, p.article, p.article_sub, p.paragraph, p.item, p.role, t.text, p.label,
           p.heading, p.deleted
    FROM provisions AS p JOIN texts AS t ON t.id = p.text
"""

_AT: Final = f"{_PROVISION} WHERE p.version = ? AND p.article = ? AND p.article_sub = ?"


def default_file() -> Path:
    """Where the library lies unless another file is named."""
    return home() / FILE


class Library(SqliteFile):
    """The law as a collection. Use :meth:`open`; close it, or use it in a ``with`` statement."""

    application = APPLICATION
    file_format = FORMAT
    kind = "a law library"
    mend = "`hengfa law build` makes it anew"

    @classmethod
    def open(cls, path: Path | None = None) -> Library:
        """The library in this file, or the one that `hengfa law build` made; opens at once."""
        path = default_file() if path is None else path
        if not path.is_file():
            raise DataError(f"there is no law library here yet: {HOW_TO_BUILD}", file=path)
        return cls(path)

    @staticmethod
    def definitions() -> str:
        return TABLES + INDEXES

    # --- laws and versions ---

    @cached_property
    def shelf(self) -> Shelf:
        """All laws, names, versions, calendar and repeals, read once: some thousand rows."""
        with self.reading():
            return _catalogue(self.connection)

    def laws(self, *kinds: LawKind) -> tuple[LawEntry, ...]:
        """All laws in the order of their names, or those of some kinds."""
        return tuple(law for law in self.shelf.laws if not kinds or law.kind in kinds)

    def versions(self, law: LawEntry | None = None) -> tuple[Version, ...]:
        """The versions of a law that are at hand, from the oldest; or those of all laws."""
        if law is None:
            return tuple(self.shelf.version_of.values())
        return self.shelf.versions.get(law.name, ())

    def occasions(self, law: LawEntry) -> tuple[Occasion, ...]:
        """All that is known to have made a text of a law, oldest first: a repeal makes none."""
        calendar = self.shelf.calendar.get(law.name, ())
        return tuple(occasion for occasion in calendar if occasion.event != "repealed")

    # --- provisions ---

    def entries(self, version: Version, role: Role | None = "leaf") -> Iterator[Provision]:
        """The provisions of a version from first to last; with ``role=None`` leads as well."""
        sql = f"{_PROVISION} WHERE p.version = ? AND (? IS NULL OR p.role = ?) ORDER BY p.id"
        with self.reading():
            for row in self.connection.execute(sql, (version.id, role, role)):
                yield _provision(row, self.headings)

    def articles(self, version: Version) -> Iterator[tuple[Provision, ...]]:
        """The articles of a version from first to last, each with all its provisions."""
        entries = self.entries(version, role=None)
        for _, provisions in groupby(entries, lambda provision: provision.position[:2]):
            yield tuple(provisions)

    def article(self, version: Version, position: Position) -> tuple[Provision, ...]:
        """All provisions of the article in which a position lies, in order; () if none."""
        sql = f"{_AT} ORDER BY p.id"
        key = (version.id, position.article, position.article_sub or 0)
        with self.reading():
            rows = self.connection.execute(sql, key).fetchall()
            return tuple(_provision(row, self.headings) for row in rows)

    def provision(self, version: Version, position: Position) -> Provision | None:
        """The lead sentence or leaf at exactly this position, or None.

        第一款 of an article with one paragraph is the article. An article of several paragraphs is
        no single provision: :meth:`text` puts it together.
        """
        article, sub, paragraph, item = position
        key = (version.id, article, sub or 0, paragraph or 0, item or 0)
        sql = f"{_AT} AND p.paragraph = ? AND p.item = ? ORDER BY p.id LIMIT 1"
        with self.reading():
            row = self.connection.execute(sql, key).fetchone()
            if row is None and paragraph == 1:
                # 0 is the paragraph of those articles that have only one
                row = self.connection.execute(sql, (*key[:3], 0, key[4])).fetchone()
            return None if row is None else _provision(row, self.headings)

    def text(self, version: Version, position: Position) -> str | None:
        """The text at any level, as it stands in the law, items with their numbers; or None.

        An item or an undivided paragraph is a line; a paragraph with items is its lead sentence and
        a line for each item; an article is its paragraphs. Its own number is left out.
        """
        return compose(self.article(version, position), position)

    def mentions(self, words: str) -> bool:
        """Whether some provision has these words, of three characters at least."""
        sql = "SELECT 1 FROM texts_fts WHERE texts_fts MATCH ? LIMIT 1"
        quoted = '"' + words.replace('"', '""') + '"'
        with self.reading():
            return self.connection.execute(sql, (quoted,)).fetchone() is not None

    def parts(self, version: Version) -> tuple[Part, ...]:
        """Header, preamble, the body of a text without articles, annexes."""
        sql = "SELECT part, title, text FROM parts WHERE version = ? ORDER BY rowid"
        with self.reading():
            rows = self.connection.execute(sql, (version.id,))
            return tuple(checked(Part(*row)) for row in rows)

    def sources(self, version: Version) -> tuple[Source, ...]:
        """Where the text of a version came from, the one that was taken first."""
        sql = """
            SELECT role, repository, commit_id, path, file, file_row, sha256
            FROM sources WHERE version = ? ORDER BY rowid
        """
        with self.reading():
            rows = self.connection.execute(sql, (version.id,))
            return tuple(checked(Source(*row)) for row in rows)

    # --- what the build had to say ---

    def remarks(self) -> Iterator[Remark]:
        """Every line that was not placed and every file or row that was not read."""
        sql = """
            SELECT r.file, r.file_row, r.line, r.reason, r.text, l.name, v.promulgated
            FROM remarks AS r LEFT JOIN versions AS v ON v.id = r.version
            LEFT JOIN laws AS l ON l.id = v.law ORDER BY r.rowid
        """
        with self.reading():
            for file, row, line, reason, text, law, made in self.connection.execute(sql):
                yield checked(Remark(file, row, line, reason, text, law or "", _day(made)))

    @cached_property
    def meta(self) -> dict[str, str]:
        """From what and by which version of the tool this library was built."""
        with self.reading():
            rows = self.connection.execute("SELECT key, value FROM meta").fetchall()
            return msgspec.convert(dict(rows), dict[str, str])

    @property
    def fingerprint(self) -> str:
        """What tells libraries apart."""
        return self.meta.get("fingerprint", "")

    @cached_property
    def own_folders(self) -> tuple[Path, ...]:
        """Folders and files with a user's own texts that were built in beside a pack."""
        folders = json_decoder(list[str])(self.meta.get(OWN, "[]"))
        return tuple(map(Path, folders))

    # --- the file ---

    @cached_property
    def headings(self) -> dict[int, tuple[str, ...]]:
        with self.reading():
            rows = self.connection.execute("SELECT id, path FROM headings").fetchall()
            paths = msgspec.convert(dict(rows), dict[int, str])
        return {at: tuple(path.split(SEPARATOR)) if path else () for at, path in paths.items()}


def compose(article: Sequence[Provision], position: Position) -> str | None:
    """The text of a position from all provisions of its article; None where there is none.

    An item that is asked for is given without its number; inside a paragraph it has it.
    """
    chosen = [provision for provision in article if lies_in(provision.position, position)]
    if not chosen:
        return None
    if position.item is not None:
        return "\n".join(provision.text for provision in chosen)
    return "\n".join(provision.label + provision.text for provision in chosen)


def lies_in(position: Position, asked: Position) -> bool:
    """Whether a position of the article asked for is what was asked for, or part of it.

    第一款 of an article with one paragraph is all of it.
    """
    if asked.paragraph is not None and (position.paragraph or 1) != asked.paragraph:
        return False
    if asked.item is None:
        return True
    # 第五条第（三）项 leaves the paragraph open only where there is one
    return position.item == asked.item and (
        asked.paragraph is not None or position.paragraph is None
    )


class Shelf(msgspec.Struct, frozen=True, dict=True):
    """Laws in the order of their names; what is known of each under its full name.

    ``names`` leads from every normalised name, short, old or full, to the laws that bear it,
    ``numbers`` from every document number (法释〔2013〕8号).
    """

    laws: tuple[LawEntry, ...]
    names: Mapping[str, tuple[LawEntry, ...]]
    numbers: Mapping[str, tuple[LawEntry, ...]]
    versions: Mapping[str, tuple[Version, ...]]
    calendar: Mapping[str, tuple[Occasion, ...]]
    repeals: Mapping[str, tuple[Repeal, ...]]
    successors: Mapping[str, tuple[Succession, ...]]

    @cached_property
    def by_name(self) -> Mapping[str, LawEntry]:
        return {law.name: law for law in self.laws}

    @cached_property
    def version_of(self) -> Mapping[int, Version]:
        """Versions by their ids, in the order of laws and dates."""
        return {v.id: v for law in self.laws for v in self.versions.get(law.name, ())}


_T = TypeVar("_T")


def digest(text: str) -> int:
    """A number to find a text by, small enough for an index; equal digests are compared further."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), signed=True)


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _provision(row: tuple[Any, ...], headings: Mapping[int, tuple[str, ...]]) -> Provision:
    version, article, sub, paragraph, item, role, text, label, heading, deleted = row
    if not {type(text), type(label), type(role)} == {str}:
        raise TypeError("a provision without a text")
    if not {type(article), type(sub), type(paragraph), type(item)} == {int}:
        raise TypeError("a provision without a position")
    position = Position(article, sub or None, paragraph or None, item or None)
    return Provision(version, position, role, text, label, headings[heading], bool(deleted))


def _catalogue(connection: sqlite3.Connection) -> Shelf:
    """Everything but the texts."""
    read = connection.execute
    laws = tuple(checked(LawEntry(*row)) for row in read("SELECT * FROM laws ORDER BY name"))
    by_id = {law.id: law for law in laws}
    names: list[tuple[str, LawEntry]] = []
    numbers: list[tuple[str, LawEntry]] = []
    for name, law, how in read("SELECT * FROM names ORDER BY name, law"):
        (numbers if how == "number" else names).append((str(name), by_id[law]))
    return Shelf(
        laws=laws,
        names=_grouped(names),
        numbers=_grouped(numbers),
        versions=_grouped((version.law, version) for version in _versions(connection)),
        calendar=_grouped((occasion.law, occasion) for occasion in _occasions(connection)),
        repeals=_grouped((repeal.law, repeal) for repeal in _repeals(connection)),
        successors=_grouped((known.law, known) for known in _successors(connection)),
    )


def _grouped(pairs: Iterable[tuple[str, _T]]) -> dict[str, tuple[_T, ...]]:
    """All that stands under one name, by that name."""
    grouped: defaultdict[str, list[_T]] = defaultdict(list)
    for name, one in pairs:
        grouped[name].append(one)
    return {name: tuple(several) for name, several in grouped.items()}


def _versions(connection: sqlite3.Connection) -> Iterator[Version]:
    sql = """
        SELECT v.id, l.name, v.promulgated, v.effective, v.effective_basis, v.sure, v.event, v.kind,
               v.form, v.articles, v.leaves
        FROM versions AS v JOIN laws AS l ON l.id = v.law ORDER BY l.name, v.promulgated
    """
    for number, law, promulgated, effective, *rest in connection.execute(sql):
        days = date.fromisoformat(promulgated), _day(effective)
        yield checked(Version(number, law, *days, *rest))


def _occasions(connection: sqlite3.Connection) -> Iterator[Occasion]:
    sql = """
        SELECT l.name, c.promulgated, c.event, c.effective, c.sure, c.version, c.by_law, c.scope
        FROM calendar AS c JOIN laws AS l ON l.id = c.law ORDER BY l.name, c.promulgated
    """
    for law, promulgated, event, effective, sure, version, by, scope in connection.execute(sql):
        days = date.fromisoformat(promulgated), event, _day(effective)
        yield checked(Occasion(law, *days, sure, version, by, _positions(scope)))


def _repeals(connection: sqlite3.Connection) -> Iterator[Repeal]:
    sql = """
        SELECT coalesce(l.name, r.name), r.on_date, r.before_date, r.by_law, r.by_version, r.clause,
               r.scope, r.basis
        FROM repeals AS r LEFT JOIN laws AS l ON l.id = r.law ORDER BY r.before_date
    """
    for law, on, before, by, by_version, clause, scope, basis in connection.execute(sql):
        dates = _day(on), date.fromisoformat(before), by, _day(by_version)
        yield checked(Repeal(law, *dates, clause, _positions(scope), basis))


def _successors(connection: sqlite3.Connection) -> Iterator[Succession]:
    sql = """
        SELECT l.name, s.position, n.name, s.successor_position, s.basis FROM successors AS s
        JOIN laws AS l ON l.id = s.law JOIN laws AS n ON n.id = s.successor ORDER BY s.rowid
    """
    for law, position, successor, to, basis in connection.execute(sql):
        here, there = parse_position(position), parse_position(to)
        if here and there:
            yield checked(Succession(law, here, successor, there, basis))


def _positions(listed: object) -> tuple[Position, ...]:
    """Positions as a table lists them, 第三条、第五条."""
    if not isinstance(listed, str):
        raise TypeError("a list of positions that is no text")
    return tuple(filter(None, map(parse_position, listed.split("、"))))
