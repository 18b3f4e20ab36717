"""The pack of statutes, assembled: one row for each text of each version, from public repositories.

Several repositories have texts of national law, each in its own layout and none of them all: one
the statutes in force (ImCa0/just-laws), one earlier versions and judicial interpretations as well
(X-STORAGE/Laws), two a few old statutes, and the history of some of them what stands nowhere else.
Title, day of promulgation and events are what a text says above its first article. Of several texts
of a version the one with most articles is ``primary``; the others stay beside it.

When a version took effect is said, best first, by the text itself where it was adopted or revised
as a whole, by the register of LawRefBook/Laws, by that of X-STORAGE/Laws (which writes the day of
promulgation where it knows none, so an amended text that is said to be in force that day is
``effective_suspect``), and by its header. What no source says stands in ``assembly.toml``.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import read_toml, write_atomically
from hengfa.base.data.paths import disk_errors
from hengfa.base.data.sqlite_file import SqliteFile
from hengfa.base.errors import DataError
from hengfa.law.grammar.dates import find_days
from hengfa.law.grammar.law_names import STATE
from hengfa.law.grammar.statute import Statute
from hengfa.law.grammar.statute_header import Header, entry_clause, read_statute_header
from hengfa.law.grammar.statute_parsing import parse_statute
from hengfa.law.library.building import assemble
from hengfa.law.library.building.assemble import kind_of, law_key, law_name

VERSION: Final = "1"
"""Goes up when what is derived changes."""
_JUST_LAWS: Final = "ImCa0/just-laws"
_X_STORAGE: Final = "X-STORAGE/Laws"
_LAWREFBOOK: Final = "LawRefBook/Laws"
_CHINESE_LAWS: Final = "risshun/Chinese_Laws"
_LAW: Final = "banditsmile/law"


class _Past(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts that stand only at earlier commits; ``version`` where their header has another."""

    repository: str
    path: str
    commits: tuple[str, ...]
    version: date | None = None
    optional: bool = False


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is assembled, and days that no source says: see the table."""

    snapshots: dict[str, str]
    past: tuple[_Past, ...]
    undated: dict[str, dict[str, date]]
    effective: dict[str, dict[date, date]]


_FACTS: Final = read_toml(Path(__file__).with_name("assembly.toml"), _Facts)
_PAST: Final = {
    f"{past.repository}@{commit}": past for past in _FACTS.past for commit in past.commits
}
_REGISTER: Final = "db.sqlite3"
_FIELDS: Final = "宪法 宪法相关法 刑法 民法商法 社会法 经济法 行政法 生态环境法 诉讼与非诉讼程序法"
_STATUTES: Final = tuple(f"{field}/*.md" for field in _FIELDS.split())
_COURTS: Final = "司法解释/*.md"
_DECISIONS: Final = "有关法律问题和重大问题的决定/*.md"
_REGULATIONS: Final = ("行政法规/*.md", "部门规章/*/*.md")
_READINGS: Final = "法律解释/*.md"  # of the standing committee, and the latest of the courts


_COMING: Final = "docs/*/*/versions/*/README.md"  # texts that are not in force yet

_PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    _JUST_LAWS: ("docs/constitution/*.md", "docs/*/*/*.md", _COMING),
    _X_STORAGE: (_REGISTER, *_STATUTES, _COURTS),
    _LAWREFBOOK: (_REGISTER,),
    _CHINESE_LAWS: ("宪法/*宪法*.md", "基本法律/*.md", "非基本法律/*.md"),
    _LAW: ("*.md",),
}

READS: Final[Mapping[str, tuple[str, ...]]] = {
    f"{repository}@{commit}": _PATTERNS[repository]
    for repository, commit in _FACTS.snapshots.items()
} | {name: (past.path,) for name, past in _PAST.items() if not past.optional}
"""What is needed of which repository, as patterns of paths."""
OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    f"{_X_STORAGE}@{_FACTS.snapshots[_X_STORAGE]}": (_DECISIONS, *_REGULATIONS, _READINGS),
} | {name: (past.path,) for name, past in _PAST.items() if past.optional}
"""Read where it is there: without it regulations, some acts and two versions are missing."""

_IN_PARTS: Final = frozenset({"宪法", "民法典", "刑法", "刑事诉讼法", "民事诉讼法"})
"""Laws that just-laws has in parts, and another repository as one text, which is preferred."""


def derive(sources: Mapping[str, Path], target: Path) -> None:
    """Write the files of the pack into ``target``.

    ``sources`` leads from "OWNER/REPO@COMMIT" to a folder with the files of that commit. Of the
    five repositories another commit than that of :data:`READS` will do.
    """
    folders = {name: _snapshot(sources, name) for name in _FACTS.snapshots}
    registers = _Registers(
        _read_register(folders[_LAWREFBOOK], ends=False),
        _read_register(folders[_X_STORAGE], ends=True),
    )
    texts = [
        *_texts_of_folders(folders[_JUST_LAWS]),
        *_texts_of_pages(folders[_X_STORAGE], _STATUTES, rank=1),
        *_texts_of_pages(folders[_CHINESE_LAWS], _PATTERNS[_CHINESE_LAWS], rank=3),
        *_texts_of_pages(folders[_LAW], _PATTERNS[_LAW], rank=4),
        *_texts_of_history(sources),
    ]
    versions = _versions(texts)
    _write_rows(target / "statutes.jsonl", _statute_rows(versions, registers))
    pages = folders[_X_STORAGE]
    acts = _interpretation_rows(pages, (_COURTS, _DECISIONS), registers)
    _write_rows(target / "interpretations.jsonl", acts)
    regulations = [
        *_regulation_rows(pages, registers),
        *_interpretation_rows(pages, (_READINGS,), registers),
    ]
    if regulations:
        _write_rows(target / "regulations.jsonl", regulations)
    write_atomically(target / "version_calendar.tsv", _calendar(versions).encode())


# --- what the repositories hold ---


class _Folder(NamedTuple):
    repository: str
    commit: str
    path: Path

    def files(self, pattern: str) -> list[Path]:
        """The files that a pattern means, in order; where it is needed there must be one."""
        with disk_errors(self.path):
            files = [file for file in sorted(self.path.glob(pattern)) if file.is_file()]
        if not files and pattern not in {_COMING, _DECISIONS, *_REGULATIONS, _READINGS}:
            raise DataError(
                f"there is no {pattern} of {self.repository}@{self.commit}", file=self.path
            )
        return files


class _Page(NamedTuple):
    """A file, what git calls it, and its text without what speaks to the publisher."""

    folder: _Folder
    path: str
    blob: str
    text: str


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of a version of a law, as one repository has it."""

    page: _Page
    law: str
    version: date
    text: str
    statute: Statute
    header: Header
    rank: int  # of equal texts of a version the lowest is taken
    from_history: bool = False


def _snapshot(sources: Mapping[str, Path], repository: str) -> _Folder:
    """The folder of a repository that is not one of its history."""
    names = [n for n in sources if n.partition("@")[0] == repository and n not in _PAST]
    if len(names) != 1:
        problem = f"is {len(names)} times among the sources; the pack is assembled from one"
        raise DataError(problem, file=f"{repository}@{_FACTS.snapshots[repository]}")
    return _Folder(repository, names[0].partition("@")[2], sources[names[0]])


def _read_page(folder: _Folder, file: Path) -> _Page:
    with disk_errors(file):
        content = file.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8: {error.reason} at byte {error.start}", file=file) from error
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    end = text.find("\n---\n", 3) if text.startswith("---\n") else -1  # of the front matter
    body = text if end < 0 else text[end + 5 :].lstrip("\n")
    return _Page(folder, file.relative_to(folder.path).as_posix(), blob, body)


_DIGITS: Final = str.maketrans("０１２３４５６７８９", "0123456789")


def _texts_of_pages(folder: _Folder, patterns: Iterable[str], rank: int) -> Iterator[_Text]:
    """A page for each text; of two pages with the same version the last stands."""
    texts: dict[tuple[str, date], _Text] = {}
    for file in sorted(file for pattern in patterns for file in folder.files(pattern)):
        page = _read_page(folder, file)
        body = page.text.translate(_DIGITS) if folder.repository == _LAW else page.text
        if text := _read_text(page, body, rank):
            texts[text.law, text.version] = text
    yield from texts.values()


def _texts_of_history(sources: Mapping[str, Path]) -> Iterator[_Text]:
    for name, past in _PAST.items():
        if name not in sources and past.optional:
            continue
        if name not in sources:
            raise DataError("is not among the sources", file=name)
        folder = _Folder(past.repository, name.partition("@")[2], sources[name])
        for file in folder.files(past.path):
            page = _read_page(folder, file)
            text = _read_text(page, page.text, 3, past.version, from_history=True)
            if text is None:
                raise DataError("this is no law, or it does not say of when", file=file)
            yield text


_AMENDMENTS: Final = "修正案"  # a page with the acts that amended a law, which X-STORAGE has


def _texts_of_folders(folder: _Folder) -> Iterator[_Text]:
    """A folder for each law: its text is in README.md, or in parts beside it.

    A page beside it that says when it was passed is an act of its own.
    """
    pages: defaultdict[PurePosixPath, dict[str, _Page]] = defaultdict(dict)
    for pattern in _PATTERNS[_JUST_LAWS]:
        for file in folder.files(pattern):
            page = _read_page(folder, file)
            pages[PurePosixPath(page.path).parent][file.name] = page
    for place, of_law in sorted(pages.items()):
        front = of_law.pop("README.md", None)
        parts: list[tuple[tuple[int, int], str]] = []
        for page in of_law.values():
            statute = parse_statute(page.text)
            if statute.title == _AMENDMENTS:
                continue
            if own := _read_text(page, page.text, 0):
                yield own
            else:
                # a preamble comes first, 附则 last, whatever its file is called
                first = statute.articles[0] if statute.articles else None
                parts.append(((first.number, first.sub) if first else (0, 0), page.text))
        if front:
            body = "\n".join([front.text, *(part for _, part in sorted(parts))])
            if text := _read_text(front._replace(path=str(place)), body, 0):
                yield text


def _read_text(
    page: _Page, body: str, rank: int, version: date | None = None, *, from_history: bool = False
) -> _Text | None:
    """The text of a law, or None where it has no name or nobody says of when it is."""
    statute = parse_statute(body)
    law = law_name(statute.title or PurePosixPath(page.path).stem)
    law = law.replace("中国人民共和国", STATE)  # a slip in several titles
    header = read_statute_header(statute)
    known = _FACTS.undated.get(page.folder.repository, {}).get(law.removeprefix(STATE))
    version = version or header.promulgated or known
    if not law or version is None:
        return None
    if page.folder.repository == _JUST_LAWS and law.removeprefix(STATE) in _IN_PARTS:
        rank = 2
    return _Text(page, law, version, body, statute, header, rank, from_history)


# --- what the registers say ---


class _Database(SqliteFile):
    """The register of laws that a repository keeps."""

    application = 0
    file_format = 0
    kind = "a register of laws"
    mend = "pull it again"

    @staticmethod
    def definitions() -> str:
        return ""  # its tables are not ours


class _Entry(msgspec.Struct, frozen=True):
    """What a register says of a version; an end in 2099 means none."""

    name: str
    publish: date | None
    valid_from: date | None = None
    valid_to: date | None = None


@dataclass(frozen=True, slots=True)
class _Registers:
    """The two registers, by law and day of promulgation: since when, and until when."""

    lawrefbook: Mapping[tuple[str, date], _Entry]
    x_storage: Mapping[tuple[str, date], _Entry]

    def since(self, law: str, version: date) -> Iterator[tuple[date, str]]:
        """The days of entry into force that are said, with who says so, the better first."""
        key = _register_key(law), version
        registers = (self.lawrefbook, "lawrefbook_db"), (self.x_storage, "x_storage_db")
        for register, basis in registers:
            if key in register and (day := register[key].valid_from):
                yield day, basis

    def until(self, law: str, version: date) -> date | None:
        entry = self.x_storage.get((_register_key(law), version))
        return entry.valid_to if entry and entry.valid_to != date(2099, 12, 31) else None


def _register_key(name: str) -> str:
    """The registers leave 中华人民共和国 out also inside names."""
    return law_key(name).replace(STATE, "")


def _read_register(folder: _Folder, *, ends: bool) -> dict[tuple[str, date], _Entry]:
    [file] = folder.files(_REGISTER)
    columns = ("name", "publish", "valid_from", *(("valid_to",) if ends else ()))
    entries: dict[tuple[str, date], _Entry] = {}
    with _Database(file) as database:
        sql = f"SELECT {', '.join(columns)} FROM law ORDER BY rowid"  # noqa: S608  our own names
        with database.reading():
            rows = database.connection.execute(sql).fetchall()
        for number, row in enumerate(rows, 1):
            cells = {column: cell or None for column, cell in zip(columns, row, strict=True)}
            try:
                entry = msgspec.convert(cells, _Entry)
            except msgspec.ValidationError as error:
                raise DataError(str(error), file=file, row=number) from error
            if entry.publish:
                entries[_register_key(entry.name), entry.publish] = entry
    return entries


# --- rows ---


def _versions(texts: Iterable[_Text]) -> dict[str, dict[date, list[_Text]]]:
    """The texts of each version of each law; first the one that was chosen.

    It has most articles; of equals it is that of the repository with the fewest slips.
    """
    laws: defaultdict[str, defaultdict[date, list[_Text]]] = defaultdict(lambda: defaultdict(list))
    for text in sorted(texts, key=lambda text: text.rank):
        laws[text.law][text.version].append(text)
    for versions in laws.values():
        for several in versions.values():
            best = max(several, key=lambda text: len(text.statute.articles))
            several.sort(key=lambda text: text is not best)
    return {law: {day: laws[law][day] for day in sorted(laws[law])} for law in sorted(laws)}


_Row = dict[str, Any]


def _statute_rows(
    laws: Mapping[str, Mapping[date, Sequence[_Text]]], registers: _Registers
) -> Iterator[_Row]:
    for law, versions in laws.items():
        days = list(versions)
        following = dict(pairwise(days))
        for day, texts in versions.items():
            told = _dates(texts[0], registers) | {
                "valid_to_db": registers.until(law, day),
                "next_version_in_corpus": following.get(day),
            }
            for text in texts:
                source, is_primary = _source(text.page), text is texts[0]
                if is_primary:
                    source["from_history"] = text.from_history or None
                yield {
                    "law": law,
                    "version": day,
                    "kind": kind_of(law),
                    **told,
                    "n_articles": len(text.statute.articles),
                    "role": "primary" if is_primary else "alternate",
                    "source": source,
                    "text": text.text,
                }


def _source(page: _Page) -> _Row:
    origin = {"repo": page.folder.repository, "commit": page.folder.commit}
    return origin | {"path": page.path, "blob": page.blob}


def _dates(text: _Text, registers: _Registers) -> _Row:
    """What made a version, and since when it is in force."""
    whole = kind_of(text.law) in {"statute", "constitution"}
    event = assemble.last_event(text.header) if whole else None
    clause = entry_clause(text.statute) if whole else None
    stated: date | str | None = "on promulgation" if clause else None
    if clause and clause[1]:
        stated = text.header.effective_in_text
    effective, basis = next(_entries_into_force(text, event, stated, registers), (None, None))
    doubtful = basis not in {"text", "manual"} and event == "amended"
    return {
        "event": event,
        "effective": effective,
        "effective_basis": basis,
        "effective_suspect": (doubtful and effective == text.version) or None,
        "effective_in_text": stated,
    }


def _entries_into_force(
    text: _Text, event: str | None, stated: date | str | None, registers: _Registers
) -> Iterator[tuple[date, str]]:
    """The days that are said, with who says so, best first."""
    if known := _FACTS.effective.get(text.law.removeprefix(STATE), {}).get(text.version):
        yield known, "manual"
    if event in {"adopted", "revised"} and stated:
        yield (stated if isinstance(stated, date) else text.version), "text"
    yield from registers.since(text.law, text.version)
    if kind_of(text.law) == "statute" and text.header.effective:
        yield text.header.effective, "header"


# "(2019-12-02)" at the end of a page's name; not "（二）"
_DAY_IN_NAME: Final = re.compile(r"\((\d{4}-\d{2}-\d{2})\)\Z")
_HEAD_END: Final = "<!-- INFO END -->"


def _interpretation_rows(
    folder: _Folder, patterns: Sequence[str], registers: _Registers
) -> Iterator[_Row]:
    """Interpretations of the two courts, and what else stands with them, by path."""
    for file in sorted(file for pattern in patterns for file in folder.files(pattern)):
        page = _read_page(folder, file)
        statute = parse_statute(page.text)
        title = law_name(statute.title)
        version = _interpretation_day(page)
        if not title or version is None:
            continue  # the front page of a folder
        of_courts = page.path.startswith("司法解释/") or title.startswith("最高人民")
        # the other register gives the day of promulgation where it knows none
        known = registers.lawrefbook.get((_register_key(title), version))
        yield {
            "title": title,
            "version": version,
            "kind": "judicial_interpretation" if of_courts else "decision_or_other",
            "effective": known.valid_from if known else None,
            "valid_to_db": registers.until(title, version),
            "n_articles": len(statute.articles),
            "source": _source(page),
            "text": page.text,
        }


def _interpretation_day(page: _Page) -> date | None:
    """The day in the page's name, or the last above its text but that of entry into force."""
    if match := _DAY_IN_NAME.search(PurePosixPath(page.path).stem):
        try:
            return date.fromisoformat(match[1])
        except ValueError as error:
            raise DataError(f"its name has no day: {error}", file=page.path) from error
    head = page.text.partition(_HEAD_END)[0].splitlines()
    days = [day.day for line in head if "施行" not in line for day in find_days(line)]
    return max(days, default=None)


_TOLD_LATE: Final = timedelta(days=92)
"""A text that is so much younger than its header says was amended since."""


def _regulation_rows(folder: _Folder, registers: _Registers) -> Iterator[_Row]:
    """Regulations of the State Council and rules of its departments, by path."""
    for file in sorted(file for pattern in _REGULATIONS for file in folder.files(pattern)):
        page = _read_page(folder, file)
        statute = parse_statute(page.text)
        law, version = law_name(statute.title), _interpretation_day(page)
        if not law or version is None:
            continue  # the front page of a folder
        header = read_statute_header(statute)
        is_as_made = not header.promulgated or version - header.promulgated <= _TOLD_LATE
        said = list(registers.since(law, version))
        stated = header.effective_in_text
        if is_as_made and stated and stated >= version:
            said.insert(0, (stated, "text"))
        effective, basis = said[0] if said else (None, None)
        yield {
            "law": law,
            "version": version,
            "kind": "regulation" if page.path.startswith("行政法规/") else "rule",
            "event": assemble.last_event(header) if is_as_made else "amended",
            "effective": effective,
            "effective_basis": basis,
            "effective_suspect": (effective == version and basis != "text") or None,
            "valid_to_db": registers.until(law, version),
            "n_articles": len(statute.articles),
            "source": _source(page),
            "text": page.text,
        }


def _calendar(laws: Mapping[str, Mapping[date, Sequence[_Text]]]) -> str:
    """Every day on which a statute was adopted, amended or revised, as the headers name them."""
    lines = ["law\tdate\tevent\tin_corpus"]
    for law, versions in laws.items():
        if kind_of(law) not in {"statute", "constitution"}:
            continue
        events: dict[date, str] = {}
        for texts in versions.values():
            for text in texts:
                events = assemble.dated_events(text.header) | events
        lines += [f"{law}\t{day}\t{events[day]}\t{int(day in versions)}" for day in sorted(events)]
    return "\n".join(lines) + "\n"


def _write_rows(file: Path, rows: Iterable[_Row]) -> None:
    """JSON lines, not packed: the bytes of a packed file depend on who packed it."""
    write_atomically(file, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
