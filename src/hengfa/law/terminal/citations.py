"""The citations or the case numbers of a document as a table that a lawyer can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich import box
from rich.table import Table

from hengfa.base.errors import counted
from hengfa.base.terminal.console import plain_console, printable
from hengfa.law.desk.filing import WORDS, FiledCitation, FiledDocument, sums
from hengfa.law.grammar.law_names import STATE
from hengfa.law.library.case_numbers import CaseReport, CheckedCase
from hengfa.law.library.citing.findings import STATUSES, Checked, Report
from hengfa.law.library.words import Lang, in_words

_LONGEST: Final = 60
_HEADS: Final[dict[Lang, tuple[str, str, str, str, str]]] = {
    "zh": ("行", "引用", "版本", "结论", "说明"),
    "en": ("line", "citation", "version", "verdict", "note"),
}


def print_citations(document: FiledDocument, lang: Lang, *, in_short: bool = False) -> None:
    """A row for each citation of the document's own, then what holds for several, and the sums.

    In short, the sums alone.
    """
    console = plain_console()
    if document.findings and not in_short:
        times = Counter(note for finding in document.findings for note in finding.explained.notes)
        several = (note for note, n in times.items() if n > 1)
        often = {note: number for number, note in enumerate(several, 1)}  # written once, below
        console.print(_table(document, often, lang))
        if document.has_differences:
            console.print(WORDS[lang].marks)
        for note, number in often.items():
            console.print(printable(f"[{number}] {note}"), soft_wrap=True)
        console.print()
    name = f"{document.name}: " if document.name else ""
    said = f"{name}{sums(document.counts, lang)}{'。' if lang == 'zh' else '. '}{document.day}"
    console.print(printable(said), soft_wrap=True)
    for note in document.notes:
        console.print(printable(f"{document.name}: {note}"), soft_wrap=True)


def _table(document: FiledDocument, often: Mapping[str, int], lang: Lang) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.title, table.title_justify = printable(document.name) or None, "left"
    line, citation, version, verdict, note = _HEADS[lang]
    table.add_column(line, justify="right", no_wrap=True)
    table.add_column(citation, overflow="fold", ratio=4)
    table.add_column(version, no_wrap=True)
    table.add_column(verdict, min_width=10, ratio=2, overflow="fold")
    table.add_column(note, overflow="fold", ratio=5)
    before: Checked | None = None
    for finding in document.findings:
        checked, said = finding.checked, finding.explained
        cited, of = _citation_cell(checked, before), str(checked.version or "–")
        found = said.problem or said.label
        if checked.status == "unclear" and said.problem:
            found = f"{said.label}: {said.problem}"
        cells = str(checked.line), cited, of, found, "\n".join(_remarks(finding, often, lang))
        table.add_row(*map(printable, cells))
        before = checked
    return table


def print_citation_totals(reports: Sequence[Report], lang: Lang) -> None:
    """All documents together."""
    counts = {status: sum(r.counts()[status] for r in reports) for status in STATUSES}
    said = f"{len(reports)} 份文书，" if lang == "zh" else f"{counted(len(reports), 'document')}: "
    plain_console().print(f"{said}{sums(counts, lang)}", soft_wrap=True)


def _citation_cell(citation: Checked, before: Checked | None) -> str:
    """As written; then what it was read as, where that is not the same or goes without saying."""
    written = " ".join(citation.written.split())
    if len(written) > _LONGEST:
        written = f"{written[: _LONGEST // 2]}…{written[-_LONGEST // 2 :]}"
    if citation.law is None:
        return written
    law = citation.law.removeprefix(STATE)
    known = law in written or (before is not None and before.law == citation.law)
    if known and citation.position in written:
        return written
    return f"{written}\n→ {'' if known else law}{citation.position}"


def _remarks(finding: FiledCitation, often: Mapping[str, int], lang: Lang) -> Iterator[str]:
    said, day = finding.explained, finding.checked.day
    if day and day.basis == "citation":
        yield in_words("version as cited", lang, text=day.text)
    yield from (note for note in said.notes if note not in often)
    if numbers := [f"[{often[note]}]" for note in said.notes if note in often]:
        yield " ".join(numbers)
    for line in said.instead.splitlines():
        yield f"{WORDS[lang].instead}: {line[:_LONGEST]}{'…' if line[_LONGEST:] else ''}"


# --- case numbers ---

_CASE_HEADS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("行", "案号", "结论", "说明"),
    "en": ("line", "case number", "verdict", "note"),
}


def print_case_numbers(report: CaseReport, lang: Lang, *, only_problems: bool) -> None:
    """A row for each number, then the sums."""
    console = plain_console()
    shown = [case for case in report.numbers if not only_problems or case.reasons or case.remarks]
    if shown:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
        table.title, table.title_justify = printable(report.name) or None, "left"
        line, number, verdict, note = _CASE_HEADS[lang]
        table.add_column(line, justify="right", no_wrap=True)
        table.add_column(number, overflow="fold", ratio=3)
        table.add_column(verdict, overflow="fold", min_width=10, ratio=2)
        table.add_column(note, overflow="fold", ratio=5)
        for case in shown:
            found, notes = in_words(f"case {case.verdict}", lang), _case_notes(case, lang)
            cells = str(case.line), case.number, found, "\n".join(notes)
            table.add_row(*map(printable, cells))
        console.print(table)
    console.print(printable(_case_summary(report, lang)), soft_wrap=True)
    for note in report.notes:
        console.print(printable(f"{report.name}: {note}"), soft_wrap=True)


def _case_notes(case: CheckedCase, lang: Lang) -> Iterator[str]:
    zh = lang == "zh"
    for reason in case.reasons:
        yield f"{reason.zh}（{reason.rule}）" if zh else f"{reason.en} ({reason.rule})"
    if case.source:
        yield f"来源：{case.source}" if zh else f"source: {case.source}"
    if case.court_name or case.type_name:
        yield " ".join(filter(None, (case.court_name, case.type_name)))
    yield from (remark.zh if zh else remark.en for remark in case.remarks)


def _case_summary(report: CaseReport, lang: Lang) -> str:
    """`draft.txt: 3 case numbers, 1 cannot exist, 2 well formed, not known here`."""
    counts = {in_words(f"case {verdict}", lang): n for verdict, n in report.counts().items() if n}
    total = len(report.numbers)
    name = f"{report.name}: " if report.name else ""
    if lang == "zh":
        return "，".join([f"{name}案号{total}个", *(f"{each}{n}个" for each, n in counts.items())])
    head = f"{name}{total} case number{'' if total == 1 else 's'}"
    return ", ".join([head, *(f"{n} {words}" for words, n in counts.items())])
