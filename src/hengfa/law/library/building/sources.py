"""What a library is built from: folders and files with texts of law, in the layouts that circulate.

* rows: ``statutes.jsonl.gz``, ``interpretations.jsonl.gz`` and any JSON lines with the fields law,
  version, event, effective, kind, text; beside them ``version_calendar.tsv``, ``repeals.tsv``,
  ``effective.tsv``, ``numbers.tsv``, ``amended.tsv`` and ``successors.tsv``: what is known, whether
  or not a text says so;
* Markdown, a folder for each law (ImCa0/just-laws): ``README.md`` has the title and the history,
  and the text, or the other pages of the folder have it in parts, of which those with a history of
  their own are laws of their own;
* Markdown, a page for each law (X-STORAGE/Laws), ``公司法(2023-12-29).md``, named after the day of
  promulgation; pages of one folder that begin with the same title are parts of one law (民法典).

Which layout it is, is found without being told. Pages without articles and without a history, such
as tables of contents, are no laws. Whatever cannot be read is remarked upon and left out: a bad
file never ends a build.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from hengfa.base.data.archives import LONGEST_LINE, lines_of
from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.errors import DataError
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.grammar.law_names import document_number
from hengfa.law.grammar.numerals import format_number, parse_article
from hengfa.law.grammar.statute_header import is_history
from hengfa.law.library.documents import decode
from hengfa.law.library.model import Event, LawKind, Remark

OnRemark = Callable[[Remark], None]
Known = TypeVar("Known")
REPEALS: Final = "repeals.tsv"
EFFECTIVE: Final = "effective.tsv"
NUMBERS: Final = "numbers.tsv"
SUCCESSORS: Final = "successors.tsv"
AMENDED: Final = "amended.tsv"
_ONLY: Final = "articles "  # before the positions that alone are repealed
_NOT_UTF8: Final = "not read: its name is not UTF-8"
_OWN_TABLES: Final = Path(__file__).parent
"""Here lie those that come with Hengfa; a source may have more of them."""
_LARGEST_FILE: Final = 256 * 1024 * 1024
"""A Markdown or calendar file of this size is no law."""


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder or file to read, and what its texts should say of where they come from."""

    path: Path
    repository: str = ""
    commit: str = ""
    own: bool = False  # somebody's own texts, beside a pack


@dataclass(frozen=True, slots=True)
class _FilePiece:
    """From line ``begin`` on a text is that of ``file`` without its first ``skipped`` lines."""

    file: str
    begin: int
    skipped: int


@dataclass(frozen=True, slots=True)
class RawText:
    """One text of a law as it was found, with what its source says about it; None: nothing."""

    text: str
    law: str | None
    promulgated: date | None
    file: str
    path: str
    kind: LawKind | None = None
    event: Event | None = None
    effective: date | None = None
    effective_basis: str = ""
    suspect: bool = False
    role: Literal["primary", "alternate"] = "primary"
    repository: str = ""
    commit: str = ""
    row: int | None = None
    pieces: tuple[_FilePiece, ...] = ()  # where a text was put together from several files

    def place(self, line: int) -> tuple[str, int]:
        """The file of a line of the text, and its number there."""
        for piece in reversed(self.pieces):
            if line >= piece.begin:
                return piece.file, line - piece.begin + 1 + piece.skipped
        return self.file, line


# "2020-05-28"; not "2020-W22-4", which is a day as well
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_Filled: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class Dated(msgspec.Struct, frozen=True):
    """A line of a calendar: what happened to a law on a day."""

    law: _Filled
    on: date = msgspec.field(name="date")
    kind: Literal["adopted", "amended", "revised", "listed"] = msgspec.field(name="event")

    @property
    def event(self) -> Event:
        return _EVENTS[self.kind]


class KnownRepeal(msgspec.Struct, frozen=True):
    """A line of ``repeals.tsv``: by which act something ceased to apply, and who says so.

    Only what was issued up to ``issued`` is meant, where that is known: a successor often has the
    same title. ``scope`` are positions, separated by 、; empty for the whole.
    """

    title: _Filled
    on: date = msgspec.field(name="repealed_on")
    number: str = msgspec.field(name="doc_number", default="")
    issued: date | None = None
    by: str = ""
    cell: str = msgspec.field(name="scope", default="")
    basis: str = "table"

    def __post_init__(self) -> None:
        _check_positions(self.scope.split("、") if self.scope else ())

    @property
    def scope(self) -> str:
        # "（数额标准）" after 第二款 is a remark on what is repealed; not the number in 第（一）项
        scope = re.sub(r"（[^（）]*）\Z", "", self.cell.removeprefix(_ONLY))
        return "" if scope == "whole" else scope


class KnownEffect(msgspec.Struct, frozen=True):
    """A line of ``effective.tsv``: since when a version was in force, and who says so."""

    law: _Filled
    version: date
    effective: date
    basis: str = "table"


class KnownNumber(msgspec.Struct, frozen=True):
    """A line of ``numbers.tsv``: the document number of an interpretation."""

    title: _Filled
    number: str

    def __post_init__(self) -> None:
        if not document_number(self.number):
            raise ValueError(self.number)


class KnownScope(msgspec.Struct, frozen=True):
    """A line of ``amended.tsv``: the articles of a law that were amended on a day, and no others.

    It stands in for an amending act that is not at hand; ``articles`` are separated by 、.
    """

    law: _Filled
    on: date = msgspec.field(name="date")
    articles: str

    def __post_init__(self) -> None:
        _check_positions(self.articles.split("、"), with_article=True)


class KnownSuccessor(msgspec.Struct, frozen=True):
    """A line of ``successors.tsv``: where a provision of a repealed law went, and who says so."""

    law: _Filled
    position: str
    successor: _Filled
    successor_position: str
    basis: str = "table"

    def __post_init__(self) -> None:
        _check_positions((self.position, self.successor_position))


def _check_positions(positions: Iterable[str], *, with_article: bool = False) -> None:
    for position in map(parse_position, positions):
        if position is None or (with_article and not position.article):
            raise ValueError(position)


def _iso_date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text and _DAY.fullmatch(text) else None
    except ValueError:
        return None


@dataclass(slots=True)
class Gathered:
    """All that was found, in the order of the sources, and what could not be read."""

    texts: list[RawText] = field(default_factory=list)
    calendar: list[Dated] = field(default_factory=list)
    repeals: list[KnownRepeal] = field(default_factory=list)
    effective: list[KnownEffect] = field(default_factory=list)
    numbers: list[KnownNumber] = field(default_factory=list)
    amended: list[KnownScope] = field(default_factory=list)
    successors: list[KnownSuccessor] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def gather(sources: Sequence[SourceFolder]) -> Gathered:
    """Read everything below the sources that can be a law."""
    gathered = Gathered()
    for table in (REPEALS, EFFECTIVE, NUMBERS, AMENDED, SUCCESSORS):
        _read_table(_OWN_TABLES / table, gathered)
    for source in sources:
        if not source.path.exists():
            raise DataError("there is no such file or folder", file=source.path)
        if not _is_utf8(source.path):
            raise DataError("its name is not UTF-8: give it another", file=source.path)
        files: list[Path] = []
        for file in _files(source.path):
            if _is_utf8(file):
                files.append(file)
            else:
                gathered.remarks.append(Remark(ascii(str(file)), None, None, _NOT_UTF8, ""))
        for file in files:
            if file.name.endswith((".jsonl", ".jsonl.gz")):
                gathered.texts.extend(_read_rows(file, source, gathered.remarks.append))
            elif file.suffix == ".tsv":
                _read_table(file, gathered)
        pages = [file for file in files if file.suffix == ".md"]
        gathered.texts.extend(_read_markdown(pages, source, gathered.remarks.append))
    if not gathered.texts:
        places = ", ".join(str(source.path) for source in sources)
        raise DataError(
            "no text of a law is here: give a folder with statutes.jsonl.gz, JSON lines with the"
            " fields law, version and text, or Markdown pages",
            file=places,
        )
    return gathered


def _is_utf8(path: Path) -> bool:
    """Whether a library can say where a text was; old systems named files in other encodings."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _files(path: Path) -> Iterator[Path]:
    """The files below a path in a fixed order; what is hidden is left alone."""
    if path.is_file():
        yield path
        return
    for file in sorted(path.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
        if not hidden and file.is_file():
            yield file


_KINDS: Final[dict[str, LawKind]] = {
    "statute": "statute",
    "constitution": "constitution",
    "interpretation": "interpretation",
    "judicial_interpretation": "interpretation",
    "amendment": "amendment",
    "decision": "decision",
    "decision_or_other": "decision",
    "regulation": "regulation",
    "rule": "rule",
}
_KIND_OF_FOLDER: Final[dict[str, LawKind]] = {
    "司法解释": "interpretation", "行政法规": "regulation", "部门规章": "rule"
}  # fmt: skip

_EVENTS: Final[dict[str, Event]] = {
    "adopted": "adopted",
    "amended": "amended",
    "revised": "revised",
    "listed": "amended",  # a list of amendments in a header, without a word for each
}


class _From(msgspec.Struct):
    repo: str = ""
    commit: str = ""
    path: str = ""


class _Row(msgspec.Struct):
    """The fields that are read; a row may have others. ``title`` is an older name of ``law``."""

    text: str
    version: str
    law: str = ""
    title: str = ""
    kind: str = "statute"
    event: str | None = None
    effective: str | None = None
    effective_basis: str | None = None
    effective_suspect: bool | None = None
    role: str = "primary"
    source: _From | None = None


def _read_rows(file: Path, source: SourceFolder, note: OnRemark) -> list[RawText]:
    """The texts of a file of JSON lines, plain or gzipped.

    A file without a single one, which is about something else, is remarked upon once.
    """
    read = json_decoder(_Row)
    texts: list[RawText] = []
    remarks: list[Remark] = []
    for number, line in _lines(file, remarks.append):
        try:
            row = read(decode(line)[0] if not line.isascii() else line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            remarks.append(_remark(file, number, f"not a text of a law: {error}", line))
            continue
        raw = _raw(row, file, number, source)
        if isinstance(raw, str):
            remarks.append(_remark(file, number, raw, line))
        else:
            texts.append(raw)
    if remarks and not texts:
        reason = f"none of its rows is a text of a law; the first: {remarks[0].reason}"
        remarks = [msgspec.structs.replace(remarks[0], reason=reason)]
    for remark in remarks:
        note(remark)
    return texts


def _raw(row: _Row, file: Path, number: int, source: SourceFolder) -> RawText | str:
    """The row as a text, or what is wrong with it."""
    law = (row.law or row.title).strip()
    promulgated = _iso_date(row.version)
    if not law:
        return "no name: the field law is empty"
    if promulgated is None:
        return f"version is no date: {row.version[:40]!r}"
    if row.kind not in _KINDS:
        return f"kind is none of {', '.join(_KINDS)}: {row.kind[:40]!r}"
    if row.event is not None and row.event not in _EVENTS:
        return f"event is none of {', '.join(_EVENTS)}: {row.event[:40]!r}"
    effective = _iso_date(row.effective)
    if row.effective and effective is None:
        return f"effective is no date: {row.effective[:40]!r}"
    origin = row.source or _From()
    return RawText(
        text=row.text,
        law=law,
        promulgated=promulgated,
        file=str(file),
        path=origin.path,
        kind=_KINDS[row.kind],
        event=None if row.event is None else _EVENTS[row.event],
        effective=effective,
        effective_basis=row.effective_basis or ("row" if effective else ""),
        suspect=bool(row.effective_suspect),
        role="alternate" if row.role == "alternate" else "primary",
        repository=origin.repo or source.repository,
        commit=origin.commit or source.commit,
        row=number,
    )


def _read_table(file: Path, gathered: Gathered) -> None:
    """What a table of events knows; any other table is about something else."""
    note = gathered.remarks.append
    if "calendar" in file.name:
        gathered.calendar += _readable_lines(file, "law, date, event", Dated, note)
    elif file.name == REPEALS:
        repeals = list(_readable_lines(file, "title, repealed_on, by, scope", KnownRepeal, note))
        gathered.repeals += repeals
        numbered = (repeal for repeal in repeals if document_number(repeal.number))
        gathered.numbers += [KnownNumber(repeal.title, repeal.number) for repeal in numbered]
    elif file.name == EFFECTIVE:
        gathered.effective += _readable_lines(file, "law, version, effective", KnownEffect, note)
    elif file.name == NUMBERS:
        gathered.numbers += _readable_lines(file, "title, number", KnownNumber, note)
    elif file.name == AMENDED:
        gathered.amended += _readable_lines(file, "law, date, articles", KnownScope, note)
    elif file.name == SUCCESSORS:
        columns = "law, position, successor, successor_position"
        gathered.successors += _readable_lines(file, columns, KnownSuccessor, note)


def _readable_lines(file: Path, columns: str, kind: type[Known], note: OnRemark) -> Iterator[Known]:
    """The lines of a table with tabs that can be read."""
    if file.stat().st_size > _LARGEST_FILE:
        note(_remark(file, None, "too large for a table of events", b""))
        return
    heads, *lines = [line.split("\t") for line in decode(file.read_bytes())[0].splitlines()] or [[]]
    for number, cells in enumerate(lines, 2):
        named = zip(heads, map(str.strip, cells), strict=False)
        try:
            yield msgspec.convert({head: cell for head, cell in named if cell}, kind)
        except msgspec.ValidationError:
            line = "\t".join(cells)
            if line.strip():
                note(_remark(file, number, f"not a line of {file.name}: {columns}", line.encode()))


def _lines(file: Path, note: OnRemark) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; what is too long or broken is remarked upon."""
    try:
        for number, line in lines_of(file):
            if len(line) > LONGEST_LINE:
                note(_remark(file, number, f"longer than {LONGEST_LINE:,} bytes", line))
            elif line.strip():
                yield number, line
    except DataError as error:
        note(_remark(file, None, f"cannot be read further: {error}", b""))


def _remark(file: Path, row: int | None, reason: str, line: bytes) -> Remark:
    return Remark(str(file), row, None, reason, line[:200].decode("utf-8", errors="replace"))


_AMENDMENTS: Final = "修正案"  # the title of a page with all amendments of a law
_FRONT_PAGES: Final = frozenset({"README.md", "index.md"})
# "# 中华人民共和国民法典" and what follows the marks; not "#标签"
_HEADING: Final = re.compile(r"(?P<marks>#{1,6})\s{1,8}(?P<title>.{1,200}?)\s{0,8}", re.DOTALL)
# "**第一条**　", "第一条 "; not "第一条规定的"
_ARTICLE: Final = re.compile(
    r"[*_\s]{0,8}(?P<label>第[^条\s]{1,12}条(?:之[一二三四五六七八九十]{1,3})?)(?:[*_]|\s)"
)
# "(2023-12-29)" at the end of a page's name; not "(2023)"
_DATE_IN_NAME: Final = re.compile(r"[(（](\d{4}-\d{2}-\d{2})[)）]\Z")
# "第一编　总则", "附则", "序言", "修正案": titles of parts; not "中华人民共和国刑法修正案"
_PART_TITLE: Final = re.compile(
    r"第.{1,6}[编章]|序\s?言|附\s?则|总\s?则|总\s?纲|修正案\Z|.{1,8}编\Z"
)
# "## 中华人民共和国刑法修正案（二）" on a page of several; not "## 第一章"
_LAW_TITLE: Final = re.compile(r"#{2}\s{1,8}中华人民共和国\S{1,60}")


class _Page(NamedTuple):
    """A Markdown file without its front matter, and what its head says."""

    file: Path
    lines: tuple[str, ...]
    skipped: int  # lines of front matter
    titles: tuple[str, ...]  # headings of the first rank before the first article
    history: tuple[str, ...]
    first_article: tuple[int, int] | None

    @property
    def title(self) -> str:
        return self.titles[0] if self.titles else ""

    @property
    def is_law(self) -> bool:
        """Whether the page can stand for itself: it has a name and says when it was passed."""
        dated = bool(self.history) or _date_in_name(self.file) is not None
        return bool(self.title) and dated and not _PART_TITLE.match(self.title)

    @property
    def is_part(self) -> bool:
        """Whether the page has a title of its own below that of its law: # 民法典, # 总则."""
        return len(self.titles) > 1 and _date_in_name(self.file) is None


def _read_markdown(
    files: Iterable[Path], source: SourceFolder, note: OnRemark
) -> Iterator[RawText]:
    """The texts of law among some pages, those in parts put together."""
    folders: defaultdict[Path, list[_Page]] = defaultdict(list)
    for file in files:
        if page := _read_page(file, note):
            folders[file.parent].append(page)
    for pages in folders.values():
        for law in _laws(pages):
            if law[0].is_law:
                yield _text(law, source)
            else:
                for page in law:
                    missing = "no day of promulgation" if page.first_article else "no law"
                    note(Remark(str(page.file), None, None, f"left out: {missing}", page.title))


def _laws(pages: Sequence[_Page]) -> Iterator[list[_Page]]:
    """Pages that make one law together, its first page first."""
    front = next((p for p in pages if p.file.name in _FRONT_PAGES and p.is_law), None)
    parts: list[_Page] = []
    same_title: defaultdict[str, list[_Page]] = defaultdict(list)
    for page in pages:
        several = list(_split(page))
        if several != [page]:
            yield from ([part] for part in several)
        elif front and page is not front and not page.is_law:
            parts.append(page)
        elif page is not front:
            same_title[page.title if page.is_part else str(page.file)].append(page)
    if front:
        yield [front, *sorted(parts, key=_order)]
    for several_pages in same_title.values():
        yield sorted(several_pages, key=_order)


def _order(page: _Page) -> tuple[int, int]:
    """By the first article: a preamble comes first, 附则 last, whatever the files are called."""
    return page.first_article or (0, 0)


def _split(page: _Page) -> Iterator[_Page]:
    """A page with several laws under headings of their own: # 修正案, and below it each of them."""
    starts = [i for i, line in enumerate(page.lines) if _LAW_TITLE.fullmatch(line.strip())]
    dated = [i for i in starts if any(map(is_history, page.lines[i + 1 : i + 5]))]
    if not dated or page.title != _AMENDMENTS:
        yield page
        return
    for begin, end in pairwise([*dated, len(page.lines)]):
        first, *lines = page.lines[begin:end]
        law = (first.strip().removeprefix("#"), *lines)
        yield _page(page.file, law, page.skipped + begin)


def _read_page(file: Path, note: OnRemark) -> _Page | None:
    try:
        if file.stat().st_size > _LARGEST_FILE:
            note(Remark(str(file), None, None, "too large for a law", ""))
            return None
        content = file.read_bytes()
    except OSError as error:
        note(Remark(str(file), None, None, f"cannot be read: {error.strerror}", ""))
        return None
    text, how = decode(content)
    if how:
        note(Remark(str(file), None, None, how, ""))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    skipped = 0  # lines between two --- at the head, which speak to the publisher
    if lines[0].strip() == "---":
        ends = (number for number, line in enumerate(lines[1:20], 2) if line.strip() == "---")
        skipped = next(ends, 0)
    return _page(file, tuple(lines[skipped:]), skipped)


def _page(file: Path, lines: tuple[str, ...], skipped: int) -> _Page:
    titles: list[str] = []
    history: list[str] = []
    first: tuple[int, int] | None = None
    for line in lines:
        if match := _ARTICLE.match(line):
            number = parse_article(match["label"])
            first = (number.number, number.sub) if number else None
            break
        text = line.strip().strip("*_> ")
        if heading := _HEADING.fullmatch(line.strip()):
            if heading["marks"] == "#":
                titles.append(heading["title"])
        elif text and len(history) < 60 and is_history(text):
            history.append(text)
    return _Page(file, lines, skipped, tuple(titles), tuple(history), first)


def _text(law: Sequence[_Page], source: SourceFolder) -> RawText:
    """One law from its pages; parts that repeat its title and history give them once."""
    lines: list[str] = []
    if law[0].is_part:
        lines += [f"# {law[0].title}", "", *law[0].history, ""]
    pieces: list[_FilePiece] = []
    for number, page in enumerate(law, 1):
        pieces.append(_FilePiece(str(page.file), len(lines) + 1, page.skipped))
        lines += [*(_part(page, number) if page.is_part else page.lines), ""]
    file = law[0].file
    root = source.path if source.path.is_dir() else source.path.parent
    return RawText(
        text="\n".join(lines),
        law=None,
        promulgated=_date_in_name(file),
        file=str(file),
        path=str((file if len(law) == 1 else file.parent).relative_to(root)),
        kind=next((_KIND_OF_FOLDER[p] for p in file.parts if p in _KIND_OF_FOLDER), None),
        repository=source.repository,
        commit=source.commit,
        pieces=tuple(pieces),
    )


def _part(page: _Page, number: int) -> list[str]:
    """The lines of a part without the title and history it repeats, which become blank.

    Its own title says nothing of its rank, so # 物权编 is written # 第二编　物权; 附则 has none.
    """
    kept: list[str] = []
    in_head = True
    for line in page.lines:
        if _ARTICLE.match(line):
            in_head = False
        text = line.strip()
        title = text.lstrip("# ")
        if text and text == "#" * len(text):
            kept.append("")
        elif in_head and text.startswith("#") and title == page.titles[1] != "附则":
            kept.append(f"# 第{format_number(number)}编　{title.removesuffix('编')}")
        else:
            repeated = title == page.title or text.strip("*_> ") in page.history
            kept.append("" if in_head and (repeated or text.startswith("<!--")) else line)
    return kept


def _date_in_name(file: Path) -> date | None:
    match = _DATE_IN_NAME.search(file.stem)
    return _iso_date(match[1]) if match else None
