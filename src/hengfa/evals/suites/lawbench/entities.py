"""Answers that are lists of words: entities by type (2-6), and trigger words (2-10).

Both are compared character by character; the points of their findings, summed, are what their soft
F1 is made of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from itertools import islice
from typing import Final, NamedTuple

from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.results.trace import Finding, Spans, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Score
from hengfa.evals.suites.findings import MOST_PLACES, limit, short_or_blank, stands
from hengfa.evals.suites.lawbench import gold, rules
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.rules import LawBenchFix, LawBenchRules
from hengfa.law.text.assignment import best_matching
from hengfa.law.text.characters import character_f1

SOFT_F1: Final = "soft_f1"
_SOFT_EPSILON: Final = 1e-10
_SAME: Final = 1e-9


def _soft_f1(shared: float, predicted: int, expected: int, fixes: Fixes) -> float:
    if not shared:
        return 0.0
    epsilon = 0.0 if LawBenchFix.EPSILON in fixes else _SOFT_EPSILON
    precision, recall = shared / predicted, shared / expected
    return 2 * precision * recall / (precision + recall + epsilon)


_LINE_END: Final = re.compile("[\n ]")  # ends 黄某 in "黄某 男"; not in "黄某，男"
# Ends 黄某 in "黄某；男" and in "黄某受害人：李某"; not in "黄某、李某".
_VALUE_END: Final = re.compile(f"[\n ;；]|{rules.END}|(?:{'|'.join(rules.ENTITY_TYPES)})[:：]")
_VISIBLE: Final = re.compile(r"\S")
_SHORTEST_REST: Final = 3


class _Value(NamedTuple):
    text: str
    start: int
    end: int  # where reading goes on: what ends the value may come after blanks


@dataclass(frozen=True)
class Entities(LawBenchRules[gold.Entities]):
    """What follows each type's name and a colon, up to the end of the line (lawbench.md 2-6).
    Quirks: the last value of a type wins; values run on over `;`; an ASCII blank ends one; a value
    on the next line is taken; names inside longer words count (作案时间); fewer than three
    characters after a name are no value; abstention is never reported, whatever was read."""

    def read(self, response: str) -> Answer[gold.Entities]:
        end = _VALUE_END if LawBenchFix.SEPARATORS in self.fixes else _LINE_END
        values: dict[str, list[_Value]] = {}
        for kind in rules.ENTITY_TYPES:
            if LawBenchFix.LINES in self.fixes:
                of_kind = list(filter(self._means_something, _forwards(response, kind, end)))
            else:
                found = filter(self._means_something, _backwards(response, kind, end))
                of_kind = list(islice(found, 1))
            if of_kind:
                values[kind] = of_kind
        if not values:
            return Answer(None, AnswerStatus.ABSTAINED)
        entities = {
            kind: of_kind[0].text
            if len(of_kind) == 1
            else "、".join(dict.fromkeys(value.text for value in of_kind))
            for kind, of_kind in values.items()
        }
        return Answer(entities, where=lambda: {kind: _spans(values[kind]) for kind in values})

    def _means_something(self, value: _Value) -> bool:
        if LawBenchFix.NOTHING in self.fixes:
            return value.text.rstrip("。") not in rules.NOTHING_TOO
        return value.text not in rules.NOTHING

    def score(self, sample: LawBenchSample, answer: Answer[gold.Entities]) -> Score:
        expected, given = gold.entities(sample.answer), answer.value or {}
        silent = float(bool(expected) and not given)
        both = [kind for kind in expected if kind in given]
        alike = {kind: character_f1(given[kind], expected[kind]) for kind in both}
        metrics = {
            SOFT_F1: _soft_f1(sum(alike.values()), len(given), len(expected), self.fixes)
            if expected
            else float(not given),
            ABSTAINED: silent if LawBenchFix.REPORTED in self.fixes else 0.0,
        }
        return Score(metrics, partial(self._explain, expected, answer, alike))

    @staticmethod
    def _explain(
        expected: gold.Entities, answer: Answer[gold.Entities], alike: dict[str, float]
    ) -> Trace:
        """Each type with its value, and how far the two are the same characters."""
        given, where = answer.value or {}, answer.where()
        kinds = (*expected, *(kind for kind in given if kind not in expected))
        findings = (
            Finding(
                kind,
                given=short_or_blank(given[kind]) if kind in given else "",
                expected=short_or_blank(expected[kind]) if kind in expected else "",
                right=alike.get(kind) == 1.0,
                points=alike.get(kind, 0.0),
                maximum=1.0,
                spans=where.get(kind, ()),
            )
            for kind in kinds
        )
        return Trace("elements", tuple(findings))


def _spans(values: Sequence[_Value]) -> Spans:
    spans = ((value.start, value.start + len(value.text)) for value in values if value.text)
    return tuple(spans)[:MOST_PLACES]


def _backwards(text: str, kind: str, end: re.Pattern[str]) -> Iterator[_Value]:
    """Values from the last to the first: the caller stops early, so long texts are read once."""
    at = text.rfind(kind)
    while at >= 0:
        value = _value_after(text, at + len(kind), end)
        if value is not None:
            yield value
        at = text.rfind(kind, 0, at)


def _forwards(text: str, kind: str, end: re.Pattern[str]) -> Iterator[_Value]:
    """Values from the first to the last; a name inside a value begins no other."""
    at = text.find(kind)
    while at >= 0:
        after = at + len(kind)
        value = _value_after(text, after, end)
        if value is not None:
            yield value
            after = max(after, value.end)
        at = text.find(kind, after)


def _value_after(text: str, name_end: int, end: re.Pattern[str]) -> _Value | None:
    if name_end > len(text) - _SHORTEST_REST or text[name_end] not in ":：":
        return None
    visible = _VISIBLE.search(text, name_end + 1)
    if visible is None:
        return _Value("", len(text), len(text))
    start = visible.start()
    stop = end.search(text, start)
    ends = stop.start() if stop else len(text)
    return _Value(text[start:ends].strip(), start, ends)


_MANY_SEPARATORS: Final = re.compile("[;；、，,\n]")


@dataclass(frozen=True)
class Triggers(LawBenchRules[tuple[str, ...]]):
    """The words between semicolons (lawbench.md 2-10). Quirks: only ASCII ones separate; words are
    compared place by place, so another order scores low."""

    def read(self, response: str) -> Answer[tuple[str, ...]]:
        if LawBenchFix.SEPARATORS in self.fixes:
            words = tuple(word for word in _MANY_SEPARATORS.split(response) if word.strip())
        else:
            words = tuple(response.split(";"))
        if not words:
            return Answer(None, AnswerStatus.ABSTAINED)

        def where() -> dict[int, Spans]:
            spans = enumerate(stands(response, words))
            return {place: (span,) if span[0] < span[1] else () for place, span in spans}

        return Answer(words, where=where)

    def score(self, sample: LawBenchSample, answer: Answer[tuple[str, ...]]) -> Score:
        expected, given = gold.triggers(sample.answer), answer.value or ()
        if LawBenchFix.MATCHING in self.fixes:
            shared = _best_overlap(expected, given)
        else:
            shared = sum(map(character_f1, given, expected))
        return Score(
            {SOFT_F1: _soft_f1(shared, len(given), len(expected), self.fixes)},
            partial(self._explain, expected, answer),
        )

    def _explain(self, expected: Sequence[str], answer: Answer[tuple[str, ...]]) -> Trace:
        """Word against word: place by place, or as they match best where order is repaired."""
        given, where = answer.value or (), answer.where()
        places: list[int | None] = (
            _best_pairs(expected, given)
            if LawBenchFix.MATCHING in self.fixes
            else [place if place < len(given) else None for place in range(len(expected))]
        )
        findings: list[Finding] = []
        for word, at in zip(expected, places, strict=True):
            if at is None:
                findings.append(Finding("word", "", word, False, 0.0, 1.0))
            else:
                like, shown = character_f1(given[at], word), short_or_blank(given[at])
                findings.append(Finding("word", shown, word, like == 1.0, like, 1.0, "", where[at]))
        findings += [
            Finding("word", short_or_blank(word), right=False, points=0.0, spans=where[place])
            for place, word in enumerate(given)
            if place not in places
        ]
        return Trace("elements", limit(findings))


def _best_overlap(expected: Sequence[str], given: Sequence[str]) -> float:
    """The sum of the best one-to-one matching of words. Of many words only the few that come
    nearest to each expected one can be part of it, and of equal words only as many as are
    expected."""
    most = len(expected)
    if len(given) > most:
        words = [word for word, count in Counter(given).items() for _ in range(min(count, most))]
        near: set[int] = set()
        for word in expected:
            like = [character_f1(other, word) for other in words]
            near.update(nlargest(most, range(len(words)), key=like.__getitem__))
        given = [words[place] for place in sorted(near)]
    return best_matching([[character_f1(word, other) for word in given] for other in expected])


def _best_pairs(expected: Sequence[str], given: Sequence[str]) -> list[int | None]:
    """For each expected word the place of the one given that it is matched with. One of the best
    matchings: a word is taken if the others can still reach the best total. Only the few that come
    nearest to each expected word can be part of it."""
    like = [{word: character_f1(word, other) for word in set(given)} for other in expected]
    nearest: set[int] = set()
    for row in like:
        best = nlargest(len(expected), range(len(given)), key=lambda at: row[given[at]])
        nearest.update(place for place in best if row[given[place]])
    left, pairs = sorted(nearest), []
    total = best_matching([[row[given[place]] for place in left] for row in like])
    for number, row in enumerate(like):
        taken = None
        for place in sorted(left, key=lambda at: -row[given[at]]):
            points = row[given[place]]
            others = [other for other in left if other != place]
            rest = [[other[given[at]] for at in others] for other in like[number + 1 :]]
            if points and points + best_matching(rest) >= total - _SAME:
                taken, left, total = place, others, total - points
                break
        pairs.append(taken)
    return pairs
