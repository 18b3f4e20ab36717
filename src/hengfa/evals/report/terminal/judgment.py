"""Judgments in the terminal: what a document says, beside its reference, and leaks of test cases.

A document is shown as a person would mark it up: parts, sentences by defendant, statutes, remarks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from rich.console import Console
from rich.table import Table

from hengfa.base.errors import counted
from hengfa.base.terminal.console import plain_console, printable, show_score
from hengfa.evals.report.terminal import PLAIN, folded, number, right, whole
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.judgment.verdict_words import show_term

if TYPE_CHECKING:
    from hengfa.evals.suites.judgment.building import FieldAgreement, Report
    from hengfa.evals.suites.judgment.cases import Leaks
    from hengfa.evals.suites.judgment.reading import ReadingDifference
    from hengfa.evals.suites.judgment.rules import ComparedElement
    from hengfa.law.grammar.judgment.document import Defendant, Judgment, Sentence
    from hengfa.law.grammar.numerals import Number


_FIRST_WORDS = 24
_MOST_LETTERS = 300
"""Of a section, so many letters are shown beside its counterpart."""
_NO_LENGTH = "–"


def print_judgment(name: str, text: str, judgment: Judgment) -> None:
    console = plain_console()
    facts = [judgment.court, judgment.number, str(judgment.date) if judgment.date else None]
    facts_line = " ".join(fact for fact in facts if fact) or "no court, number or date"
    console.print(printable(f"{name}: {facts_line}"), soft_wrap=True)
    if judgment.sections:
        table = Table(whole("part"), number("letters"), folded("first words"), **PLAIN)
        for section in judgment.sections:
            words = " ".join(section.of(text[: section.start + 200]).split())
            short = words[:_FIRST_WORDS] + ("…" if len(words) > _FIRST_WORDS else "")
            table.add_row(section.kind, f"{section.end - section.start:,}", printable(short))
        console.print(table)
    for defendant in judgment.defendants:
        _print_defendant(console, defendant)
    for law, positions in _by_law(judgment).items():
        console.print(printable(f"《{law}》 {'、'.join(positions)}"))
    for remark in judgment.remarks:
        console.print(printable(f"remark ({remark.code}): {remark.words}"))


def print_overview(judgments: Sequence[tuple[str, Judgment]]) -> None:
    """One row per document: whom it sentences, to what, and what could not be placed."""
    table = Table(folded("id"), folded("sentences"), folded("remarks"), **PLAIN)
    for name, judgment in judgments:
        sentences = "\n".join(_in_short(defendant) for defendant in judgment.defendants)
        remarks = ", ".join(dict.fromkeys(remark.code for remark in judgment.remarks))
        table.add_row(*map(printable, (name, sentences or _NO_LENGTH, remarks)))
    plain_console().print(table)
    plain_console().print(f"{counted(len(judgments), 'document')}; --id ID shows one of them")


def print_differences(documents: Sequence[tuple[str, Sequence[ReadingDifference]]]) -> None:
    """Two readings of what differs, then in how many documents each element does."""
    console = plain_console()
    readings = (folded(rules, ratio=1) for rules in ("official", "corrected"))
    table = Table(folded("id"), whole("element"), *readings, **PLAIN)
    elements: Counter[str] = Counter()
    for name, differences in documents:
        for of in differences:
            elements[of.element] += 1
            table.add_row(*map(printable, (name, of.element, of.official, of.corrected)))
    if table.row_count:
        console.print(table)
    found = ", ".join(f"{element} in {count}" for element, count in elements.most_common())
    console.print(f"of {len(documents)} documents: {found or 'no difference'}", soft_wrap=True)


def print_side_by_side(title: str, rows: Sequence[ComparedElement]) -> None:
    """Each element in the court's document and in the other, with its scores."""
    sides = folded("court", ratio=1), folded("written", ratio=1)
    table = Table(whole("element"), *sides, folded("scores"), **PLAIN)
    table.title, table.title_justify = printable(title), "left"
    for row in rows:
        scores = "\n".join(
            f"{name} {'–' if value is None else show_score(value)}"
            for name, value in row.scores.items()
        )
        table.add_row(row.element, _beginning(row.expected), _beginning(row.given), scores)
    plain_console().print(table)


def print_leaks(leaks: Leaks) -> None:
    """One row for each judgment and test case that are too close, then how many remain."""
    console = plain_console()
    if leaks.each:
        similarity = whole("closeness"), number("similarity")
        columns = number("row"), folded("judgment"), *similarity, folded("test case")
        table = Table(*columns, **PLAIN)
        for leak in leaks.each:
            row, case, sample = str(leak.place + 1), printable(leak.case), printable(leak.sample)
            table.add_row(row, case, leak.closeness, f"{leak.similarity:.3f}", sample)
        console.print(table)
    console.print(
        f"{len(leaks.refused)} of {leaks.judgments} judgments are too close to one of "
        f"{leaks.samples} test cases (threshold {leaks.threshold:g}); {leaks.remaining} remain",
        soft_wrap=True,
    )


def print_built(report: Report) -> None:
    """How many documents were kept, why others were not, and what the data set is like."""
    console = plain_console()
    table = Table("left out for", right("documents"), **PLAIN)
    for reason, count in report.reasons.items():
        table.add_row(reason, f"{count:,}")
    if report.reasons:
        console.print(table)
    console.print(
        f"{report.kept:,} of {report.documents:,} are kept; {report.grouped:,} of them are "
        f"too close to another: {report.groups:,} groups, each on one side of the split",
        soft_wrap=True,
    )
    if report.agreement:
        print_agreement(report.agreement)
    if report.statistics is not None:
        facts = Table("data set", right(""), **PLAIN)
        for name, value in asdict(report.statistics).items():
            shown = f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
            facts.add_row(name.replace("_", " "), shown)
        console.print(facts)


def print_agreement(fields: Sequence[FieldAgreement]) -> None:
    table = Table("field", *map(right, ("documents", "agree", "share", "kappa")), **PLAIN)
    for field in fields:
        kappa = "–" if field.kappa is None else f"{field.kappa:.4f}"
        cells = f"{field.documents:,}", f"{field.same:,}", f"{field.share:.1%}", kappa
        table.add_row(printable(field.field), *cells)
    plain_console().print(table)


def judgment_document(name: str, text: str, judgment: Judgment) -> dict[str, object]:
    """All of it for --json, with what follows from it: words of the parts, what is executed."""
    return {
        "name": name,
        "court": judgment.court,
        "number": judgment.number,
        "date": judgment.date,
        "charges": judgment.charges,
        "sections": [
            {
                "kind": section.kind,
                "start": section.start,
                "end": section.end,
                "text": section.of(text),
            }
            for section in judgment.sections
        ],
        "defendants": [
            {
                "name": defendant.name,
                "unit": defendant.unit,
                "charges": defendant.charges,
                "verdicts": defendant.verdicts,
                "executed": defendant.executed,
                "final": defendant.final,
                "fine_total": defendant.fine_total,
                "earlier": defendant.earlier,
                "revoked": defendant.revoked,
            }
            for defendant in judgment.defendants
        ],
        "statutes": judgment.statutes,
        "remarks": judgment.remarks,
    }


def leaks_document(leaks: Leaks) -> dict[str, object]:
    """The same for --json; rows are counted from 1."""
    return {
        "judgments": leaks.judgments,
        "samples": leaks.samples,
        "threshold": leaks.threshold,
        "refused": len(leaks.refused),
        "remaining": leaks.remaining,
        "leaks": [
            {
                "row": leak.place + 1,
                "judgment": leak.case,
                "sample": leak.sample,
                "closeness": leak.closeness,
                "similarity": leak.similarity,
            }
            for leak in leaks.each
        ],
    }


def show_sentence(sentence: Sentence) -> str:
    """`有期徒刑 3年6个月`, `死缓`, `免予刑事处罚`; a dash where no penalty can be read."""
    if sentence.kind is None:
        return _NO_LENGTH
    term = show_term(sentence.months, sentence.days)
    return f"{sentence.kind} {term}" if term else sentence.kind


def _print_defendant(console: Console, defendant: Defendant) -> None:
    name = defendant.name or "(no name)"
    fine = right("fine", overflow="fold")
    words = (folded(heading) for heading in ("charge", "penalty", "缓刑"))
    table = Table(*words, fine, folded("also"), title_justify="left", **PLAIN)
    table.title = printable(f"{'被告单位' if defendant.unit else '被告人'}{name}")
    for verdict in defendant.verdicts:
        table.add_row(*_cells(verdict.charge or _NO_LENGTH, verdict))
    if not defendant.verdicts:
        table.add_row("no sentence", *[_NO_LENGTH] * 4)
    for earlier in defendant.earlier:
        table.add_row(*_cells(f"earlier: {earlier.charge or '前罪'}", earlier))
    if defendant.executed is not None:
        table.add_section()
        table.add_row(*_cells("executed", defendant.executed))
    console.print(table)
    if defendant.revoked:
        console.print("an earlier 缓刑 or 假释 is revoked")


def _cells(first: str, sentence: Sentence) -> Iterator[str]:
    yield printable(first)
    yield show_sentence(sentence)
    yield show_term(sentence.probation) or _NO_LENGTH
    yield _money(sentence.fine) + (" (joint)" if sentence.fine_joint else "")
    yield "\n".join(_others(sentence))


def _others(sentence: Sentence) -> Iterator[str]:
    if sentence.confiscation:
        share = {"财产": ""}.get(sentence.confiscation, sentence.confiscation)
        much = f" {_money(sentence.confiscated)}" if sentence.confiscated is not None else ""
        yield f"没收{share}财产{much}"
    if sentence.political_for_life:
        yield "剥夺政治权利终身"
    elif sentence.political is not None:
        yield f"剥夺政治权利{show_term(sentence.political)}"
    if sentence.barred:
        yield f"从业禁止{show_term(sentence.barred_months)}"
    marks = {
        "驱逐出境": sentence.expelled,
        "限制减刑": sentence.commutation_limited,
        "终身监禁": sentence.whole_life,
        "禁止令": sentence.injunction,
        "社区矫正": sentence.community,
    }
    yield from (name for name, marked in marks.items() if marked)


def _in_short(defendant: Defendant) -> str:
    final = defendant.final
    if final is None:
        return f"{defendant.name}: no sentence"
    parts = [show_sentence(final)]
    if final.probation is not None:
        parts.append(f"缓刑 {show_term(final.probation)}")
    if (total := defendant.fine_total) is not None:
        parts.append(f"罚金 {_money(total)}")
    crimes = "、".join(defendant.charges)
    return f"{defendant.name} {crimes}: {', '.join(parts)}"


def _by_law(judgment: Judgment) -> dict[str, list[str]]:
    laws: dict[str, list[str]] = {}
    for statute in judgment.statutes:
        position = Position(
            statute.article, statute.article_sub or None, statute.paragraph, statute.item
        )
        laws.setdefault(statute.law, []).append(format_position(position, style="arabic"))
    return laws


def _money(amount: Number | None) -> str:
    return _NO_LENGTH if amount is None else f"{amount:,}元"


def _beginning(words: str) -> str:
    cut = words if len(words) <= _MOST_LETTERS else words[:_MOST_LETTERS] + "…"
    return printable(" ".join(cut.split()) or "–")
