"""The report as one page that needs nothing else: no script, no font, no address.

The text of each document is shown with its citations marked; a mark leads to what is said of it,
and back. Whatever a document says is text here, never markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from hengfa.law.desk.filing import (
    WORDS,
    FiledCitation,
    FiledDocument,
    Filing,
    paragraphs,
    sums,
    verdict,
)

_STYLE: Final = Path(__file__).with_name("report.css")
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def content_of(filing: Filing) -> bytes:
    """The page, in UTF-8."""
    return "".join(_page(filing)).encode()


def _page(filing: Filing) -> Iterator[str]:
    words = WORDS[filing.lang]
    title = escape(words.title)
    yield (
        f'<!doctype html>\n<html lang="{"zh-CN" if filing.lang == "zh" else "en"}">\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n<body>\n"
        '<header class="masthead"><span class="seal" aria-hidden="true">衡</span>'
        f"<span>衡法 Hengfa</span></header>\n<main>\n<h1>{title}</h1>\n"
        f'<p class="soft">{escape(words.made)} {filing.made} · {escape(words.library)}'
        f" {escape(filing.library[:12])}</p>\n"
    )
    if len(filing.documents) > 1:
        yield f"<p>{escape(sums(filing.counts, filing.lang))}</p>\n"
    for number, document in enumerate(filing.documents, 1):
        yield from _document(document, number, filing)
    if filing.not_read:
        listed = "".join(f"<li>{escape(line)}</li>" for line in filing.not_read)
        yield f"<section><h2>{escape(words.not_read)}</h2><ul>{listed}</ul></section>\n"
    yield f'</main>\n<footer class="foot">{escape(words.caution)}</footer>\n</body>\n</html>\n'


def _document(document: FiledDocument, number: int, filing: Filing) -> Iterator[str]:
    words, lang = WORDS[filing.lang], filing.lang
    yield (
        f"<section>\n<h2>{escape(document.name)}</h2>\n"
        f"<p>{escape(sums(document.counts, lang))}{'。' if lang == 'zh' else '. '}"
        f"{escape(document.day)}</p>\n"
    )
    yield from (f'<p class="soft">{escape(note)}</p>\n' for note in document.notes)
    if document.findings:
        heads = (words.line, words.citation, words.verdict)
        yield '<div class="scroll"><table><thead><tr>'
        yield "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
        yield "</tr></thead><tbody>\n"
        for finding in document.findings:
            yield (
                f'<tr><td class="number">{finding.checked.line}</td>'
                f'<td><a href="#c{number}-{finding.number}">{escape(finding.written)}</a></td>'
                f'<td><span class="{finding.checked.status}">{escape(verdict(finding))}</span></td>'
                "</tr>\n"
            )
        yield "</tbody></table></div>\n"
    if document.has_differences:
        yield f'<p class="soft">{escape(words.marks)}</p>\n'
    yield f'<h3>{escape(words.text)}</h3>\n<div class="text">'
    yield from _mark_citations(document, number)
    yield "</div>\n"
    for finding in document.findings:
        yield from _card(finding, f"{number}-{finding.number}", filing)
    yield "</section>\n"


def _mark_citations(document: FiledDocument, number: int) -> Iterator[str]:
    """The text with a mark at each citation; of two that overlap, the first has it."""
    at = 0
    for finding in sorted(document.findings, key=lambda finding: finding.checked.start):
        start, end, status = finding.checked.start, finding.checked.end, finding.checked.status
        if start < at:
            continue
        key = f"{number}-{finding.number}"
        yield escape(document.text[at:start])
        yield (
            f'<a class="{status}" id="t{key}" href="#c{key}" title="{escape(verdict(finding))}">'
            f"{escape(document.text[start:end])}</a>"
        )
        at = end
    yield escape(document.text[at:])


def _card(finding: FiledCitation, key: str, filing: Filing) -> Iterator[str]:
    words = WORDS[filing.lang]
    yield (
        f'<article id="c{key}"><h4><a href="#t{key}">{escape(finding.written)}</a>'
        f' <span class="{finding.checked.status}">{escape(verdict(finding))}</span></h4>\n<dl>\n'
    )
    for heading, text in paragraphs(finding, filing.lang):
        if heading != words.excerpt:  # the text stands above
            yield f"<dt>{escape(heading)}</dt><dd>{escape(text)}</dd>\n"
    yield "</dl></article>\n"
