"""The text of a document: .txt, .md, .html, .pdf and .docx; texts in UTF-8, GB18030 or UTF-16.

A .docx is read with nothing but the standard library, and with suspicion. It is a ZIP archive of
XML parts. Nothing of it is written to disk; only the parts that hold text are read, together up to
a limit whatever the archive says of their sizes; a part that declares entities is refused, so that
none can be expanded or fetched. Parts are in UTF-8 or UTF-16, as the standard of such files says,
whatever they declare. All that is read comes from the bytes once, so that memory has a bound too.

The text is that of the body in order: paragraphs, cells of tables, text boxes, and each footnote
or endnote after the first paragraph that refers to it. Deleted text of tracked changes is left out,
inserted text is read. Numbers that Word counts itself (automatic lists) are not in the file.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Final, NamedTuple
from xml.parsers import expat

from hengfa.base.data.archives import LARGEST, Refused, ZipParts
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.law.library.html_text import html_text
from hengfa.law.library.pdf_text import pdf_text
from hengfa.law.library.words import Note

TEXTS: Final = frozenset({".txt", ".md", ".markdown", ".text", ""})
PAGES: Final = frozenset({".html", ".htm", ".xhtml"})
DOCUMENTS: Final = TEXTS - {""} | PAGES | {".docx", ".pdf"}
"""What is taken for a document in a folder."""
_ZIP: Final = b"PK\x03\x04"
_OLD_WORD: Final = b"\xd0\xcf\x11\xe0"
_PDF: Final = b"%PDF"
# "<!DOCTYPE html>", "\ufeff <html lang=zh>"; not "<b>", "看<html>"
_PAGE: Final = re.compile(r"(?i)\ufeff?\s*+(?:<\?xml[^>]*+>\s*+)?<(?:!doctype\s+)?html\b")


class Document(NamedTuple):
    """The text of a file; ``notes`` say what a reader should know of how it was read."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


def read_document(file: Path) -> Document:
    """The text of a file. Its first bytes decide what it is, not only its name."""
    return document_of(read_content(file), str(file))


def read_content(file: Path) -> bytes:
    """What a file holds, but not much more of it than a document may have."""
    with disk_errors(file), file.open("rb") as stream:
        return stream.read(LARGEST + 1)


def documents_below(folder: Path) -> list[Path]:
    """The documents in a folder and in those below, in the order of their names.

    No link is followed; what a name sets aside (.git, .draft.txt, ~$draft.docx) is passed over.
    """
    found: list[Path] = []
    with disk_errors(folder):
        for root, folders, files in os.walk(folder, onerror=_raise):
            folders[:] = [name for name in folders if not name.startswith(".")]
            named = (Path(root, name) for name in files if not name.startswith((".", "~$")))
            found += (
                file
                for file in named
                if file.suffix.lower() in DOCUMENTS and file.is_file() and not file.is_symlink()
            )
    return sorted(found)


def _raise(error: OSError) -> None:
    raise error


def document_of(content: bytes, name: str) -> Document:
    """The text of what a file of this name holds; "-" is a name like any other."""
    ending = PurePath(name).suffix.lower()
    if len(content) > LARGEST:
        raise DataError(f"larger than {LARGEST // 1024 // 1024} MB: split it", file=name)
    if content.startswith(_ZIP) or ending == ".docx":
        return Document(name, read_docx(content, name))
    if content.startswith(_OLD_WORD) or ending == ".doc":
        raise DataError("an old Word document: save it as .docx or as text", file=name)
    if content.startswith(_PDF) or ending == ".pdf":
        try:
            return Document(name, *pdf_text(content))
        except Refused as refused:
            raise DataError(f"cannot be read as a PDF: {refused}", file=name) from refused
    if ending not in TEXTS | PAGES:
        raise DataError("not a text: give a .txt, .md, .html, .pdf or .docx file", file=name)
    text, remark = decode(content)
    if "\x00" in text:
        raise DataError(
            "not a text, or in UTF-16 without its mark: save it as UTF-8 or GB18030", file=name
        )
    if ending in PAGES or _PAGE.match(text):
        text = html_text(text)
    else:  # one kind of line end, and no byte order mark
        text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return Document(name, text, (remark,) if remark else ())


_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(content: bytes) -> tuple[str, str]:
    """The text, and what had to be done to read it ("" where it was plain UTF-8).

    UTF-16 only with its mark, UTF-8, then GB18030, which old Chinese files are saved in. What is
    none of them is read as the one with fewer faults, each fault as �.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), "" if mark == codecs.BOM_UTF8 else Note("UTF-16")
            except UnicodeDecodeError as error:
                note = Note("not all of it", encoding=encoding, problem=error.reason)
                return content.decode(encoding, errors="replace"), note
    for encoding in ("utf-8", "gb18030"):
        try:
            return content.decode(encoding), "" if encoding == "utf-8" else Note("GB18030")
        except UnicodeDecodeError:
            continue
    tried = {name: content.decode(name, errors="replace") for name in ("utf-8", "gb18030")}
    best = min(tried, key=lambda name: tried[name].count("�"))
    faults = tried[best].count("�")
    return tried[best], Note("characters lost", encoding=best, n=faults)


DEEPEST: Final = 400
MOST_PARAGRAPHS: Final = 1_000_000
MOST_NAMES: Final = 10_000
"""Of elements and attributes; the standard has some thousand."""
LONGEST_TAG: Final = 1 << 20
_AT_ONCE: Final = 1 << 16
_RELATIONS: Final = "_rels/.rels"
_MAIN: Final = "/officeDocument"

_WORD: Final = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    }
)

_FALLBACK: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
_HIDDEN: Final = frozenset({"del", "moveFrom", "delText", "instrText", "rPr", "pPr", "sectPr"})
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOTES: Final = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
_SEPARATORS: Final = frozenset({"separator", "continuationSeparator", "continuationNotice"})


class Piece(NamedTuple):
    """Where ``text[start:end]`` of a Word document stands: in one element of its body.

    Elements are counted from 0 in the order of their beginnings. The text of a note stands for
    its mark in the body (``note``), all that is told of where it is.
    """

    start: int
    end: int
    element: int
    note: bool


class WordText(NamedTuple):
    """The text of a Word document, the part that is its body, and the places of the text in it."""

    text: str
    body: PurePosixPath
    pieces: list[Piece]


@dataclass(slots=True)
class _Paragraph:
    text: list[str] = field(default_factory=list)
    notes: list[tuple[str, str, int]] = field(default_factory=list)  # (part, id, element)
    elements: list[tuple[int, int]] = field(default_factory=list)  # (element, characters)


def read_docx(content: bytes, file: Path | str) -> str:
    """The text of a document, one line for each paragraph; an error names the file."""
    return read_word(content, file, placed=False).text


def read_word(content: bytes, file: Path | str, *, placed: bool = True) -> WordText:
    """The same, and where each piece of it stands."""
    try:
        return _read(ZipParts(content), placed=placed)
    except Refused as refused:
        raise DataError(f"cannot be read as a Word document: {refused}", file=file) from refused


def _read(archive: ZipParts, *, placed: bool) -> WordText:
    main = _main_part(archive)
    notes: dict[tuple[str, str], list[_Paragraph]] = {}
    for part in ("footnotes", "endnotes"):
        if (file := str(main.parent / f"{part}.xml")) in archive.names:
            noted = _Part(file).parse(archive.read(file)).by_note
            notes |= {(part, number): paragraphs for number, paragraphs in noted.items()}
    lines: list[str] = []
    pieces: list[Piece] = []
    start = 0
    for paragraph in _Part(str(main), placed=placed).parse(archive.read(str(main))).paragraphs:
        lines += paragraph.text
        end = start
        for element, characters in paragraph.elements:
            pieces.append(Piece(end, end + characters, element, note=False))
            end += characters
        start += len(paragraph.text[0]) + 1
        for part, number, element in paragraph.notes:
            for line in notes.pop((part, number), ()):
                lines += line.text
                end = start + len(line.text[0])
                if placed:
                    pieces.append(Piece(start, end, element, note=True))
                start = end + 1
    return WordText("\n".join(lines), main, pieces)


def _main_part(archive: ZipParts) -> PurePosixPath:
    """Where the body is: what the package says, or where it always is."""
    usual = PurePosixPath("word/document.xml")
    if str(usual) in archive.names:
        return usual
    if _RELATIONS in archive.names:
        target = _Part(_RELATIONS).parse(archive.read(_RELATIONS)).main.lstrip("/")
        if target in archive.names:
            return PurePosixPath(target)
    raise Refused("it has no body (word/document.xml)")


_UTF_16: Final = {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}


class _Part:
    """One XML part as it is parsed: the text of its paragraphs, as they end."""

    def __init__(self, name: str, *, placed: bool = False) -> None:
        self.name = name
        self.placed = placed
        self.paragraphs: list[_Paragraph] = []
        self.by_note: dict[str, list[_Paragraph]] = {}
        self.main = ""
        self._open: list[_Paragraph] = []
        self._path: list[str] = []
        self._hidden = 0
        self._in_text = 0
        self._begun = -1
        self._text = 0
        self._closed = 0
        self._note: list[_Paragraph] | None = None

    def parse(self, content: bytes) -> _Part:
        encoding = "utf-16" if content[:2] in _UTF_16 else "utf-8"
        parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        parser.ExternalEntityRefHandler = self._external
        try:
            for start in range(0, len(content), _AT_ONCE):
                parser.Parse(content[start : start + _AT_ONCE], False)
                if start - parser.CurrentByteIndex > LONGEST_TAG:
                    raise Refused(f"{self.name} has a tag longer than {LONGEST_TAG:,} bytes")
                if len(parser.intern) > MOST_NAMES:
                    raise Refused(f"{self.name} has more than {MOST_NAMES:,} kinds of elements")
            parser.Parse(b"", True)
        except (expat.ExpatError, ValueError) as error:  # half a pair of UTF-16 is a ValueError
            raise Refused(f"{self.name} is not well-formed XML ({error})") from error
        return self

    def _doctype(self, *_told: object) -> None:
        raise Refused(f"{self.name} declares entities, which no document does")

    def _external(self, *_told: object) -> int:
        raise Refused(f"{self.name} refers to something outside")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        self._begun += 1
        if len(self._path) > DEEPEST:
            raise Refused(f"{self.name} is nested deeper than {DEEPEST} elements")
        space, _, local = name.rpartition(" ")
        if local == "Relationship" and attributes.get("Type", "").endswith(_MAIN):
            self.main = attributes.get("Target", "")
        if self._hidden or name == _FALLBACK or (space in _WORD and local in _HIDDEN):
            self._hidden += 1
            return
        if space not in _WORD:
            return
        if local == "p":
            self._open.append(_Paragraph())
        elif local == "t":
            self._in_text += 1
            self._text = self._begun
        elif local in _SIGNS and self._open:
            self._add(_SIGNS[local], self._begun)
        elif local in _NOTES and self._open:
            number = _attribute(attributes, "id")
            self._open[-1].notes.append((_NOTES[local], number, self._begun))
        elif local in {"footnote", "endnote"} and _attribute(attributes, "type") not in _SEPARATORS:
            self._note = self.by_note.setdefault(_attribute(attributes, "id"), [])

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._hidden:
            self._hidden -= 1
            return
        space, _, local = name.rpartition(" ")
        if space not in _WORD:
            return
        if local == "p" and self._open:
            done = self._open.pop()
            done.text = ["".join(done.text)]
            self._closed += 1
            if self._closed > MOST_PARAGRAPHS:
                raise Refused(f"{self.name} has more than {MOST_PARAGRAPHS:,} paragraphs")
            (self.paragraphs if self._note is None else self._note).append(done)
        elif local == "t":
            self._in_text -= 1
        elif local in {"footnote", "endnote"}:
            self._note = None

    def _characters(self, text: str) -> None:
        if self._in_text and not self._hidden and self._open:
            self._add(text.replace("\r", "\n"), self._text)

    def _add(self, text: str, element: int) -> None:
        paragraph = self._open[-1]
        paragraph.text.append(text)
        if self.placed:
            begun = paragraph.elements and paragraph.elements[-1][0] == element
            before = paragraph.elements.pop()[1] if begun else 0
            paragraph.elements.append((element, before + len(text)))


def _attribute(attributes: dict[str, str], name: str) -> str:
    return next((attributes[f"{s} {name}"] for s in _WORD if f"{s} {name}" in attributes), "")
