"""How a LawBench response came to its score where it is a text, a choice or labels.

Each function makes what a rule set wants for its fixes, its reading and its scoring. Findings agree
with the score: of a text there is one with the score as its points; a choice scores if and only if
all its findings are right; F1 of a set is twice those that are right by all that are given and all
that are expected. Numbers, entities and trigger words are in `tracing_values`, the edits of 2-1 in
`tracing_edits`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from hengfa.results.trace import Finding, Trace
from hengfa.suites.base import Answer, Fixes, Metrics
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench import gold as golds
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.extract import CHOICE, closed, wrapped
from hengfa.suites.tracing import MOST_PLACES, Spans, in_common, moved, occurrences, places
from hengfa.text.rouge import Unit

Tracing: TypeAlias = Callable[[LawBenchSample, str], Trace]
Read: TypeAlias = Callable[[str], Answer[Any]]
Score: TypeAlias = Callable[[LawBenchSample, Answer[Any]], Metrics]
Tracer: TypeAlias = Callable[[Fixes, Read, Score], Tracing]

_VISIBLE: Final = re.compile(r"\S")
# What closes a wrapper, after blanks: " <eoa>", "[EOA]"; not "eoa".
_CLOSING: Final = re.compile(r"\s*+[<\[]eoa[>\]]", re.IGNORECASE)
_WIDER: Final = ord("Ａ") - ord("A")
_SEVERAL: Final = "several answers: none counts"


def text(metric: str, reference: Callable[[str], str], unit: Unit = "word") -> Tracer:
    """1-1, 2-5, 2-7, 3-2, 3-8: the score, and what the response has in common with the reference.

    White space never counts here; the official rule has quirks that do (`text.rouge`).
    """

    def tracer(_fixes: Fixes, read: Read, score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            value = score(sample, read(response))[metric]
            found = in_common(response, reference(sample.answer), unit)
            note = (
                f"{found.common} {_UNITS[unit]} in common and in order, of {found.mine} in the "
                f"response and {found.theirs} in the reference"
            )
            finding = Finding(metric, points=value, maximum=1.0, note=note, spans=found.spans)
            return Trace("answer", (finding,))

        return trace

    return tracer


_UNITS: Final[Mapping[Unit, str]] = {"word": "words", "char": "characters"}


def choice(options: str, gold: Callable[[str], str]) -> Tracer:
    """1-2, 2-8, 3-6: every option letter that was read, with its places."""

    def tracer(fixes: Fixes, _read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            start, area = area_read(response, CHOICE, fixes)
            named = {letter: moved(_letter(area, letter, fixes), start) for letter in options}
            return _one("option", {one: at for one, at in named.items() if at}, gold(sample.answer))

        return trace

    return tracer


def _letter(area: str, letter: str, fixes: Fixes) -> Spans:
    if fix.LETTERS not in fixes:
        return places(area, letter)
    forms = (letter, chr(ord(letter) + _WIDER))
    alone = (
        (start, end)
        for form in forms
        for start, end in occurrences(area, form)
        if not (_is_letter(area[start - 1 : start]) or _is_letter(area[end : end + 1]))
    )
    return tuple(sorted(islice(alone, MOST_PLACES)))


def _is_letter(character: str) -> bool:
    return (character.isascii() and character.isalpha()) or "Ａ" <= character <= "Ｚ"


def one_label(options: Sequence[str], mark: str, gold: Callable[[str], str]) -> Tracer:
    """2-2, 2-4: every label that occurs; a gold that is no option is not judged."""

    def tracer(fixes: Fixes, _read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            start, area = area_read(response, mark, fixes)
            named = {option: moved(places(area, option), start) for option in options}
            found = {one: at for one, at in named.items() if at}
            return _one("label", found, gold(sample.answer))

        return trace

    return tracer


def _one(label: str, named: Mapping[str, Spans], gold: str) -> Trace:
    """What was named where one answer is asked for: right if it is the gold and nothing else."""
    judged = gold != golds.NOT_AN_OPTION
    note = _SEVERAL if len(named) > 1 else ""
    findings = (
        Finding(label, one, gold, one == gold if judged else None, note=note, spans=at)
        for one, at in (named or {"": ()}).items()
    )
    return Trace("answer", tuple(findings))


def labels(mark: str, gold: Callable[[str], frozenset[str]]) -> Tracer:
    """2-3, 2-9: every label that is expected or given."""

    def tracer(fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            start, area = area_read(response, mark, fixes)
            found = read(response).value or frozenset()
            at = {one: moved(places(area, one), start) for one in found}
            return Trace("elements", of_sets("label", gold(sample.answer), at))

        return trace

    return tracer


def charges(gold: Callable[[str], frozenset[str]]) -> Tracer:
    """3-3: every charge; the longest takes its letters from those inside it where that counts."""

    def tracer(fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            at: dict[str, Spans] = {}
            rest = response
            for charge in sorted(read(response).value or (), key=len, reverse=True):
                at[charge] = places(rest, charge)
                if fix.LONGEST in fixes:
                    rest = rest.replace(charge, "\n" * len(charge))
            return Trace("elements", of_sets("charge", gold(sample.answer), at))

        return trace

    return tracer


def of_sets(
    label: str, expected: frozenset[str], given: Mapping[str, Spans]
) -> tuple[Finding, ...]:
    """Those expected, found or not, then those that should not be there."""
    return tuple(
        Finding(
            label,
            given=one if one in given else "",
            expected=one if one in expected else "",
            right=one in given and one in expected,
            spans=given.get(one, ()),
        )
        for one in (*sorted(expected), *sorted(given.keys() - expected))
    )


def area_read(response: str, mark: str, fixes: Fixes) -> tuple[int, str]:
    """The part of a response in which the rules look for an answer, and where it begins."""
    inside = wrapped(response, mark) if mark and fix.WRAPPER in fixes else ""
    if not inside:
        return 0, response
    is_closed = bool(closed(response, mark))
    begins: list[int] = []
    for _, after in occurrences(response, mark):
        visible = _VISIBLE.search(response, after)
        start = visible.start() if visible else len(response)
        ends = start + len(inside)
        if response.startswith(inside, start) and (not is_closed or _CLOSING.match(response, ends)):
            begins.append(start)
    said_before = response.partition(mark)[0].strip()
    return begins[-1 if said_before and is_closed else 0], inside
