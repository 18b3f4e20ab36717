"""Builds the library: read everything, choose, date, write one file, first rows, then indexes."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

import hengfa
from hengfa.base.data.packs import find_pack
from hengfa.base.data.sqlite_file import new_file
from hengfa.base.errors import DataError
from hengfa.law.grammar.law_names import STATE, normalise_name
from hengfa.law.library.building.assemble import (
    Entered,
    Repealing,
    Text,
    find_repeals,
    law_key,
    make_calendar,
    names_of,
    read_texts,
)
from hengfa.law.library.building.sources import KnownSuccessor, RawText, SourceFolder, gather
from hengfa.law.library.model import STATUTES, Remark
from hengfa.law.library.store import APPLICATION, FORMAT, INDEXES, OWN, SEPARATOR, TABLES, digest


class Built(msgspec.Struct, frozen=True):
    file: str
    laws: int
    versions: int
    statutes: int
    statute_versions: int
    articles: int
    leaves: int
    remarks: int


PACK: Final = "statutes"
"""The pack that holds the texts of law."""


def installed_sources() -> list[SourceFolder]:
    """What to build from on this machine; an error says how to get it."""
    return [SourceFolder(find_pack(PACK).root)]


def build_library(
    sources: Sequence[SourceFolder | Path],
    file: Path,
    notify: Callable[[str], None] = lambda _line: None,
    watch: Callable[[int, int], None] = lambda _done, _of: None,
) -> Built:
    """Make the library ``file`` from these sources; what was there is replaced when all is done.

    ``notify`` is told what a person should know, ``watch`` how many texts of how many are read.
    The same sources make the same file, byte for byte.
    """
    folders = [s if isinstance(s, SourceFolder) else SourceFolder(s) for s in sources]
    gathered = gather(folders)
    remarks = gathered.remarks
    texts = read_texts(gathered.texts, remarks.append, watch, gathered.effective)
    if not texts:
        reasons = sorted({remark.reason for remark in remarks})[:3]
        places = ", ".join(str(source) for source in sources)
        raise DataError(f"no text could be read as a law: {'; '.join(reasons)}", file=places)
    unread = sum(len(text.alternates) for text in texts)
    if unread:
        notify(f"{unread} further texts of the same versions were left aside")
    if remarks:
        notify(f"files or rows that need a look: {len(remarks)} (`hengfa law report`)")
    calendar = make_calendar(texts, gathered.calendar, gathered.amended)
    repeals = find_repeals(texts, calendar, gathered.repeals)
    total = hashlib.sha256(msgspec.json.encode(repeals))
    for text in texts:
        key = f"{text.law}\0{text.promulgated}\0{text.effective}\0{text.raw.text}\0"
        total.update(key.encode("utf-8", errors="surrogatepass"))
    own = [str(folder.path) for folder in folders if folder.own]
    meta = {
        "hengfa": hengfa.__version__,
        "fingerprint": total.hexdigest()[:12],  # of exactly these texts under these dates
        OWN: msgspec.json.encode(own).decode(),
    }
    with new_file(file, APPLICATION, FORMAT) as connection:
        names = names_of(texts, gathered.numbers)
        _Writer(connection).write(
            texts, names, calendar, repeals, gathered.successors, remarks, meta
        )
    statutes = [text for text in texts if text.kind in STATUTES]
    return Built(
        file=str(file),
        laws=len({text.law for text in texts}),
        versions=len(texts),
        statutes=len({text.law for text in statutes}),
        statute_versions=len(statutes),
        articles=sum(len(text.statute.articles) for text in statutes),
        leaves=sum(entry.role == "leaf" for text in statutes for entry in text.entries),
        remarks=len(remarks) + sum(len(text.statute.unplaced) for text in texts),
    )


_LONGEST_REMARK = 500


class _Writer:
    """Puts what was assembled into the tables, each text and heading path once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.texts: dict[str, int] = {}
        self.headings: dict[str, int] = {}
        self.laws: dict[str, int] = {}
        self.versions: dict[int, int] = {}  # by the identity of the text
        connection.executescript(TABLES)

    def write(
        self,
        texts: Sequence[Text],
        names: Mapping[tuple[str, str], str],
        calendar: Mapping[str, Sequence[Entered]],
        repeals: Iterable[Repealing],
        successors: Iterable[KnownSuccessor],
        remarks: Iterable[Remark],
        meta: Mapping[str, str],
    ) -> None:
        with self.connection:
            latest = {text.law: text for text in texts}
            for number, (law, text) in enumerate(latest.items(), 1):
                self.laws[law] = number
                self._many("laws", [(number, law, law.removeprefix(STATE) or law, text.kind)])
            self._many("names", [(name, self.laws[law], how) for (name, law), how in names.items()])
            for text in texts:
                self._version(text)
            for law, lines in calendar.items():
                self._many("calendar", (self._line(self.laws[law], line) for line in lines))
            self._repeals(repeals)
            self._successors(successors)
            for remark in remarks:
                self._remark(None, remark)
            self._many("texts", [(i, digest(text), text) for text, i in self.texts.items()])
            self._many("headings", [(i, path) for path, i in self.headings.items()])
            self._many("meta", meta.items())
        self.connection.executescript(INDEXES)
        self.connection.execute("ANALYZE")
        self.connection.commit()

    def _version(self, text: Text) -> None:
        number = self.versions[id(text)] = len(self.versions) + 1
        leaves = sum(entry.role == "leaf" for entry in text.entries)
        dates = str(text.promulgated), _iso(text.effective), text.basis, text.sure
        shape = text.kind, text.statute.form, len(text.statute.articles), leaves
        self._many("versions", [(number, self.laws[text.law], *dates, text.event, *shape)])
        self._source(number, "primary", text.raw, len(text.statute.articles))
        for raw in text.alternates:
            self._source(number, "alternate", raw, 0)
        self._provisions(number, text)
        own = text.statute
        heads = {"header": own.header, "preamble": own.preamble, "body": own.body}
        parts = [(number, part, "", "\n".join(lines)) for part, lines in heads.items() if lines]
        parts += ((number, "annex", annex.title, annex.text) for annex in own.annexes)
        self._many("parts", parts)
        for unplaced in text.statute.unplaced:
            file, line = text.raw.place(unplaced.line)
            said = Remark(file, text.raw.row, line, unplaced.reason, unplaced.text)
            self._remark(number, said)

    def _source(self, version: int, role: str, raw: RawText, articles: int) -> None:
        total = hashlib.sha256(raw.text.encode("utf-8", errors="surrogatepass")).hexdigest()
        origin = raw.repository, raw.commit, raw.path, raw.file, raw.row
        self._many("sources", [(version, role, *origin, total, articles)])

    def _provisions(self, version: int, text: Text) -> None:
        paths: dict[tuple[int, int], int] = {}
        labels: dict[tuple[int, int, int, int], str] = {}
        for article in text.statute.articles:
            headings = (f"{heading.label}　{heading.title}" for heading in article.headings)
            path = SEPARATOR.join(heading.strip("　").replace("\n", " ") for heading in headings)
            paths[article.number, article.sub] = self.headings.setdefault(
                path, len(self.headings) + 1
            )
            several = len(article.paragraphs) > 1
            for place, paragraph in enumerate(article.paragraphs, 1):
                for item in paragraph.items:
                    key = article.number, article.sub, place if several else 0, item.number
                    labels[key] = item.label
        rows = []
        for entry in text.entries:
            key = entry.article, entry.article_sub, entry.paragraph or 0, entry.item or 0
            number = self.texts.setdefault(entry.text, len(self.texts) + 1)
            heading = paths[entry.article, entry.article_sub]
            label = labels.get(key, "")
            rows.append((None, version, *key, entry.role, label, number, heading, entry.deleted))
        self._many("provisions", rows)

    def _line(self, law: int, line: Entered) -> tuple[object, ...]:
        version = None if line.text is None else self.versions[id(line.text)]
        dates = str(line.on), line.event, _iso(line.effective), line.sure
        return law, *dates, version, "", line.scope

    def _repeals(self, repeals: Iterable[Repealing]) -> None:
        by_key: dict[str, list[int]] = {}
        for law, number in self.laws.items():
            by_key.setdefault(law_key(law), []).append(number)
            by_key.setdefault(normalise_name(law), []).append(number)
        for repeal in repeals:
            known = by_key.get(law_key(repeal.name)) or by_key.get(normalise_name(repeal.name), [])
            target = known[0] if len(set(known)) == 1 else None
            on, before, by = _iso(repeal.on), str(repeal.before), repeal.by
            version = _iso(repeal.by_version)
            rest = version, repeal.clause, repeal.scope, repeal.basis
            self._many("repeals", [(target, repeal.name, on, before, by, *rest)])
            if target is not None and on is not None and not repeal.scope:
                self._many("calendar", [(target, before, "repealed", on, "exact", None, by, "")])

    def _successors(self, successors: Iterable[KnownSuccessor]) -> None:
        """Lines of a table whose laws are both here."""
        by_key = {law_key(law): number for law, number in self.laws.items()}
        rows = [
            (law, known.position, to, known.successor_position, known.basis)
            for known in successors
            if (law := by_key.get(law_key(known.law)))
            and (to := by_key.get(law_key(known.successor)))
        ]
        self._many("successors", dict.fromkeys(rows))

    def _remark(self, version: int | None, remark: Remark) -> None:
        text = remark.text
        shown = text if len(text) <= _LONGEST_REMARK else f"{text[:_LONGEST_REMARK]}…"
        place = remark.file, remark.row, remark.line
        self._many("remarks", [(version, *place, remark.reason, shown)])

    def _many(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        listed = list(rows)
        if listed:
            marks = ", ".join("?" * len(listed[0]))
            # the table's name is one of our own, never a reader's
            self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", listed)  # noqa: S608


def _iso(day: date | None) -> str | None:
    return None if day is None else str(day)
