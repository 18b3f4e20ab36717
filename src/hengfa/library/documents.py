"""The text of a document: .txt, .md and .docx, in UTF-8, GB18030 or UTF-16.

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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple
from xml.parsers import expat

from hengfa.data.archives import LARGEST, Refused, ZipParts
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

TEXTS: Final = frozenset({".txt", ".md", ".markdown", ".text", ""})

_ZIP: Final = b"PK\x03\x04"

_OLD_WORD: Final = b"\xd0\xcf\x11\xe0"

_PDF: Final = b"%PDF"


class Document(NamedTuple):
    """The text of a file; ``notes`` say what a reader should know of how it was read."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


def read_document(file: Path) -> Document:
    """The text of a file. Its first bytes decide what it is, not only its name."""
    with disk_errors(file), file.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(f"larger than {LARGEST // 1024 // 1024} MB: split it", file=file)
    if content.startswith(_ZIP) or file.suffix.lower() == ".docx":
        return Document(str(file), _plain(read_docx(content, file)))
    if content.startswith(_OLD_WORD) or file.suffix.lower() == ".doc":
        raise DataError("an old Word document: save it as .docx or as text", file=file)
    if content.startswith(_PDF) or file.suffix.lower() not in TEXTS:
        raise DataError("not a text: give a .txt, .md or .docx file", file=file)
    text, remark = decode(content)
    if "\x00" in text:
        raise DataError(
            "not a text, or in UTF-16 without its mark: save it as UTF-8 or GB18030", file=file
        )
    return Document(str(file), _plain(text), (remark,) if remark else ())


def _plain(text: str) -> str:
    """One kind of line end, and no byte order mark."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


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
            return content.decode(encoding, errors="replace"), _faults(content, encoding)
    for encoding, remark in (("utf-8", ""), ("gb18030", "read as GB18030")):
        try:
            return content.decode(encoding), remark
        except UnicodeDecodeError:
            continue
    tried = {name: content.decode(name, errors="replace") for name in ("utf-8", "gb18030")}
    best = min(tried, key=lambda name: tried[name].count("�"))
    faults = tried[best].count("�")
    return tried[best], f"neither UTF-8 nor GB18030: read as {best} with {faults} characters lost"


def _faults(content: bytes, encoding: str) -> str:
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        return f"not all of it is {encoding}: {error.reason}"
    return "" if encoding == "utf-8-sig" else "read as UTF-16"


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


@dataclass(slots=True)
class _Paragraph:
    text: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # (part, id)


def read_docx(content: bytes, file: Path | str) -> str:
    """The text of a document, one line for each paragraph; an error names the file."""
    try:
        return _read(ZipParts(content))
    except Refused as refused:
        raise DataError(f"cannot be read as a Word document: {refused}", file=file) from refused


def _read(archive: ZipParts) -> str:
    main = _main_part(archive)
    notes = {
        (part, number): paragraphs
        for part in ("footnotes", "endnotes")
        for number, paragraphs in _notes(archive, main.parent / f"{part}.xml")
    }
    lines: list[str] = []
    for paragraph in _parse(archive, str(main)).paragraphs:
        lines += paragraph.text
        for note in paragraph.notes:
            lines += [line for noted in notes.pop(note, ()) for line in noted.text]
    return "\n".join(lines)


def _main_part(archive: ZipParts) -> PurePosixPath:
    """Where the body is: what the package says, or where it always is."""
    usual = PurePosixPath("word/document.xml")
    if str(usual) in archive.names:
        return usual
    if _RELATIONS in archive.names:
        target = _parse(archive, _RELATIONS).main.lstrip("/")
        if target in archive.names:
            return PurePosixPath(target)
    raise Refused("it has no body (word/document.xml)")


def _notes(archive: ZipParts, part: PurePosixPath) -> Iterator[tuple[str, list[_Paragraph]]]:
    if str(part) in archive.names:
        yield from _parse(archive, str(part)).by_note.items()


def _parse(archive: ZipParts, part: str) -> _Part:
    return _Part(part).parse(archive.read(part))


_UTF_16: Final = {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}


class _Part:
    """One XML part as it is parsed: the text of its paragraphs, as they end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paragraphs: list[_Paragraph] = []
        self.by_note: dict[str, list[_Paragraph]] = {}
        self.main = ""
        self._open: list[_Paragraph] = []
        self._path: list[str] = []
        self._hidden = 0
        self._in_text = 0
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
        elif local in _SIGNS and self._open:
            self._open[-1].text.append(_SIGNS[local])
        elif local in _NOTES and self._open:
            number = _attribute(attributes, "id")
            self._open[-1].notes.append((_NOTES[local], number))
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
            self._open[-1].text.append(text)


def _attribute(attributes: dict[str, str], name: str) -> str:
    return next((attributes[f"{s} {name}"] for s in _WORD if f"{s} {name}" in attributes), "")
