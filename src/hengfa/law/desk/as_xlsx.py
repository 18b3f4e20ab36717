"""The report as a workbook: one row for each citation, by XlsxWriter.

Every cell of words is written as text: what begins with = is never a formula, nor an address a
link.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any, Final

import xlsxwriter

from hengfa.law.desk.filing import COLOURS, WORDS, Filing, sums

_LONGEST: Final = 32_000
"""A cell takes 32,767 characters."""
_WIDTHS: Final = (18, 6, 26, 12, 18, 40, 28, 28, 50, 50, 40, 40)
_LINE: Final = 1
_COLOURED: Final = 3


def content_of(filing: Filing) -> bytes:
    """The workbook as bytes."""
    words, stream = WORDS[filing.lang], io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        made = datetime.combine(filing.made, time(), UTC).replace(tzinfo=None)
        book.set_properties({"title": words.title, "author": "Hengfa 衡法", "created": made})
        _citations(book, filing)
        _summary(book, filing)
    return stream.getvalue()


def _citations(book: Any, filing: Filing) -> None:
    words, sheet = WORDS[filing.lang], book.add_worksheet(WORDS[filing.lang].citation)
    cell = {"text_wrap": True, "valign": "top"}
    plain = book.add_format(cell)
    coloured = {
        status: book.add_format({**cell, "font_color": f"#{colour}"})
        for status, colour in COLOURS.items()
    }
    headings = (
        words.document, words.line, words.citation, words.status, words.problem, words.verdict,
        words.day, words.place, words.provision, words.instead, words.notes, words.excerpt,
    )  # fmt: skip
    _head(book, sheet, headings, _WIDTHS)
    found = [(document, finding) for document in filing.documents for finding in document.findings]
    for row, (document, finding) in enumerate(found, 1):
        said = finding.explained
        texts = (
            document.name, "", finding.written, said.label, said.problem, said.sentence, said.day,
            said.place, said.provision, said.instead, "\n".join(said.notes), finding.excerpt,
        )  # fmt: skip
        for column, text in enumerate(texts):
            style = coloured[finding.checked.status] if column == _COLOURED else plain
            sheet.write_string(row, column, text[:_LONGEST], style)
        sheet.write_number(row, _LINE, finding.checked.line, plain)
    sheet.autofilter(0, 0, len(found), len(headings) - 1)


def _summary(book: Any, filing: Filing) -> None:
    words, sheet = WORDS[filing.lang], book.add_worksheet(WORDS[filing.lang].document)
    plain = book.add_format({"text_wrap": True, "valign": "top"})
    _head(book, sheet, (words.document, words.verdict, words.day, words.notes), (30, 50, 50, 40))
    rows = [
        (document.name, sums(document.counts, filing.lang), document.day, "\n".join(document.notes))
        for document in filing.documents
    ]
    rows += [("", words.not_read, "", line) for line in filing.not_read]
    made = f"{words.made} {filing.made} · {words.library} {filing.library[:12]}"
    rows.append(("", made, "", words.caution))
    for row, texts in enumerate(rows, 1):
        for column, text in enumerate(texts):
            sheet.write_string(row, column, text[:_LONGEST], plain)


def _head(book: Any, sheet: Any, headings: Sequence[str], widths: Sequence[int]) -> None:
    bold = book.add_format({"bold": True, "bottom": 1})
    for column, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, heading, bold)
    sheet.freeze_panes(1, 0)
