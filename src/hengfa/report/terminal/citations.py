"""The citations of a document as a table that a lawyer can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.table import Table

from hengfa.law.law_names import STATE
from hengfa.library.citing.findings import STATUSES, Checked, Report, Source, Status
from hengfa.report.terminal.console import plain_console, printable

_WORDS: dict[Status, str] = {
    "right": "right",
    "wording": "differing in wording",
    "wrong": "wrong",
    "unlike": "told unlike the provision",
    "unknown": "unknown to the library",
    "unclear": "unclear",
    "paper": "of papers that are no law",
}
_BASES = {
    "as of": "as asked",
    "citation": "as the citation says",
    "document": "the date of the document",
    "today": "today: the document bears no date",
}
_LONGEST = 60
_MOST_SHOWN = 4


def print_citations(report: Report, *, only_problems: bool) -> None:
    """A row for each citation of the document's own, then what holds for several, and the sums."""
    console = plain_console()
    shown = [citation for citation in report.citations if not citation.inside]
    if only_problems:
        shown = [citation for citation in shown if citation.status not in {"right", "paper"}]
    if shown:
        often = _often(shown)
        console.print(_table(report.name, shown, often))
        if any(citation.quotation and citation.quotation.differences for citation in shown):
            console.print("[-words-] of the law that are missing, {+words+} that it does not have")
        for note, number in often.items():
            console.print(printable(f"[{number}] {note}"), soft_wrap=True)
        console.print()
    console.print(printable(_summary(report)), soft_wrap=True)
    for note in report.notes:
        console.print(printable(f"{report.name}: {note}"), soft_wrap=True)


def _table(name: str, shown: Sequence[Checked], often: Mapping[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.title, table.title_justify = printable(name) or None, "left"
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("citation", overflow="fold", ratio=4)
    table.add_column("version", no_wrap=True)
    table.add_column("verdict", min_width=10, ratio=2)
    table.add_column("note", overflow="fold", ratio=5)
    before: Checked | None = None
    for citation in shown:
        note = "\n".join(_remarks(citation, often))
        version = str(citation.version) if citation.version else "–"
        cells = (str(citation.line), _cited(citation, before), version, _verdict(citation), note)
        table.add_row(*map(printable, cells))
        before = citation
    return table


def _often(shown: Sequence[Checked]) -> dict[str, int]:
    """Notes that several rows have, numbered: they are written once, below the table."""
    counted = Counter(note for citation in shown for note in citation.notes)
    several = [note for note, times in counted.items() if times > 1]
    return {note: number for number, note in enumerate(several, 1)}


def print_citation_totals(reports: Sequence[Report]) -> None:
    """All documents together."""
    counts = {status: sum(r.counts()[status] for r in reports) for status in STATUSES}
    plain_console().print(f"{len(reports)} documents: {_counted(counts)}", soft_wrap=True)


def _summary(report: Report) -> str:
    """`draft.txt: 12 citations, 11 right, 1 wrong; law of 2017-06-28 (the date of …)`."""
    name = f"{report.name}: " if report.name else ""
    said = f"{_BASES[report.day.basis]}{f', {report.day.text}' if report.day.text else ''}"
    return f"{name}{_counted(report.counts())}; law of {report.day.day} ({said})"


def _counted(counts: dict[Status, int]) -> str:
    total = sum(counts.values())
    parts = [f"{number} {_WORDS[status]}" for status, number in counts.items() if number]
    return ", ".join([f"{total} citation{'' if total == 1 else 's'}", *parts])


def _verdict(citation: Checked) -> str:
    if citation.status == "right":
        return "right"
    return (
        f"unclear: {citation.problem}"
        if citation.status == "unclear" and citation.problem
        else citation.problem
    )


def _cited(citation: Checked, before: Checked | None) -> str:
    """As written; then what it was read as, where that is not the same or goes without saying."""
    written = " ".join(citation.written.split())
    if len(written) > _LONGEST:
        written = f"{written[: _LONGEST // 2]}…{written[-_LONGEST // 2 :]}"
    if citation.law is None:
        return written
    law = _without_state(citation.law)
    known = law in written or (before is not None and before.law == citation.law)
    if known and citation.position in written:
        return written
    return f"{written}\n→ {'' if known else law}{citation.position}"


def _remarks(citation: Checked, often: Mapping[str, int]) -> Iterator[str]:
    yield from _about_the_quotation(citation)
    yield from _about_the_telling(citation)
    if citation.day and citation.day.basis == "citation":
        yield f"version as cited: {citation.day.text}"
    yield from (note for note in citation.notes if note not in often)
    if numbers := [f"[{often[note]}]" for note in citation.notes if note in often]:
        yield " ".join(numbers)


def _about_the_quotation(citation: Checked) -> Iterator[str]:
    quotation = citation.quotation
    if quotation is None:
        return
    if citation.status == "wrong" and quotation.sources:
        yield f"the words are those of {_homes(quotation.sources, citation.law)}"
    elif quotation.sources:
        best = quotation.sources[0]
        how = "word for word" if best.similarity == 1 else f"nearest, {best.similarity:.0%} alike"
        yield f"{how}: {_homes(quotation.sources, citation.law)}"
    shown = [difference.shown for difference in quotation.differences]
    yield from shown[:_MOST_SHOWN]
    if len(shown) > _MOST_SHOWN:
        yield f"… and {len(shown) - _MOST_SHOWN} more differences"
    if quotation.left_out and citation.status != "right":
        more = "…" if quotation.left_out[3:] else ""
        yield f"leaves out {'、'.join(quotation.left_out[:3])}{more}"


def _about_the_telling(citation: Checked) -> Iterator[str]:
    telling = citation.telling
    if telling is None or citation.status != "unlike":
        return
    if telling.numbers:
        yield f"the provision does not have {'、'.join(telling.numbers)}"
    if telling.contrary:
        yield f"the provision has the opposite of {'、'.join(telling.contrary)}"
    if telling.proviso:
        yield f"leaves out {telling.proviso}"
    if telling.nearest:
        yield f"nearest to what is told: {_homes([telling.nearest], citation.law)}"


def _homes(sources: Sequence[Source], law: str | None) -> str:
    """`第五十三条 (1997-03-14)`, with the law where it is another, all versions together."""
    homes: dict[str, list[str]] = {}
    for source in sources:
        name = (
            source.position
            if source.law == law
            else f"{_without_state(source.law)}{source.position}"
        )
        homes.setdefault(name, []).append(str(source.version))
    return "; ".join(f"{name} ({', '.join(days)})" for name, days in homes.items())


def _without_state(law: str) -> str:
    return law.removeprefix(STATE)
