"""Documents to be checked, as text: .txt, .md and .docx, in UTF-8, GB18030 or UTF-16."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError
from hengfa.library.citing.docx import read_docx
from hengfa.library.decoding import decode

LARGEST: Final = 64 * 1024 * 1024
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
