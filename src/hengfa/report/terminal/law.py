"""The law in the terminal: the citations of a document, and what recitations got wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console
from rich.table import Table

from hengfa.law.citation_position import format_citation
from hengfa.law.law_names import STATE
from hengfa.library.citing.findings import STATUSES, Checked, Report, Source, Status
from hengfa.report.terminal.console import plain_console, printable

if TYPE_CHECKING:
    from datetime import date

    from hengfa.law.citation_model import Position
    from hengfa.library.diagnosis.classes import Diagnosis
    from hengfa.library.diagnosis.recitations import Diagnosed, Recitation
    from hengfa.library.diagnosis.spans import Place, Span


_WORDS: dict[Status, str] = {
    "right": "right",
    "wording": "differing in wording",
    "wrong": "wrong",
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
_LONGEST_CITATION = 60
_MOST_SHOWN = 4
_LONGEST_PIECE: Final = 400
"""Longer pieces are shown by their beginning and end; JSON has all of them."""
_MOST_SPANS: Final = 60


def print_citations(report: Report, *, only_problems: bool) -> None:
    """A row for each citation of the document's own, then what holds for several, and the sums."""
    console = plain_console()
    shown = [one for one in report.citations if not one.inside]
    if only_problems:
        shown = [one for one in shown if one.status not in {"right", "paper"}]
    if shown:
        often = _often(shown)
        console.print(_citation_table(report.name, shown, often))
        if any(one.quotation and one.quotation.differences for one in shown):
            console.print("[-words-] of the law that are missing, {+words+} that it does not have")
        for note, number in often.items():
            console.print(printable(f"[{number}] {note}"), soft_wrap=True)
        console.print()
    console.print(printable(summary(report)), soft_wrap=True)
    for note in report.notes:
        console.print(printable(f"{report.name}: {note}"), soft_wrap=True)


def _citation_table(name: str, shown: Sequence[Checked], often: Mapping[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.title, table.title_justify = printable(name) or None, "left"
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("citation", overflow="fold", ratio=4)
    table.add_column("version", no_wrap=True)
    table.add_column("verdict", min_width=10, ratio=2)
    table.add_column("note", overflow="fold", ratio=5)
    before: Checked | None = None
    for one in shown:
        note = "\n".join(_remarks(one, often))
        version = str(one.version) if one.version else "–"
        cells = (str(one.line), _cited(one, before), version, _verdict(one), note)
        table.add_row(*map(printable, cells))
        before = one
    return table


def _often(shown: Sequence[Checked]) -> dict[str, int]:
    """Notes that several rows have, numbered: they are written once, below the table."""
    counted = Counter(note for one in shown for note in one.notes)
    several = [note for note, times in counted.items() if times > 1]
    return {note: number for number, note in enumerate(several, 1)}


def print_citation_totals(reports: Sequence[Report]) -> None:
    """All documents together."""
    counts = {status: sum(r.counts()[status] for r in reports) for status in STATUSES}
    plain_console().print(f"{len(reports)} documents: {_counted(counts)}", soft_wrap=True)


def summary(report: Report) -> str:
    """`draft.txt: 12 citations, 11 right, 1 wrong; law of 2017-06-28 (the date of …)`."""
    name = f"{report.name}: " if report.name else ""
    said = f"{_BASES[report.day.basis]}{f', {report.day.text}' if report.day.text else ''}"
    return f"{name}{_counted(report.counts())}; law of {report.day.day} ({said})"


def _counted(counts: dict[Status, int]) -> str:
    total = sum(counts.values())
    parts = [f"{number} {_WORDS[status]}" for status, number in counts.items() if number]
    return ", ".join([f"{total} citation{'' if total == 1 else 's'}", *parts])


def _verdict(one: Checked) -> str:
    if one.status == "right":
        return "right"
    return f"unclear: {one.problem}" if one.status == "unclear" and one.problem else one.problem


def _cited(one: Checked, before: Checked | None) -> str:
    """As written; then what it was read as, where that is not the same or goes without saying."""
    written = " ".join(one.written.split())
    if len(written) > _LONGEST_CITATION:
        written = f"{written[: _LONGEST_CITATION // 2]}…{written[-_LONGEST_CITATION // 2 :]}"
    if one.law is None:
        return written
    law = _without_state(one.law)
    known = law in written or (before is not None and before.law == one.law)
    if known and one.position in written:
        return written
    return f"{written}\n→ {'' if known else law}{one.position}"


def _remarks(one: Checked, often: Mapping[str, int]) -> Iterator[str]:
    yield from _about_the_quotation(one)
    if one.day and one.day.basis == "citation":
        yield f"version as cited: {one.day.text}"
    yield from (note for note in one.notes if note not in often)
    if numbers := [f"[{often[note]}]" for note in one.notes if note in often]:
        yield " ".join(numbers)


def _about_the_quotation(one: Checked) -> Iterator[str]:
    quotation = one.quotation
    if quotation is None:
        return
    if one.status == "wrong" and quotation.sources:
        yield f"the words are those of {_homes(quotation.sources, one.law)}"
    elif quotation.sources:
        best = quotation.sources[0]
        how = "word for word" if best.similarity == 1 else f"nearest, {best.similarity:.0%} alike"
        yield f"{how}: {_homes(quotation.sources, one.law)}"
    shown = [difference.shown for difference in quotation.differences]
    yield from shown[:_MOST_SHOWN]
    if len(shown) > _MOST_SHOWN:
        yield f"… and {len(shown) - _MOST_SHOWN} more differences"
    if quotation.left_out and one.status != "right":
        more = "…" if quotation.left_out[3:] else ""
        yield f"leaves out {'、'.join(quotation.left_out[:3])}{more}"


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


def print_diagnoses(diagnosed: Sequence[Diagnosed], *, blocks: bool = True) -> None:
    """A block for each wrong answer, what could not be judged, and the table of classes."""
    console = plain_console()
    for one in diagnosed if blocks else ():
        if one.diagnosis is not None and not one.diagnosis.is_right:
            _print_block(console, one, one.diagnosis)
    skipped = [one for one in diagnosed if one.diagnosis is None]
    for one in skipped:
        said = f"row {one.recitation.row} was not diagnosed: {one.problem}"
        console.print(printable(said), soft_wrap=True)
    _print_summary(console, [one.diagnosis for one in diagnosed if one.diagnosis is not None])


def cited(place: Place, asked: Recitation, law: str) -> str:
    """A place as someone who asked for another one needs it: no more than what differs."""
    where = format_citation(None, place.position) if any(place.position) else "outside its articles"
    if place.law != law:
        where = f"《{place.law.removeprefix(STATE)}》{where}"
    if (place.law, place.version) != (law, asked.version):
        where += f" ({place.version})"
    return where


def _print_block(console: Console, one: Diagnosed, found: Diagnosis) -> None:
    asked, law = one.recitation, one.law
    name = f"{law.removeprefix(STATE)} ({asked.version}) {format_citation(None, asked.position)}"
    flags = f" [{', '.join(found.flags)}]" if found.flags else ""
    console.rule(printable(f"row {asked.row}: {name}: {found.kind}{flags}"), align="left")
    console.print(
        f"{found.gold_recall:.0%} of the gold is there; {found.extra:.0%} of the answer is not gold"
    )
    if found.verbatim:
        places = "、".join(cited(place, asked, law) for place in found.verbatim)
        console.print(printable(f"word for word {places}"), soft_wrap=True)
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", max_width=max(console.width // 3, 16))
    table.add_column(overflow="fold", ratio=1)
    table.add_row("asked for", _shown(found.gold))
    # where the words of a refusal stand elsewhere is of no interest
    spans = () if found.kind == "refusal" else found.spans
    for label, together in groupby(spans[:_MOST_SPANS], lambda one: _label(one, asked, law)):
        pieces = list(together)
        table.add_row(label, _shown(asked.answer[pieces[0].start : pieces[-1].end]))
    if len(spans) > _MOST_SPANS:
        table.add_row("…", f"{len(spans) - _MOST_SPANS} more pieces: --json has them")
    if found.kind == "refusal":
        table.add_row("answer", _shown(asked.answer))
    console.print(table)
    console.print()


def _label(span: Span, asked: Recitation, law: str) -> str:
    if span.source == "gold":
        return "= gold"
    if span.source == "unmatched":
        return "? in no law"
    if span.phrase:
        return "~ a phrase of other laws"
    others = len(span.where) - 1 + span.more
    more = f" and {others} more" if others else ""
    return printable(f"< {cited(span.where[0], asked, law)}{more}")


def _shown(text: str) -> str:
    if len(text) > _LONGEST_PIECE:
        half = _LONGEST_PIECE // 2
        text = f"{text[:half]} …{len(text) - _LONGEST_PIECE:,} characters… {text[-half:]}"
    return printable(" ".join(text.split()))


def _print_summary(console: Console, found: Sequence[Diagnosis]) -> None:
    from hengfa.library.diagnosis.classes import KINDS  # noqa: PLC0415 - numpy

    if not found:
        console.print("no answer was diagnosed")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("class")
    table.add_column("answers", justify="right")
    table.add_column("share", justify="right")
    table.add_column("of which")
    for kind in KINDS:
        of_kind = [one for one in found if one.kind == kind]
        if of_kind:
            share = f"{len(of_kind) / len(found):.1%}"
            table.add_row(kind, str(len(of_kind)), share, _flags(of_kind))
    table.add_section()
    table.add_row("all", str(len(found)), "", "")
    console.print(table)


def _flags(found: Iterable[Diagnosis]) -> str:
    counted = Counter(flag for one in found for flag in one.flags)
    return ", ".join(f"{flag} {times}" for flag, times in counted.most_common())


def diagnoses_document(diagnosed: Sequence[Diagnosed]) -> dict[str, object]:
    """All of it for a program; positions in the dotted form, and the text of each span."""
    from hengfa.library.diagnosis.classes import KINDS  # noqa: PLC0415 - numpy

    found = [one.diagnosis for one in diagnosed if one.diagnosis is not None]
    counted = Counter(one.kind for one in found)
    return {
        "answers": [_answer(one) for one in diagnosed],
        "classes": {kind: counted[kind] for kind in KINDS if counted[kind]},
        "flags": dict(Counter(flag for one in found for flag in one.flags)),
        "diagnosed": len(found),
        "not_diagnosed": len(diagnosed) - len(found),
    }


def _answer(one: Diagnosed) -> dict[str, object]:
    asked, found = one.recitation, one.diagnosis
    head = {"row": asked.row} | _place(one.law, asked.version, asked.position)
    if found is None:
        return {**head, "class": None, "problem": one.problem}
    return {
        **head,
        "class": found.kind,
        "flags": found.flags,
        "gold_recall": found.gold_recall,
        "extra": found.extra,
        "shares": found.shares,
        "verbatim": [_provision(place) for place in found.verbatim],
        "gold": found.gold,
        "answer": asked.answer,
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "source": span.source,
                "where": [_provision(place) for place in span.where],
                "more": span.more,
                "phrase": span.phrase,
                "text": asked.answer[span.start : span.end],
            }
            for span in found.spans
        ],
    }


def _provision(place: Place) -> dict[str, object]:
    return _place(place.law, place.version, place.position)


def _place(law: str, version: date, position: Position) -> dict[str, object]:
    dotted = format_citation(None, position, "dotted") if any(position) else ""
    return {"law": law, "version": version, "position": dotted}
