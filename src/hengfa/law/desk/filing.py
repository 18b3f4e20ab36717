"""A report on the citations of some documents that can be filed: .html, .docx, .pdf, .xlsx, .json.

All formats are written from the same :class:`Filing`, in which every word is already in the
language of the report and fit for any of them: without control characters, which neither XML nor a
terminal takes. What the document quotes from the law may cite more law; such citations are the
law's own and are left out, as they are from all counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from importlib import import_module
from pathlib import PurePath
from typing import Final, NamedTuple, get_args

import msgspec

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.law.desk.explain import Explained, ExplainedReport, about_day, label
from hengfa.law.library.citing.findings import STATUSES, Checked, Report, Status
from hengfa.law.library.words import Lang, in_words, note_words

COLOURS: Final[dict[Status, str]] = {
    "right": "2E6B3A",
    "exists": "2E5F6B",
    "wording": "8A5A00",
    "wrong": "A3342B",
    "unlike": "A3342B",
    "unknown": "555048",
    "unclear": "8A5A00",
    "paper": "555048",
}
"""In which a verdict is written on paper, red, green and blue."""

_BEFORE, _AFTER = 40, 80
_LONGEST: Final = 200
# What XML 1.0 does not have: control characters, halves of surrogates, what is no character
_UNFIT: Final = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FiledCitation(msgspec.Struct, frozen=True):
    """One citation: what was found, and that in words. ``number`` counts within the document."""

    number: int
    checked: Checked
    written: str
    excerpt: str
    explained: Explained


class FiledDocument(msgspec.Struct, frozen=True):
    """A document with its citations; ``text`` is its text as it was checked."""

    report: Report
    name: str
    text: str
    day: str
    notes: tuple[str, ...]
    findings: tuple[FiledCitation, ...]

    @property
    def counts(self) -> dict[Status, int]:
        return self.report.counts()

    @property
    def has_differences(self) -> bool:
        """Whether a quotation or telling differs, which is shown with marks that need a word."""
        quotations = (finding.checked.quotation for finding in self.findings)
        differ = any(quotation and quotation.differences for quotation in quotations)
        return differ or any(finding.explained.beside for finding in self.findings)


class Filing(msgspec.Struct, frozen=True):
    """The report: all documents, and what could not be read. ``library`` tells libraries apart."""

    lang: Lang
    made: date
    library: str
    documents: tuple[FiledDocument, ...]
    not_read: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Status, int]:
        return {status: sum(d.counts[status] for d in self.documents) for status in STATUSES}


def fit(text: str) -> str:
    """Text that every format takes; what none does becomes �, so that all keeps its place."""
    return _UNFIT.sub("�", text)


def file_document(explained: ExplainedReport, text: str) -> FiledDocument:
    """A checked document, to be filed."""
    text, (report, lang, citations) = fit(text), explained
    findings = []
    for number, (checked, said) in enumerate(citations, 1):
        line = fit(" ".join(checked.written.split()))
        written = f"{line[:_LONGEST]}…" if line[_LONGEST:] else line
        start, end = max(0, checked.start - _BEFORE), checked.end + _AFTER
        cut = " ".join(text[start : min(end, start + 2 * _LONGEST)].split())
        excerpt = f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"
        words = msgspec.structs.asdict(said)
        notes = tuple(map(fit, words.pop("notes")))
        told = Explained(**{name: fit(each) for name, each in words.items()}, notes=notes)
        findings.append(FiledCitation(number, checked, written, excerpt, told))
    notes = tuple(fit(note_words(note, lang)) for note in report.notes)
    day = fit(about_day(report.day, lang))
    return FiledDocument(report, fit(report.name), text, day, notes, tuple(findings))


class Words(NamedTuple):
    """What a report says itself."""

    title: str
    made: str
    library: str
    line: str
    citation: str
    verdict: str
    excerpt: str
    beside: str
    day: str
    provision: str
    instead: str
    notes: str
    text: str
    not_read: str
    marks: str
    caution: str
    document: str
    status: str
    problem: str
    place: str


WORDS: Final[Mapping[Lang, Words]] = {
    lang: Words(*(in_words(f"report {field}", lang) for field in Words._fields))
    for lang in get_args(Lang)
}


def sums(counts: dict[Status, int], lang: Lang) -> str:
    """`共12处引用：正确 11，有误 1`."""
    total = in_words("report total", lang, n=sum(counts.values()))
    named = [(label(status, lang), n) for status, n in counts.items() if n]
    if lang == "en":
        return ", ".join([total, *(f"{n} {status}" for status, n in named)])
    return f"{total}：{'，'.join(f'{status} {n}' for status, n in named)}" if named else total


def verdict(finding: FiledCitation) -> str:
    """The status in words, with what is the matter where that says more."""
    said = finding.explained
    return f"{said.label} · {said.problem}" if said.problem not in {"", said.label} else said.label


def paragraphs(finding: FiledCitation, lang: Lang) -> Iterator[tuple[str, str]]:
    """What is said of a citation, each under its heading; nothing of what is not known."""
    words, said = WORDS[lang], finding.explained
    parts = (
        (words.verdict, said.sentence),
        (words.beside, said.beside),
        (words.day, said.day),
        (words.provision, f"{said.place}\n{said.provision}" if said.provision else ""),
        (words.instead, said.instead),
        (words.notes, "\n".join(said.notes)),
        (words.excerpt, finding.excerpt),
    )
    return ((heading, text) for heading, text in parts if text)


FORMATS: Final = (".html", ".docx", ".pdf", ".xlsx", ".json")


def writer_of(file: PurePath) -> Callable[[Filing], bytes]:
    """What makes the content of a report of this name: its ending says in which format.

    The modules of the formats are imported when they are needed: some need an extra.
    """
    ending = file.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(
            f"{file}: a report is one of {', '.join(FORMATS)}; the findings of a corpus need"
            " --column NAME, which says where its texts stand"
        )
    try:
        module = import_module(f"hengfa.law.desk.as_{ending[1:]}")
    except ModuleNotFoundError as error:
        raise MissingExtra("desk", f"a report as {ending}") from error
    writer: Callable[[Filing], bytes] = module.content_of
    return writer
