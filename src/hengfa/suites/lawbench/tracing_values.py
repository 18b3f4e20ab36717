"""How a LawBench response came to its score where it is numbers, entities or trigger words.

The points of entities and trigger words, summed, are what their soft F1 is made of.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Final

from hengfa.law.numerals import Number, find_numbers
from hengfa.results.trace import Finding, Trace
from hengfa.suites.base import Fixes
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench import gold as golds
from hengfa.suites.lawbench import score as scores
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.extract import TERM
from hengfa.suites.lawbench.tracing import Read, Score, Tracer, Tracing, area_read, of_sets
from hengfa.suites.tracing import MOST_PLACES, Span, Spans, limited, short, shown, stands
from hengfa.text.assignment import best_matching
from hengfa.text.characters import character_f1

_LONGEST_READ: Final = 20_000
"""So many characters are searched for the places of numbers."""
_LARGEST: Final = 10**12
_DIGITS: Final = "[0-9０-９.〇零一二两三四五六七八九十百半]{1,12}"
# A term as it is written: "三年六个月", "6个月", "1.5 年", "一年半"; not "年", not "28日".
_WRITTEN_TERM: Final = re.compile(
    rf"{_DIGITS}\s?年(?:[零又]?{_DIGITS}\s?个?\s?月|半)?|{_DIGITS}\s?个?\s?月|半年"
)
_MOST_TERMS, _MOST_PIECES = 40, 20
"""So many terms, and parts of an entity's value, are looked at for their places."""
_SAME: Final = 1e-9


def articles() -> Tracer:
    """3-1: every article that is expected or given."""

    def tracer(_fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            found: frozenset[int] = read(response).value or frozenset()
            numbers = _numbers_in(response)
            at = {_number(one): _stand_at(numbers, (one,)) for one in found}
            expected = frozenset(map(_number, golds.articles(sample.answer)))
            return Trace("elements", limited(of_sets("article", expected, at)))

        return trace

    return tracer


def term() -> Tracer:
    """3-4, 3-5: the months expected and read; a gold that is no number of them is not judged."""

    def tracer(fixes: Fixes, read: Read, score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            answer = read(response)
            expected, points = golds.months(sample.answer), score(sample, answer)
            finding = Finding(
                "months",
                given="" if answer.value is None else _number(answer.value),
                expected=sample.answer if expected is None else str(expected),
                right=None if expected is None else answer.value == expected,
                points=points[scores.LOG_DISTANCE],
                maximum=None if expected is None else 1.0,
                spans=() if answer.value is None else _term_at(response, answer.value, fixes, read),
            )
            return Trace("answer", (finding,))

        return trace

    return tracer


def _term_at(response: str, months: int, fixes: Fixes, read: Read) -> Spans:
    """The first words that, read alone, are this term; else the wrapper with a bare number."""
    start, area = area_read(response, TERM, fixes)
    for _, found in zip(range(_MOST_TERMS), _WRITTEN_TERM.finditer(area), strict=False):
        if read(found[0]).value == months:
            return ((start + found.start(), start + found.end()),)
    return () if area is response else ((start, start + len(area)),)


def amount() -> Tracer:
    """3-7: the amounts read; that expected is marked where it is among them."""

    def tracer(_fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            found: frozenset[float] = read(response).value or frozenset()
            expected = golds.amount(sample.answer)
            right = expected in found
            finding = Finding(
                "amount",
                given=short("、".join(f"{one:.12g}" for one in sorted(found))),
                expected=f"{expected:.12g}",
                right=right,
                spans=_stand_at(_numbers_in(response), (expected,) if right else found),
            )
            return Trace("answer", (finding,))

        return trace

    return tracer


def _number(value: int) -> str:
    """A number that a person wrote, or the end of one that models write and nobody reads."""
    if value < _LARGEST:
        return str(value)
    return f"…{value % _LARGEST:012d} ({math.floor(math.log10(value)) + 1} digits)"


def _numbers_in(response: str) -> dict[float, list[Span]]:
    """The places of numbers, in whatever script."""
    found: defaultdict[float, list[Span]] = defaultdict(list)
    for number in find_numbers(response[:_LONGEST_READ]):
        found[_as_float(number.value)].append((number.start, number.end))
    return found


def _as_float(value: Number | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _stand_at(numbers: Mapping[float, Sequence[Span]], values: Iterable[float]) -> Spans:
    """The first places of some of them."""
    spans = (span for value in values for span in numbers.get(_as_float(value), ()))
    return tuple(sorted(spans)[:MOST_PLACES])


def entities() -> Tracer:
    """2-6: each type with its value, and how far the two are the same characters."""

    def tracer(fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            found = read(response).value or {}
            expected = golds.entities(sample.answer)
            findings: list[Finding] = []
            for kind in (*expected, *(one for one in found if one not in expected)):
                both = kind in found and kind in expected
                points = character_f1(found[kind], expected[kind]) if both else 0.0
                findings.append(
                    Finding(
                        kind,
                        given=shown(found[kind]) if kind in found else "",
                        expected=shown(expected[kind]) if kind in expected else "",
                        right=points == 1.0,
                        points=points,
                        maximum=1.0,
                        spans=_value_at(response, kind, found.get(kind, ""), fixes),
                    )
                )
            return Trace("elements", tuple(findings))

        return trace

    return tracer


_VISIBLE: Final = re.compile(r"\S")


def _value_at(response: str, kind: str, value: str, fixes: Fixes) -> Spans:
    """Where a value follows the name of its type; without the fix `lines` the last one counts."""
    pieces = sorted({value, *value.split("、", _MOST_PIECES)} - {""}, key=len, reverse=True)
    found: list[tuple[int, int]] = []
    at = response.find(kind) if pieces else -1
    while at >= 0 and not (fix.LINES in fixes and len(found) == MOST_PLACES):
        after = at + len(kind)
        visible = _VISIBLE.search(response, after + 1)
        if visible and response[after] in ":：":
            start = visible.start()
            words = next((one for one in pieces if response.startswith(one, start)), "")
            if words:
                found.append((start, start + len(words)))
        at = response.find(kind, after)
    return tuple(found if fix.LINES in fixes else found[-1:])


def triggers() -> Tracer:
    """2-10: word against word: place by place, or as they match best where order is repaired."""

    def tracer(fixes: Fixes, read: Read, _score: Score) -> Tracing:
        def trace(sample: LawBenchSample, response: str) -> Trace:
            expected = golds.triggers(sample.answer)
            found: tuple[str, ...] = read(response).value or ()
            at = list(stands(response, found))
            beside = (
                _best_pairs(expected, found)
                if fix.MATCHING in fixes
                else [place if place < len(found) else None for place in range(len(expected))]
            )
            findings = [
                Finding(
                    "word",
                    given="" if place is None else shown(found[place]),
                    expected=word,
                    right=place is not None and character_f1(found[place], word) == 1.0,
                    points=0.0 if place is None else character_f1(found[place], word),
                    maximum=1.0,
                    spans=() if place is None else _visible(at[place]),
                )
                for word, place in zip(expected, beside, strict=True)
            ]
            used = {place for place in beside if place is not None}
            findings += [
                Finding("word", shown(word), right=False, points=0.0, spans=_visible(at[place]))
                for place, word in enumerate(found)
                if place not in used
            ]
            return Trace("elements", limited(findings))

        return trace

    return tracer


def _visible(span: tuple[int, int]) -> Spans:
    return (span,) if span[0] < span[1] else ()


def _best_pairs(expected: Sequence[str], found: Sequence[str]) -> list[int | None]:
    """For each expected word the place of the one given that it is matched with.

    One of the best matchings: a word is taken if the others can still reach the best total. Only
    the few that come nearest to each expected word can be part of it.
    """
    like = [{word: character_f1(word, other) for word in set(found)} for other in expected]
    near = sorted(
        {
            place
            for row in like
            for place in nlargest(len(expected), range(len(found)), key=lambda at: row[found[at]])
            if row[found[place]]
        }
    )
    left, pairs = list(near), []
    total = best_matching([[row[found[place]] for place in left] for row in like])
    for number, row in enumerate(like):
        taken = None
        for place in sorted(left, key=lambda at: -row[found[at]]):
            points = row[found[place]]
            others = [one for one in left if one != place]
            rest = [[other[found[at]] for at in others] for other in like[number + 1 :]]
            if points and points + best_matching(rest) >= total - _SAME:
                taken, left, total = place, others, total - points
                break
        pairs.append(taken)
    return pairs
