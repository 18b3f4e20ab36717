"""Diagnosed recitations for a person: each wrong answer in its pieces, then how many of which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.table import Table

from hengfa.base.terminal.console import plain_console, printable
from hengfa.evals.report.terminal import PLAIN, folded, right
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.law_names import STATE
from hengfa.law.library.diagnosis.classes import KINDS, Diagnosis, Flag, Kind
from hengfa.law.library.diagnosis.cover import Place, Span
from hengfa.law.library.diagnosis.recitations import Diagnosed, Recitation, place_of, spans_of

_LONGEST: Final = 400
"""Longer pieces are shown by their beginning and end; JSON has all of them."""
_MOST_SPANS: Final = 60


def print_diagnoses(diagnosed: Sequence[Diagnosed], *, blocks: bool = True) -> None:
    """A block for each wrong answer, what could not be judged, and the table of classes."""
    console = plain_console()
    _print_answers(console, diagnosed, blocks=blocks)
    _print_summary(console, _diagnoses(diagnosed))


def print_by_model(every: Mapping[str, Sequence[Diagnosed]], *, blocks: bool = True) -> None:
    """The answers of several models, one after the other, and a table of all: class by model."""
    console = plain_console()
    for name, diagnosed in every.items():
        if blocks:
            console.print(printable(f"== {name} =="), soft_wrap=True)
        _print_answers(console, diagnosed, blocks=blocks)
    models = (right(printable(name), overflow="fold") for name in every)
    table = Table("class", *models, **PLAIN)
    shares = [class_shares(diagnosed) for diagnosed in every.values()]
    for kind in KINDS:
        if any(kind in of_model for of_model in shares):
            cells = (f"{of_model[kind]:.1%}" if kind in of_model else "" for of_model in shares)
            table.add_row(kind, *cells)
    table.add_section()
    table.add_row("answers", *(str(len(_diagnoses(diagnosed))) for diagnosed in every.values()))
    console.print(table)


def class_shares(diagnosed: Sequence[Diagnosed]) -> dict[Kind, float]:
    """Which share of the answers that were diagnosed is of each class; classes without any are
    left out."""
    diagnoses = _diagnoses(diagnosed)
    counted = Counter(diagnosis.kind for diagnosis in diagnoses)
    return {kind: counted[kind] / len(diagnoses) for kind in KINDS if counted[kind]}


def _diagnoses(diagnosed: Sequence[Diagnosed]) -> list[Diagnosis]:
    return [answer.diagnosis for answer in diagnosed if answer.diagnosis is not None]


def _print_answers(console: Console, diagnosed: Sequence[Diagnosed], *, blocks: bool) -> None:
    for answer in diagnosed if blocks else ():
        if answer.diagnosis is not None and not answer.diagnosis.is_right:
            _print_block(console, answer, answer.diagnosis)
    for answer in diagnosed:
        if answer.diagnosis is None:
            said = f"row {answer.recitation.row} was not diagnosed: {answer.problem}"
            console.print(printable(said), soft_wrap=True)


def _place_name(place: Place, asked: Recitation, law: str) -> str:
    """A place as someone who asked for another one needs it: no more than what differs."""
    where = format_position(place.position) if any(place.position) else "outside its articles"
    if place.law != law:
        where = f"《{place.law.removeprefix(STATE)}》{where}"
    if (place.law, place.version) != (law, asked.version):
        where += f" ({place.version})"
    return where


def _print_block(console: Console, answer: Diagnosed, diagnosis: Diagnosis) -> None:
    asked, law = answer.recitation, answer.law
    name = f"{law.removeprefix(STATE)} ({asked.version}) {format_position(asked.position)}"
    flags = f" [{', '.join(diagnosis.flags)}]" if diagnosis.flags else ""
    console.rule(printable(f"row {asked.row}: {name}: {diagnosis.kind}{flags}"), align="left")
    console.print(
        f"{diagnosis.gold_recall:.0%} of the gold is there; "
        f"{diagnosis.extra:.0%} of the answer is not gold"
    )
    if diagnosis.verbatim:
        places = "、".join(_place_name(place, asked, law) for place in diagnosis.verbatim)
        console.print(printable(f"word for word {places}"), soft_wrap=True)
    first = folded("", max_width=max(console.width // 3, 16))
    table = Table.grid(first, folded("", ratio=1), padding=(0, 2))
    table.add_row("asked for", _shorten(diagnosis.gold))
    # where the words of a refusal stand elsewhere is of no interest
    spans = () if diagnosis.kind == "refusal" else diagnosis.spans
    for label, together in groupby(spans[:_MOST_SPANS], lambda span: _label(span, asked, law)):
        pieces = list(together)
        table.add_row(label, _shorten(asked.answer[pieces[0].start : pieces[-1].end]))
    if len(spans) > _MOST_SPANS:
        table.add_row("…", f"{len(spans) - _MOST_SPANS} more pieces: --json has them")
    if diagnosis.kind == "refusal":
        table.add_row("answer", _shorten(asked.answer))
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
    return printable(f"< {_place_name(span.where[0], asked, law)}{more}")


def _shorten(text: str) -> str:
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        text = f"{text[:half]} …{len(text) - _LONGEST:,} characters… {text[-half:]}"
    return printable(" ".join(text.split()))


def _print_summary(console: Console, diagnoses: Sequence[Diagnosis]) -> None:
    if not diagnoses:
        console.print("no answer was diagnosed")
        return
    table = Table("class", right("answers"), right("share"), "of which", **PLAIN)
    for kind in KINDS:
        of_kind = [diagnosis for diagnosis in diagnoses if diagnosis.kind == kind]
        if of_kind:
            share = f"{len(of_kind) / len(diagnoses):.1%}"
            flags = ", ".join(f"{flag} {times}" for flag, times in _flags(of_kind).most_common())
            table.add_row(kind, str(len(of_kind)), share, flags)
    table.add_section()
    table.add_row("all", str(len(diagnoses)), "", "")
    console.print(table)


def _flags(diagnoses: Iterable[Diagnosis]) -> Counter[Flag]:
    return Counter(flag for diagnosis in diagnoses for flag in diagnosis.flags)


def diagnoses_document(diagnosed: Sequence[Diagnosed]) -> dict[str, object]:
    """All of it for a program; positions in the dotted form, and the text of each span."""
    diagnoses = _diagnoses(diagnosed)
    counted = Counter(diagnosis.kind for diagnosis in diagnoses)
    return {
        "answers": [_answer(answer) for answer in diagnosed],
        "classes": {kind: counted[kind] for kind in KINDS if counted[kind]},
        "shares": class_shares(diagnosed),
        "flags": dict(_flags(diagnoses)),
        "diagnosed": len(diagnoses),
        "not_diagnosed": len(diagnosed) - len(diagnoses),
    }


def _answer(answer: Diagnosed) -> dict[str, object]:
    asked, diagnosis = answer.recitation, answer.diagnosis
    head: dict[str, object] = {"row": asked.row} | place_of(
        Place(answer.law, asked.version, asked.position)
    )
    if diagnosis is None:
        return {**head, "class": None, "problem": answer.problem}
    return {
        **head,
        "class": diagnosis.kind,
        "flags": diagnosis.flags,
        "gold_recall": diagnosis.gold_recall,
        "extra": diagnosis.extra,
        "shares": diagnosis.shares,
        "verbatim": [place_of(place) for place in diagnosis.verbatim],
        "gold": diagnosis.gold,
        "answer": asked.answer,
        "spans": spans_of(asked, diagnosis),
    }
