"""Rules of the kinds of tasks that most benchmarks have: one name, several names, a text, a number.

What the published evaluator of a benchmark does otherwise is a *fix* by name: a rule asks whether
it is on (`LETTERS in fixes`), so that its effect can be shown by itself. Without a fix that a task
declares, its mistake is made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

from hengfa.evals.results.trace import Finding, Span, Spans, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet, Sample, Score
from hengfa.evals.suites.findings import MOST_PLACES, in_common, limit, places, shift, short
from hengfa.law.grammar.numerals import Number, find_numbers
from hengfa.law.text import segmentation
from hengfa.law.text.characters import character_f1
from hengfa.law.text.rouge import Unit, rouge_l

S = TypeVar("S", bound=Sample)
T = TypeVar("T")
V = TypeVar("V")

WRAPPER, LETTERS, SILENCE = "wrapper", "letters", "silence"
SENTENCES: Final[Mapping[str, str]] = {
    WRAPPER: "read what stands inside the wrapper that the prompt asks for, where there is one: "
    "the first if the response begins with it, else the last",
    LETTERS: "count letters that stand alone, full-width ones too, not letters inside words",
    SILENCE: "count a blank response as an abstention",
}
"""The fixes that these rules know."""

ACCURACY, F1 = "accuracy", "f1"
_SEVERAL: Final = "several answers: none counts"
_FULL_WIDTH_LETTERS: Final = {ord("Ａ") + i: chr(ord("A") + i) for i in range(26)}
_WHOLE: Final = "text"


# --- the wrapper around an answer that a prompt asks for: `[正确答案]B<eoa>` ---

_INSTRUCTION: Final = ("", "与", "和")  # the prompt again: "请将答案填在[刑期]与<eoa>之间"


class Area(NamedTuple):
    """A part of a response in which rules look for an answer, and where it begins."""

    start: int
    text: str


@dataclass(frozen=True)
class Wrapper:
    """Two marks between which the answer should stand."""

    opening: str
    closing: str

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        """The end as models write it: "<Eoa>" and "[eoa]" for "<eoa>"; not "eoa"."""
        written = re.escape(self.closing).replace("<", r"[<\[]").replace(">", r"[>\]]")
        return re.compile(written, re.IGNORECASE)

    def around(self, text: str) -> str:
        """An answer in the form that the prompt asks for."""
        return f"{self.opening}{text}{self.closing}"

    def inside(self, text: str) -> Area | None:
        """What stands in it, stripped; where none is closed, what follows the first opening."""
        inside = self.closed(text)
        if inside is None and self.opening in text:
            after = text.index(self.opening) + len(self.opening)
            inside = _strip(after, text[after:].partition(self.closing[0])[0])
        return None if inside is None or inside.text in _INSTRUCTION else inside

    def closed(self, text: str) -> Area | None:
        """What stands in one that is closed and not blank.

        Of several it is the first where the response begins with one: what follows is more talk,
        often new questions. Else it is the last: what comes before is thinking. Split instead of
        matched: a pattern would look for the end anew from every beginning.
        """
        before, *pieces = text.split(self.opening)
        at = len(before)
        insides: list[Area] = []
        for piece in pieces:
            if end := self._ends.search(piece):
                area = _strip(at + len(self.opening), piece[: end.start()])
                if area.text not in _INSTRUCTION:
                    insides.append(area)
            at += len(self.opening) + len(piece)
        if not insides:
            return None
        return insides[-1] if before.strip() else insides[0]


def area_of(response: str, wrapper: Wrapper | None) -> tuple[int, str]:
    """What stands in the wrapper, where it is looked at and there is one; else all there is."""
    return (wrapper and wrapper.inside(response)) or (0, response)


def _strip(start: int, text: str) -> Area:
    return Area(start + len(text) - len(text.lstrip()), text.strip())


# --- rules ---


@dataclass(frozen=True)
class PlainRules(RuleSet[S, V]):
    """Rules with some fixes on; the data's folder is for those that need more than samples."""

    fixes: Fixes
    data: Path | None

    def silence(self, sample: S) -> Metrics:
        """No answer earns nothing, even where silence would be right, and is no abstention."""
        metrics = self.score(sample, Answer(None, AnswerStatus.ABSTAINED)).metrics
        return {name: value and 0.0 for name, value in metrics.items()}


class Named(NamedTuple, Generic[T]):
    """What a response names, in order, and on demand where each of them stands."""

    members: Sequence[T]
    where: Callable[[], Mapping[T, Spans]]


Naming = Callable[[str, Fixes], Named[T]]
"""Reads names out of a response, with some fixes on."""


@lru_cache(maxsize=256)
def _standing_alone(letters: str) -> re.Pattern[str]:
    """One option letter with no ASCII letter beside it. Matches "选B。"; not "Be" or "DNA"."""
    return re.compile(rf"(?<![A-Za-z])[{letters}](?![A-Za-z])")


def letters_in(
    response: str, fixes: Fixes, *, letters: str, wrapper: Wrapper | None = None
) -> Named[str]:
    """The option letters of a response. Without the fix `letters` those inside words count, so that
    "Answer: B" names A and B, and full-width ones never match."""
    alone = LETTERS in fixes
    text = response.translate(_FULL_WIDTH_LETTERS) if alone else response
    start, text = area_of(text, wrapper if WRAPPER in fixes else None)
    if not alone:
        named = [letter for letter in letters if letter in text]
        return Named(named, partial(_places_of, named, text, start))

    def where() -> dict[str, Spans]:
        spans: dict[str, list[Span]] = {}
        for letter in _standing_alone(letters).finditer(text):
            spans.setdefault(letter[0], []).append(letter.span())
        return {one: shift(spans[one][:MOST_PLACES], start) for one in letters if one in spans}

    return Named(list(dict.fromkeys(_standing_alone(letters).findall(text))), where)


def labels_in(
    response: str, fixes: Fixes, *, vocabulary: Sequence[str], wrapper: Wrapper | None = None
) -> Named[str]:
    """The labels of a closed vocabulary that occur, in its order."""
    start, text = area_of(response, wrapper if WRAPPER in fixes else None)
    named = [label for label in vocabulary if label in text]
    return Named(named, partial(_places_of, named, text, start))


def numbers_in(response: str, fixes: Fixes, *, wrapper: Wrapper | None = None) -> Named[float]:
    """The numbers of a response, Arabic or Chinese, from left to right."""
    start, text = area_of(response, wrapper if WRAPPER in fixes else None)
    numbers = list(find_numbers(text))
    named = [as_float(number.value) for number in numbers]
    spans = ((start + number.start, start + number.end) for number in numbers)
    where = {value: (span,) for value, span in zip(named, spans, strict=True)}
    return Named(named, lambda: where)


def as_float(value: Number | float) -> float:
    """A number that somebody wrote; models write some that no machine holds."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _places_of(named: Iterable[str], text: str, start: int) -> dict[str, Spans]:
    return {name: shift(places(text, name), start) for name in named}


@dataclass(frozen=True)
class OneOf(PlainRules[S, str]):
    """One point for naming the gold and nothing else; a gold of None is not judged.

    `what` is what is named: an option, a label.
    """

    metrics = (ACCURACY,)
    what: str
    naming: Naming[str]
    gold: Callable[[S], str | None]

    def read(self, response: str) -> Answer[str]:
        named, where = self.naming(response, self.fixes)
        if not named:
            return Answer(None, AnswerStatus.ABSTAINED)
        if len(named) > 1:
            return Answer(None, AnswerStatus.AMBIGUOUS, where)
        return Answer(named[0], where=where)

    def score(self, sample: S, answer: Answer[str]) -> Score:
        expected = self.gold(sample)
        if expected is None:
            return Score({ACCURACY: None}, partial(self.explain, answer, "", judged=False))
        return Score(
            {ACCURACY: float(answer.value == expected)},
            partial(self.explain, answer, expected, judged=True),
        )

    def explain(self, answer: Answer[str], expected: str, *, judged: bool) -> Trace:
        """What was named: right if it is the gold and nothing else."""
        named: Mapping[str, Spans] = answer.where() or {"": ()}
        note = _SEVERAL if len(named) > 1 else ""
        right = {name: name == expected if judged else None for name in named}
        findings = (
            Finding(self.what, name, expected, right[name], note=note, spans=spans)
            for name, spans in named.items()
        )
        return Trace("answer", tuple(findings))


def f1_of_sets(expected: frozenset[T], given: frozenset[T]) -> float:
    """F1 of the gold set and the answer's."""
    common = len(expected & given)
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(expected)
    return 2 * precision * recall / (precision + recall)


@dataclass(frozen=True)
class SetOf(PlainRules[S, frozenset[T]]):
    """Everything that is named, as F1 with the gold set; naming nothing is an abstention."""

    metrics = (F1,)
    what: str
    naming: Naming[T]
    gold: Callable[[S], frozenset[T]]
    words: Callable[[T], str] = str

    def read(self, response: str) -> Answer[frozenset[T]]:
        named, where = self.naming(response, self.fixes)
        if not named:
            return Answer(None, AnswerStatus.ABSTAINED)
        return Answer(frozenset(named), where=where)

    def score(self, sample: S, answer: Answer[frozenset[T]]) -> Score:
        expected = self.gold(sample)
        return Score(
            {F1: f1_of_sets(expected, answer.value or frozenset())},
            partial(self._explain, expected, answer),
        )

    def _explain(self, expected: frozenset[T], answer: Answer[frozenset[T]]) -> Trace:
        """Those expected, read or not, then those that should not be there.

        F1 of the two sets is twice those that are right by all that are given and all that are
        expected.
        """
        given = {self.words(member): spans for member, spans in answer.where().items()}
        wanted = frozenset(map(self.words, expected))
        findings = (
            Finding(
                self.what,
                given=member if member in given else "",
                expected=member if member in wanted else "",
                right=member in given and member in wanted,
                spans=given.get(member, ()),
            )
            for member in (*sorted(wanted), *sorted(given.keys() - wanted))
        )
        return Trace("elements", limit(tuple(findings)))


class TextMetric(NamedTuple):
    """How alike two texts are, from 0 to 1: the name of the figure, the units that are compared,
    and the function of response and reference."""

    name: str
    unit: Unit
    compare: Callable[[str, str], float]


ROUGE_L: Final = TextMetric("rouge_l", "word", lambda text, reference: rouge_l(text, reference).f)
ROUGE_L_CHARACTERS: Final = TextMetric(
    "rouge_l_char", "char", lambda text, reference: rouge_l(text, reference, unit="char").f
)
CHARACTER_F1: Final = TextMetric("character_f1", "char", character_f1)
EXACT_MATCH: Final = TextMetric(
    "exact_match", "char", lambda text, reference: float(text.strip() == reference.strip())
)


def read_whole(response: str, *, silence: bool = False, label: str = "") -> Answer[str]:
    """The response as it is. With `silence` a blank one abstains; a `label` before it, copied from
    the gold, is no part of it."""
    if silence and not response.strip():
        return Answer(None, AnswerStatus.ABSTAINED)
    text = response
    if label:
        text = response.lstrip().removeprefix(label).removeprefix(f"{label[:-1]}：")
    start = len(response) - len(text)
    return Answer(text, where=lambda: {_WHOLE: ((start, len(response)),)})


@dataclass(frozen=True)
class Compared(PlainRules[S, str]):
    """A response that is compared with a reference as a whole.

    `compare` gives every metric of two texts with some fixes on; `metric` names the one that is
    quoted, and `unit` what it counts.
    """

    metric: str
    unit: Unit
    compare: Callable[[str, str, Fixes], Metrics]
    gold: Callable[[S], str]
    label: str = ""

    def read(self, response: str) -> Answer[str]:
        return read_whole(response, silence=SILENCE in self.fixes, label=self.label)

    def score(self, sample: S, answer: Answer[str]) -> Score:
        metrics = self.compare(answer.value or "", self.gold(sample), self.fixes)
        return Score(metrics, partial(self._explain, sample, answer, metrics))

    def instrument(self) -> str | None:
        return segmentation.instrument() if self.unit == "word" else None

    def _explain(self, sample: S, answer: Answer[str], metrics: Metrics) -> Trace:
        """The score, and what the answer has in common with the reference, white space apart."""
        shared = in_common(answer.value or "", self.gold(sample), self.unit)
        start = answer.where()[_WHOLE][0][0] if answer.value is not None else 0
        units = {"word": "words", "char": "characters"}[self.unit]
        note = (
            f"{shared.common} {units} in common and in order, of {shared.mine} in the response and "
            f"{shared.theirs} in the reference"
        )
        points, spans = metrics[self.metric], shift(shared.spans, start)
        return Trace(
            "answer", (Finding(self.metric, points=points, maximum=1.0, note=note, spans=spans),)
        )


@dataclass(frozen=True)
class OneNumber(PlainRules[S, float]):
    """One point if the last number that is named is the gold, or as near to it as `tolerance`, a
    share of the gold, allows."""

    metrics = (ACCURACY,)
    naming: Naming[float]
    gold: Callable[[S], float | None]
    tolerance: float = 0.0

    def read(self, response: str) -> Answer[float]:
        named, where = self.naming(response, self.fixes)
        if not named:
            return Answer(None, AnswerStatus.ABSTAINED)
        return Answer(named[-1], where=where)

    def score(self, sample: S, answer: Answer[float]) -> Score:
        expected = self.gold(sample)
        if expected is None:
            return Score({ACCURACY: None})
        right = answer.value is not None and (
            abs(answer.value - expected) <= self.tolerance * abs(expected)
        )
        return Score({ACCURACY: float(right)}, partial(self._explain, expected, answer, right))

    @staticmethod
    def _explain(expected: float, answer: Answer[float], right: bool) -> Trace:
        given = "" if answer.value is None else short(f"{answer.value:.12g}")
        spans = () if answer.value is None else answer.where()[answer.value]
        return Trace("answer", (Finding("number", given, f"{expected:.12g}", right, spans=spans),))
