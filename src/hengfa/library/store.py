"""The library on disk, opened for reading: laws, versions, provisions, by key.

A file is written once and then only replaced as a whole, so readers need no locks: any number of
threads and processes may use one :class:`Library`, and one that is open keeps the file it opened.
Readings of a date are in :mod:`hengfa.library.versions`, names in :mod:`~hengfa.library.names`,
search and history in modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from hengfa.data.paths import home
from hengfa.data.sqlite_file import SqliteFile
from hengfa.errors import DataError
from hengfa.law.citation_model import Position
from hengfa.law.statute import Role
from hengfa.library.compose import compose
from hengfa.library.model import Law, LawKind, Part, Provision, Remark, Source, Version
from hengfa.library.rows import catalogue, digest, headings_of, provision_of, remark_of
from hengfa.library.schema import APPLICATION, FORMAT
from hengfa.library.shelf import Shelf

FILE: Final = "law.sqlite"

HOW_TO_BUILD: Final = (
    "`hengfa data add statutes DIR` or `hengfa data pull statutes` brings the texts,"
    " then `hengfa law build` makes the library"
)

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

    # --- laws and versions ---

    @cached_property
    def shelf(self) -> Shelf:
        """All laws, names, versions, calendar and repeals, read once: some thousand rows."""
        return catalogue(self.connection)

    def laws(self, *kinds: LawKind) -> tuple[Law, ...]:
        """All laws in the order of their names, or those of some kinds."""
        return tuple(law for law in self.shelf.laws if not kinds or law.kind in kinds)

    def versions(self, law: Law | None = None) -> tuple[Version, ...]:
        """The versions of a law that are at hand, from the oldest; or those of all laws."""
        if law is None:
            return tuple(self.shelf.version_of.values())
        return self.shelf.versions.get(law.name, ())

    # --- provisions ---

    def entries(self, version: Version, role: Role | None = "leaf") -> Iterator[Provision]:
        """The provisions of a version from first to last; with ``role=None`` leads as well."""
        sql = f"{_PROVISION} WHERE p.version = ? AND (? IS NULL OR p.role = ?) ORDER BY p.id"
        for row in self.connection.execute(sql, (version.id, role, role)):
            yield provision_of(row, self.headings)

    def article(self, version: Version, position: Position) -> tuple[Provision, ...]:
        """All provisions of the article in which a position lies, in order; () if none."""
        sql = f"{_AT} ORDER BY p.id"
        key = (version.id, position.article, position.article_sub or 0)
        rows = self.connection.execute(sql, key).fetchall()
        return tuple(provision_of(row, self.headings) for row in rows)

    def provision(self, version: Version, position: Position) -> Provision | None:
        """The lead sentence or leaf at exactly this position, or None.

        第一款 of an article with one paragraph is the article. An article of several paragraphs is
        no single provision: :meth:`text` puts it together.
        """
        article, sub, paragraph, item = position
        key = (version.id, article, sub or 0, paragraph or 0, item or 0)
        sql = f"{_AT} AND p.paragraph = ? AND p.item = ? ORDER BY p.id LIMIT 1"
        row = self.connection.execute(sql, key).fetchone()
        if row is None and paragraph == 1:
            # 0 is the paragraph of those articles that have only one
            row = self.connection.execute(sql, (*key[:3], 0, key[4])).fetchone()
        return None if row is None else provision_of(row, self.headings)

    def text(self, version: Version, position: Position) -> str | None:
        """The text at any level, as it stands in the law, items with their numbers; or None.

        An item or an undivided paragraph is a line; a paragraph with items is its lead sentence and
        a line for each item; an article is its paragraphs. Its own number is left out.
        """
        return compose(self.article(version, position), position)

    def same_text(self, version: Version, text: str) -> tuple[Position, ...]:
        """All positions of a version, leads and leaves, that have exactly this text."""
        sql = """
            SELECT p.article, p.article_sub, p.paragraph, p.item FROM texts AS t
            JOIN provisions AS p ON p.text = t.id AND p.version = ?
            WHERE t.digest = ? AND t.text = ? ORDER BY p.id
        """
        rows = self.connection.execute(sql, (version.id, digest(text), text))
        return tuple(Position(a, s or None, p or None, i or None) for a, s, p, i in rows)

    def parts(self, version: Version) -> tuple[Part, ...]:
        """Header, preamble, the body of a text without articles, annexes."""
        sql = "SELECT part, title, text FROM parts WHERE version = ? ORDER BY rowid"
        rows = self.connection.execute(sql, (version.id,))
        return tuple(Part(*row) for row in rows)

    def sources(self, version: Version) -> tuple[Source, ...]:
        """Where the text of a version came from, the one that was taken first."""
        sql = """
            SELECT role, repository, commit_id, path, file, file_row, sha256
            FROM sources WHERE version = ? ORDER BY rowid
        """
        return tuple(Source(*row) for row in self.connection.execute(sql, (version.id,)))

    # --- what the build had to say ---

    def remarks(self) -> Iterator[Remark]:
        """Every line that was not placed and every file or row that was not read."""
        sql = """
            SELECT r.file, r.file_row, r.line, r.reason, r.text, l.name, v.promulgated
            FROM remarks AS r LEFT JOIN versions AS v ON v.id = r.version
            LEFT JOIN laws AS l ON l.id = v.law ORDER BY r.rowid
        """
        yield from map(remark_of, self.connection.execute(sql))

    @cached_property
    def meta(self) -> dict[str, str]:
        """From what and by which version of the tool this library was built."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    # --- the file ---

    @cached_property
    def headings(self) -> dict[int, tuple[str, ...]]:
        """Heading paths by their number."""
        return headings_of(self.connection)
