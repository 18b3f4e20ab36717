"""Answers that name options: a letter, a label, several labels, charges."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, TypeVar

from hengfa.results.trace import Finding, Span, Spans, Trace
from hengfa.suites.base import Answer, AnswerStatus, Score
from hengfa.suites.findings import MOST_PLACES, moved, places
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench import gold
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.rules import CHOICE, LawBenchRules, area_of, of_sets
from hengfa.suites.lawbench.vocabulary import CHARGES, MISSING_CHARGES

ACCURACY, F1 = "accuracy", "f1"
_FULL_WIDTH_LETTERS: Final = {ord("Ａ") + i: chr(ord("A") + i) for i in range(26)}
_SEVERAL: Final = "several answers: none counts"

T = TypeVar("T", str, int)


@dataclass(frozen=True)
class OneOf(LawBenchRules[str]):
    """One point for naming the gold option and no other (lawbench.md 1.1)."""

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        expected = self.expected(sample)
        return Score(
            {ACCURACY: float(answer.value == expected)},
            partial(_explain_one, self.what, answer, expected, judged=True),
        )

    @property
    @abstractmethod
    def what(self) -> str:
        """What is named: an option, a label."""

    @abstractmethod
    def expected(self, sample: LawBenchSample) -> str: ...


def _explain_one(what: str, answer: Answer[str], expected: str, *, judged: bool) -> Trace:
    """What was named where one answer is asked for: right if it is the gold and nothing else."""
    named: Mapping[str, Spans] = answer.where() or {"": ()}
    note = _SEVERAL if len(named) > 1 else ""
    findings = (
        Finding(what, name, expected, name == expected if judged else None, note=note, spans=spans)
        for name, spans in named.items()
    )
    return Trace("answer", tuple(findings))


def _one_of(named: Sequence[str], where: Callable[[], Mapping[str, Spans]]) -> Answer[str]:
    if not named:
        return Answer(None, AnswerStatus.ABSTAINED)
    if len(named) > 1:
        return Answer(None, AnswerStatus.AMBIGUOUS, where)
    return Answer(named[0], where=where)


def _places_of(named: Iterable[str], text: str, start: int) -> dict[str, Spans]:
    return {name: moved(places(text, name), start) for name in named}


@dataclass(frozen=True)
class Choice(OneOf):
    """The one option letter that occurs: 1-2, 2-8, 3-6.

    The gold has its letter at a fixed `position`. Quirks: letters inside words count, so
    "Answer: B" names A and B; what stands in the wrapper is not isolated; full-width letters never
    match.
    """

    options: str
    position: int
    what = "option"

    @cached_property
    def _stand_alone(self) -> re.Pattern[str]:
        """One option letter with no ASCII letter beside it. Matches "选B。"; not "Be" or "DNA"."""
        return re.compile(rf"(?<![A-Za-z])[{self.options}](?![A-Za-z])")

    def read(self, response: str) -> Answer[str]:
        alone = fix.LETTERS in self.fixes
        text = response.translate(_FULL_WIDTH_LETTERS) if alone else response
        start, text = area_of(text, CHOICE, wrapper=fix.WRAPPER in self.fixes)
        if alone:
            named = list(dict.fromkeys(self._stand_alone.findall(text)))
            return _one_of(named, partial(self._alone_in, text, start))
        named = [option for option in self.options if option in text]
        return _one_of(named, partial(_places_of, named, text, start))

    def _alone_in(self, text: str, start: int) -> dict[str, Spans]:
        spans: dict[str, list[Span]] = {}
        for letter in self._stand_alone.finditer(text):
            spans.setdefault(letter[0], []).append(letter.span())
        return {
            option: moved(spans[option][:MOST_PLACES], start)
            for option in self.options
            if option in spans
        }

    def expected(self, sample: LawBenchSample) -> str:
        return gold.letter(sample.answer, self.position)


@dataclass(frozen=True)
class Label(OneOf):
    """The one label that occurs: 2-2, 2-4. A gold that is no option is not judged."""

    options: Sequence[str]
    mark: str
    reference: Callable[[str], str] = gold.as_it_is
    what = "label"

    def read(self, response: str) -> Answer[str]:
        start, text = area_of(response, self.mark, wrapper=fix.WRAPPER in self.fixes)
        named = [option for option in self.options if option in text]
        return _one_of(named, partial(_places_of, named, text, start))

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        expected = self.expected(sample)
        if expected != gold.NOT_AN_OPTION:
            return super().score(sample, answer)
        explain = partial(_explain_one, self.what, answer, expected, judged=False)
        return Score(self.left_out(ACCURACY), explain)

    def expected(self, sample: LawBenchSample) -> str:
        return self.reference(sample.answer)


def overlap(expected: frozenset[T], given: frozenset[T]) -> float:
    """F1 of the gold set and the answer's (lawbench.md 1.2)."""
    common = len(expected & given)
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(expected)
    return 2 * precision * recall / (precision + recall)


def set_of(members: Iterable[T], where: Callable[[], Mapping[T, Spans]]) -> Answer[frozenset[T]]:
    """Everything that was named; nothing is an abstention."""
    named = frozenset(members)
    return Answer(named, where=where) if named else Answer(None, AnswerStatus.ABSTAINED)


@dataclass(frozen=True)
class LabelSet(LawBenchRules[frozenset[str]]):
    """Every label that occurs, as F1 (lawbench.md 2-3, 2-9).

    Quirk: labels copied from the prompt count too.
    """

    options: Sequence[str]
    reference: Callable[[str], frozenset[str]]
    mark: str = ""
    what = "label"

    def read(self, response: str) -> Answer[frozenset[str]]:
        start, text = area_of(response, self.mark, wrapper=fix.WRAPPER in self.fixes)
        named = [option for option in self.options if option in text]
        return set_of(named, partial(_places_of, named, text, start))

    def score(self, sample: LawBenchSample, answer: Answer[frozenset[str]]) -> Score:
        expected = self.reference(sample.answer)
        return Score(
            {F1: overlap(expected, answer.value or frozenset())},
            lambda: Trace("elements", of_sets(self.what, expected, answer.where())),
        )


@dataclass(frozen=True)
class Charges(LawBenchRules[frozenset[str]]):
    """Every charge that occurs, as F1 (lawbench.md 3-3).

    Quirks: 合同诈骗 names 诈骗 too; 13 charges are unknown.
    """

    @cached_property
    def _options(self) -> tuple[str, ...]:
        options = CHARGES + (MISSING_CHARGES if fix.CHARGES in self.fixes else ())
        return tuple(sorted(options, key=len, reverse=True))

    def read(self, response: str) -> Answer[frozenset[str]]:
        return set_of(
            (charge for charge, _ in self._named(response)),
            lambda: {charge: places(rest, charge) for charge, rest in self._named(response)},
        )

    def _named(self, rest: str) -> Iterator[tuple[str, str]]:
        """The longest first, each with the text in which it stands: by the fix `longest` a charge
        takes its letters from those inside it."""
        for charge in self._options:
            if charge in rest:
                yield charge, rest
                if fix.LONGEST in self.fixes:
                    rest = rest.replace(charge, "\n" * len(charge))

    def score(self, sample: LawBenchSample, answer: Answer[frozenset[str]]) -> Score:
        expected = gold.charges(sample.answer)
        return Score(
            {F1: overlap(expected, answer.value or frozenset())},
            lambda: Trace("elements", of_sets("charge", expected, answer.where())),
        )
