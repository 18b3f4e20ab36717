"""What the tests of citation checking share."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import date

from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked, Quotation
from hengfa.law.library.names import find_law

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TODAY = date(2021, 5, 5)


def check(
    library: Library, text: str, *, as_of: date | None = None, law: str | None = None
) -> list[Checked]:
    """The citations of a text, on a fixed day unless it has one of its own."""
    named = find_law(library, law) if law else None
    report = Checker(library).check(text, as_of=as_of, law=named, today=TODAY)
    return list(report.citations)


def only(library: Library, text: str, *, as_of: date | None = None) -> Checked:
    """The one citation of a text."""
    (found,) = check(library, text, as_of=as_of)
    return found


def quotation(library: Library, text: str, *, as_of: date | None = None) -> Quotation:
    """What is said of the quotation of the first citation of a text."""
    found = check(library, text, as_of=as_of)[0].quotation
    assert found is not None
    return found


def body(*paragraphs: str) -> str:
    """A Word document's main part; what is not XML becomes a paragraph of it."""
    parts = [
        p if p.startswith("<") else f"<w:p><w:r><w:t>{p}</w:t></w:r></w:p>" for p in paragraphs
    ]
    return f'<w:document xmlns:w="{WORD}"><w:body>{"".join(parts)}</w:body></w:document>'


def archive(parts: Mapping[str, str | bytes], *, deflated: bool = True) -> bytes:
    """A ZIP archive of these members."""
    stream = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", method) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return stream.getvalue()


def docx(*paragraphs: str, **more: str) -> bytes:
    """A Word document; ``footnotes`` and ``endnotes`` are further parts."""
    parts = {f"word/{name}.xml": content for name, content in more.items()}
    return archive({"word/document.xml": body(*paragraphs), **parts})
