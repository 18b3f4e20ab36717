"""The report as a PDF, by ReportLab.

Chinese is set in STSong-Light, one of the fonts that PDF names for Chinese and that every reader
has or replaces: none has to be on this machine, and none is put into the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from hengfa.law.desk.filing import (
    COLOURS,
    WORDS,
    FiledCitation,
    FiledDocument,
    Filing,
    paragraphs,
    sums,
    verdict,
)

_FONT: Final = "STSong-Light"
_TEXT: Final = ParagraphStyle(
    "text", fontName=_FONT, fontSize=10, leading=16, wordWrap="CJK", spaceAfter=3
)
_TITLE: Final = ParagraphStyle("title", _TEXT, fontSize=20, leading=28, spaceAfter=8)
_NAME: Final = ParagraphStyle(
    "name", _TEXT, fontSize=14, leading=22, spaceBefore=12, keepWithNext=1
)
_CITED: Final = ParagraphStyle("cited", _TEXT, fontSize=11, spaceBefore=10, keepWithNext=1)
_INSET: Final = ParagraphStyle("inset", _TEXT, leftIndent=6 * mm)
_MARGIN: Final = 18 * mm
_COLUMNS: Final = (14 * mm, 92 * mm, 68 * mm)
_GREY: Final = "6A645A"


def content_of(filing: Filing) -> bytes:
    """The document as bytes."""
    pdfmetrics.registerFont(UnicodeCIDFont(_FONT))
    words, stream = WORDS[filing.lang], io.BytesIO()
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), _MARGIN)
    template = SimpleDocTemplate(
        stream,
        pagesize=A4,
        title=words.title,
        author="Hengfa 衡法",
        lang="zh-CN" if filing.lang == "zh" else "en",
        invariant=1,
        **margins,
    )
    template.build(list(_story(filing)), onFirstPage=_number, onLaterPages=_number)
    return stream.getvalue()


def _story(filing: Filing) -> Iterator[Any]:
    words = WORDS[filing.lang]
    yield _set(words.title, _TITLE)
    yield _set(f"{words.made} {filing.made} · {words.library} {filing.library[:12]}")
    if len(filing.documents) > 1:
        yield _set(sums(filing.counts, filing.lang))
    for document in filing.documents:
        yield from _document(document, filing)
    if filing.not_read:
        yield _set(words.not_read, _NAME)
        yield from map(_set, filing.not_read)
    yield Spacer(1, 6 * mm)
    yield _set(words.caution)


def _document(document: FiledDocument, filing: Filing) -> Iterator[Any]:
    words = WORDS[filing.lang]
    yield _set(document.name, _NAME)
    yield _set(sums(document.counts, filing.lang))
    yield _set(document.day)
    yield from map(_set, document.notes)
    if document.findings:
        rows = [[_set(head) for head in (words.line, words.citation, words.verdict)]]
        rows += [
            [_set(str(f.checked.line)), _set(f.written), _verdict(f)] for f in document.findings
        ]
        yield Table(rows, _COLUMNS, repeatRows=1, style=_GRID)
    if document.has_differences:
        yield _set(words.marks)
    for finding in document.findings:
        yield _set(f"{finding.number}. {finding.written}", _CITED)
        yield _verdict(finding)
        for heading, text in paragraphs(finding, filing.lang):
            grey = f'<font color="#{_GREY}">{_markup(heading)}</font>'
            yield Paragraph(f"{grey}　{_markup(text)}", _INSET)


_GRID: Final = (
    ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.HexColor("#DDD6C8")),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
)


def _verdict(finding: FiledCitation) -> Any:
    colour = COLOURS[finding.checked.status]
    return Paragraph(f'<font color="#{colour}">{_markup(verdict(finding))}</font>', _TEXT)


def _set(text: str, style: ParagraphStyle = _TEXT) -> Any:
    return Paragraph(_markup(text), style)


def _markup(text: str) -> str:
    """Words as words; characters that the font cannot have become a box."""
    shown = "".join(c if c <= "\uffff" else "□" for c in text)
    return escape(shown).replace("\n", "<br/>")


def _number(canvas: Any, template: Any) -> None:
    canvas.setFont(_FONT, 9)
    canvas.drawCentredString(A4[0] / 2, 10 * mm, str(template.page))
