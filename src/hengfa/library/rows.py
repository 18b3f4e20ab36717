"""How rows of the library file become the things of :mod:`hengfa.library.model`."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, TypeAlias

from hengfa.law.citation_model import Position
from hengfa.library.model import Law, Occasion, Provision, Remark, Repeal, Version
from hengfa.library.shelf import Shelf

Row: TypeAlias = tuple[Any, ...]

SEPARATOR: Final = "\n"
"""Between the headings of a path; no heading holds a line break."""


def digest(text: str) -> int:
    """A number to find a text by, small enough for an index; equal digests are compared further."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), signed=True)


def day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def provision_of(row: Row, headings: Mapping[int, tuple[str, ...]]) -> Provision:
    version, article, sub, paragraph, item, role, text, label, heading, deleted = row
    position = Position(article, sub or None, paragraph or None, item or None)
    return Provision(version, position, role, text, label, headings[heading], bool(deleted))


def remark_of(row: Row) -> Remark:
    file, file_row, line, reason, text, law, promulgated = row
    return Remark(file, file_row, line, reason, text, law or "", day(promulgated))


def headings_of(connection: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    rows = connection.execute("SELECT id, path FROM headings")
    return {number: tuple(path.split(SEPARATOR)) if path else () for number, path in rows}


def catalogue(connection: sqlite3.Connection) -> Shelf:
    """Everything but the texts."""
    laws = [Law(*row) for row in connection.execute("SELECT * FROM laws ORDER BY name")]
    by_id = {law.id: law for law in laws}
    names: defaultdict[str, list[Law]] = defaultdict(list)
    for name, law in connection.execute("SELECT name, law FROM names ORDER BY name, law"):
        names[name].append(by_id[law])
    versions: defaultdict[str, list[Version]] = defaultdict(list)
    sql = """
        SELECT v.id, l.name, v.promulgated, v.effective, v.effective_basis, v.sure, v.event, v.kind,
               v.form, v.articles, v.leaves
        FROM versions AS v JOIN laws AS l ON l.id = v.law ORDER BY l.name, v.promulgated
    """
    for number, law, promulgated, effective, *rest in connection.execute(sql):
        found = Version(number, law, date.fromisoformat(promulgated), day(effective), *rest)
        versions[law].append(found)
    return Shelf(
        laws=tuple(laws),
        names={name: tuple(found) for name, found in names.items()},
        versions={law: tuple(found) for law, found in versions.items()},
        calendar=_calendar(connection),
        repeals=_repeals(connection),
    )


def _calendar(connection: sqlite3.Connection) -> dict[str, tuple[Occasion, ...]]:
    found: defaultdict[str, list[Occasion]] = defaultdict(list)
    sql = """
        SELECT l.name, c.promulgated, c.event, c.effective, c.sure, c.version, c.by_law
        FROM calendar AS c JOIN laws AS l ON l.id = c.law ORDER BY l.name, c.promulgated
    """
    for law, promulgated, event, effective, *rest in connection.execute(sql):
        occasion = Occasion(law, date.fromisoformat(promulgated), event, day(effective), *rest)
        found[law].append(occasion)
    return {law: tuple(occasions) for law, occasions in found.items()}


def _repeals(connection: sqlite3.Connection) -> dict[str, tuple[Repeal, ...]]:
    found: defaultdict[str, list[Repeal]] = defaultdict(list)
    sql = """
        SELECT coalesce(l.name, r.name), r.on_date, r.before_date, r.by_law, r.by_version, r.clause
        FROM repeals AS r LEFT JOIN laws AS l ON l.id = r.law ORDER BY r.before_date
    """
    for law, on, before, by, by_version, clause in connection.execute(sql):
        dates = date.fromisoformat(before), by, date.fromisoformat(by_version)
        found[law].append(Repeal(law, day(on), *dates, clause))
    return {law: tuple(repeals) for law, repeals in found.items()}
