"""The report as a Word document, by python-docx."""

from __future__ import annotations

import io
from datetime import UTC, datetime, time
from typing import Any, Final

import docx
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

from hengfa.law.desk.filing import COLOURS, WORDS, FiledDocument, Filing, paragraphs, sums, verdict

_FONT: Final = "宋体"
_INDENT: Final = Cm(0.8)
_A4: Final = (Cm(21), Cm(29.7))
_MARGIN: Final = Cm(2.5)
_COLUMNS: Final = (Cm(1.4), Cm(8.6), Cm(6))


def content_of(filing: Filing) -> bytes:
    """The document as bytes."""
    words, document = WORDS[filing.lang], docx.Document()
    _set_up(document, filing)
    document.add_heading(words.title, 0)
    made = f"{words.made} {filing.made} · {words.library} {filing.library[:12]}"
    document.add_paragraph(made)
    if len(filing.documents) > 1:
        document.add_paragraph(sums(filing.counts, filing.lang))
    for filed in filing.documents:
        _document(document, filed, filing)
    if filing.not_read:
        document.add_heading(words.not_read, 1)
        for line in filing.not_read:
            document.add_paragraph(line, style="List Bullet")
    document.add_paragraph(words.caution)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _set_up(document: Any, filing: Filing) -> None:
    """Chinese in a Chinese font on A4, and who made it when."""
    for style in document.styles:
        if getattr(style, "font", None) is not None:
            style.font.name = "Times New Roman"
            style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _FONT)
    normal = document.styles["Normal"]
    normal.font.size, normal.paragraph_format.space_after = Pt(10.5), Pt(4)
    page = document.sections[0]
    page.page_width, page.page_height = _A4
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = _MARGIN
    properties = document.core_properties
    properties.title, properties.author = WORDS[filing.lang].title, "Hengfa 衡法"
    properties.comments = ""
    properties.language = "zh-CN" if filing.lang == "zh" else "en"
    day = datetime.combine(filing.made, time(), UTC)
    properties.created = properties.modified = day


def _document(document: Any, filed: FiledDocument, filing: Filing) -> None:
    words = WORDS[filing.lang]
    document.add_heading(filed.name, 1)
    document.add_paragraph(sums(filed.counts, filing.lang))
    document.add_paragraph(filed.day)
    for note in filed.notes:
        document.add_paragraph(note)
    if filed.findings:
        table = document.add_table(rows=1, cols=len(_COLUMNS), style="Table Grid")
        table.autofit = False
        for column, width in zip(table.columns, _COLUMNS, strict=True):
            column.width = width
        _fill(table.rows[0], (words.line, words.citation, words.verdict))
        for finding in filed.findings:
            _fill(table.add_row(), (str(finding.checked.line), finding.written, verdict(finding)))
    if filed.has_differences:
        document.add_paragraph(words.marks)
    for finding in filed.findings:
        heading = document.add_heading(f"{finding.number}. {finding.written}", 2)
        run = heading.add_run(f"　{verdict(finding)}")
        run.font.color.rgb = RGBColor.from_string(COLOURS[finding.checked.status])
        for name, text in paragraphs(finding, filing.lang):
            paragraph = document.add_paragraph()
            paragraph.paragraph_format.left_indent = _INDENT
            paragraph.add_run(f"{name}　").bold = True
            paragraph.add_run(text)


def _fill(row: Any, texts: tuple[str, str, str]) -> None:
    for cell, text, width in zip(row.cells, texts, _COLUMNS, strict=True):
        cell.text, cell.width = text, width
