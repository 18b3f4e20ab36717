"""The case numbers of a document as a table, in Chinese or English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich import box
from rich.table import Table

from hengfa.base.terminal.console import plain_console, printable
from hengfa.law.library.case_numbers import CaseReport, CheckedCase
from hengfa.law.library.words import Lang, in_words

_HEADS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("行", "案号", "结论", "说明"),
    "en": ("line", "case number", "verdict", "note"),
}


def print_case_numbers(report: CaseReport, lang: Lang, *, only_problems: bool) -> None:
    """A row for each number, then the sums."""
    console = plain_console()
    shown = [case for case in report.numbers if not only_problems or case.reasons or case.remarks]
    if shown:
        console.print(_table(report.name, shown, lang))
    console.print(printable(_summary(report, lang)), soft_wrap=True)
    for note in report.notes:
        console.print(printable(f"{report.name}: {note}"), soft_wrap=True)


def _table(name: str, shown: list[CheckedCase], lang: Lang) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.title, table.title_justify = printable(name) or None, "left"
    line, number, verdict, note = _HEADS[lang]
    table.add_column(line, justify="right", no_wrap=True)
    table.add_column(number, overflow="fold", ratio=3)
    table.add_column(verdict, overflow="fold", min_width=10, ratio=2)
    table.add_column(note, overflow="fold", ratio=5)
    for case in shown:
        notes = "\n".join(_notes(case, lang))
        cells = (str(case.line), case.number, in_words(f"case {case.verdict}", lang), notes)
        table.add_row(*map(printable, cells))
    return table


def _notes(case: CheckedCase, lang: Lang) -> Iterator[str]:
    zh = lang == "zh"
    for reason in case.reasons:
        yield f"{reason.zh}（{reason.rule}）" if zh else f"{reason.en} ({reason.rule})"
    if case.source:
        yield f"来源：{case.source}" if zh else f"source: {case.source}"
    if case.court_name or case.type_name:
        yield " ".join(filter(None, (case.court_name, case.type_name)))
    yield from (remark.zh if zh else remark.en for remark in case.remarks)


def _summary(report: CaseReport, lang: Lang) -> str:
    """`draft.txt: 3 case numbers, 1 cannot exist, 2 well formed, not known here`."""
    counts = {in_words(f"case {verdict}", lang): n for verdict, n in report.counts().items() if n}
    total = len(report.numbers)
    name = f"{report.name}: " if report.name else ""
    if lang == "zh":
        return "，".join(
            [f"{name}案号{total}个", *(f"{words}{n}个" for words, n in counts.items())]
        )
    head = f"{name}{total} case number{'' if total == 1 else 's'}"
    return ", ".join([head, *(f"{n} {words}" for words, n in counts.items())])
