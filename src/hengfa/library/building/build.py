"""Builds the library: read everything, choose, date, write one file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

import hengfa
from hengfa.data.catalogue import load_entry
from hengfa.data.packs import find_pack, status_of
from hengfa.data.sqlite_file import new_file
from hengfa.errors import DataError
from hengfa.library.building.assemble import Text, read_texts
from hengfa.library.building.calendar import make_calendar
from hengfa.library.building.raw import SourceFolder
from hengfa.library.building.repeals import find_repeals
from hengfa.library.building.sources import gather
from hengfa.library.building.write import Writer
from hengfa.library.model import STATUTES
from hengfa.library.schema import APPLICATION, FORMAT


class Built(msgspec.Struct, frozen=True):
    """What a build has made."""

    file: str
    laws: int
    versions: int
    statutes: int
    statute_versions: int
    articles: int
    leaves: int
    remarks: int


PACKS: Final = ("statutes", "just-laws", "x-storage-laws")
"""The packs that hold texts of law: the assembled one alone where it is installed, else the others,
of which the first is preferred where both have a version."""


def installed_sources() -> list[SourceFolder]:
    """The packs on this machine to build from; an error says how to get one."""
    usable = [name for name in PACKS if status_of(load_entry(name)).pack is not None]
    if not usable:
        find_pack(PACKS[0])
    chosen = usable[:1] if PACKS[0] in usable else usable
    entries = [(find_pack(name), load_entry(name)) for name in chosen]
    return [SourceFolder(p.root, entry.repository or "", p.commit or "") for p, entry in entries]


def _silent(_line: str) -> None: ...


def _unwatched(_done: int, _of: int) -> None: ...


def build_library(
    sources: Sequence[SourceFolder | Path],
    file: Path,
    notify: Callable[[str], None] = _silent,
    watch: Callable[[int, int], None] = _unwatched,
) -> Built:
    """Make the library ``file`` from these sources; what was there is replaced when all is done.

    ``notify`` is told what a person should know, ``watch`` how many texts of how many are read.
    The same sources make the same file, byte for byte.
    """
    gathered = gather([s if isinstance(s, SourceFolder) else SourceFolder(s) for s in sources])
    remarks = gathered.remarks
    texts = read_texts(gathered.texts, remarks.append, watch)
    if not texts:
        reasons = sorted({remark.reason for remark in remarks})[:3]
        places = ", ".join(str(source) for source in sources)
        raise DataError(f"no text could be read as a law: {'; '.join(reasons)}", file=places)
    unread = sum(len(text.alternates) for text in texts)
    if unread:
        notify(f"{unread} further texts of the same versions were left aside")
    if remarks:
        notify(f"{len(remarks)} files or rows need a look: `hengfa law report`")
    calendar = make_calendar(texts, gathered.calendar)
    repeals = find_repeals(texts, calendar)
    meta = {"hengfa": hengfa.__version__, "fingerprint": _fingerprint(texts)}
    with new_file(file, APPLICATION, FORMAT) as connection:
        Writer(connection).write(texts, calendar, repeals, remarks, meta)
    return _built(file, texts, len(remarks))


def _fingerprint(texts: Sequence[Text]) -> str:
    """A short name for exactly these texts under these dates."""
    total = hashlib.sha256()
    for text in texts:
        key = f"{text.law}\0{text.promulgated}\0{text.effective}\0{text.raw.text}\0"
        total.update(key.encode("utf-8", errors="surrogatepass"))
    return total.hexdigest()[:12]


def _built(file: Path, texts: Sequence[Text], remarks: int) -> Built:
    statutes = [text for text in texts if text.kind in STATUTES]
    return Built(
        file=str(file),
        laws=len({text.law for text in texts}),
        versions=len(texts),
        statutes=len({text.law for text in statutes}),
        statute_versions=len(statutes),
        articles=sum(len(text.statute.articles) for text in statutes),
        leaves=sum(entry.role == "leaf" for text in statutes for entry in text.entries),
        remarks=remarks + sum(len(text.statute.unplaced) for text in texts),
    )
