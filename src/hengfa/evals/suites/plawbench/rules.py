"""From a response and what graders said of it to metrics, and from metrics to figures.

A rate is points out of points, summed over samples before it is divided
(plawbench.md 5). Where no grader was asked every metric that needs one is None: a
response that nobody graded is no zero. A response of which a grader left items out has no rate, but
two ends of one: `points` with these as nothing, `lenient_points` with them as full.

Both rule sets mark by the way that was chosen (:mod:`hengfa.evals.grading.marking`), which is
`paper` with penalties unless a user says otherwise: upstream leaves this arithmetic to its judge,
and the paper says how it is meant. What every way makes of the same verdicts, with penalties and
without, is given beside the score. The official rules take an award as graders give it, also for
words that nobody wrote; the fix of the corrected rules leaves those out. Form (how many questions,
which parts, which document, how long) is reported with every answer and costs nothing: no source
says what it should.

A consultation is graded by its first questions, 25 or 50 of them (plawbench.md 2);
everything else is graded as it came. Headings that were asked for are no condition for points: an
item counts wherever its words stand.

Dimensions are the four parts of a case analysis, the three weights of a consultation's points
(decisive 3, substantial 2, detail 1; plawbench.md 3) and the kinds of a document's sections
(:mod:`hengfa.evals.suites.plawbench.abilities`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeVar

from hengfa.base.statistics.evidence import left_to_right
from hengfa.evals.grading.error_types import (
    Errors,
    GradedAnswer,
    error_metrics,
    errors_of,
    metric_names,
)
from hengfa.evals.grading.graded import GradedResponse
from hengfa.evals.grading.marking import Choices, Way, mark_verdict
from hengfa.evals.grading.rubric import (
    UNBACKED,
    Flag,
    ItemMark,
    Mark,
    Rubric,
    SectionMark,
    earns_all,
)
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Verdict
from hengfa.evals.results.figures import Graded, Pooled
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites.base import (
    BACKED_RATE,
    Answer,
    Fixes,
    GradedRuleSet,
    Metrics,
    OtherReading,
    Score,
)
from hengfa.evals.suites.findings import (
    as_seen,
    findings_of,
    nobody_asked,
    placed_by_line,
    with_errors,
)
from hengfa.evals.suites.plawbench import extract
from hengfa.evals.suites.plawbench.abilities import DIMENSIONS, section_kind
from hengfa.evals.suites.plawbench.abilities import WEIGHTS as QUESTION_WEIGHTS
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DECISIVE,
    DEFENDANT,
    LENGTH,
    PACK,
    PLAINTIFF,
    PLawBenchSample,
)
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES
from hengfa.evals.suites.plawbench.extract import CLAIM, DEFENCE, PARTS, Document, Parts, Questions

if TYPE_CHECKING:
    from hengfa.evals.grading.statutes import LawCheck


EVIDENCE = "evidence"
FIXES = {EVIDENCE: "an award whose quoted words are missing or not in the response earns nothing"}
RATE: Final = "rate"
POINTS, LENIENT, BACKED, MAXIMUM = "points", "lenient_points", "backed_points", "maximum"
ITEMS, UNGRADED = "items", "ungraded"
PENALISED, WRONG_LAW, ALL_PASS = "penalised", "wrong_law", "all_pass"
_POINTS, _MAXIMUM, _RATE = "_points", "_maximum", "_rate"
"""What a dimension's metrics and figures end with."""
WITHOUT: Final = "_without_penalties"
QUESTIONS, IN_RANGE = "questions", "questions_ok"
PRESENT: Final = "parts"
LENGTH_OF, LENGTH_OK, KIND_OK = "length", "length_ok", "kind_ok"
WEIGHTS: Final[Mapping[str, float]] = {"plc": 0.2, "pca": 0.5, "ldg": 0.3}
"""How much each task counts in the overall figure."""
_TASKS_OF: Final = {"plc": (CONSULTATION,), "pca": (CASE,), "ldg": (PLAINTIFF, DEFENDANT)}
_SUBSTANTIAL: Final = 2
_LAW_FLAGS: Final = frozenset({Flag.NO_SUCH_LAW, Flag.NOT_IN_FORCE, Flag.MISQUOTED})
V = TypeVar("V", bound=Questions | Parts | Document)


def submission(sample: PLawBenchSample, response: str) -> Submission:
    """The response to a sample as it goes before graders; of a consultation the first questions."""
    if sample.task == CONSULTATION and (questions := extract.read_questions(response)):
        response = Questions(response, questions).first(sample.asked.most)
    return Submission(
        key=f"{PACK}/{sample.task}/{sample.id}",
        question="\n\n".join(filter(None, (sample.facts, sample.question))),
        response=response,
        rubric=sample.rubric,
    )


def share(part: float, whole: float) -> float:
    """Nothing out of nothing is nothing."""
    return part / whole if whole else 0.0


POOLED: Final = Pooled((POINTS, MAXIMUM), share)
_MOST: Final = Pooled((LENIENT, MAXIMUM), share)
OPEN: Final = Graded(Pooled((UNGRADED, ITEMS), share), least=POOLED, most=_MOST)
"""What graders may leave open of a rate."""


WAYS: Final = tuple((way, penalties) for penalties in (True, False) for way in Way)
"""All ways of marking, with penalties and without."""


def points_by(way: Way, penalties: bool) -> str:
    """The metric that has a sample's points by this way."""
    return f"{POINTS}_{way}{'' if penalties else WITHOUT}"


def rate_by(way: Way, penalties: bool) -> str:
    """The figure of these points."""
    return f"{RATE}_{way}{'' if penalties else WITHOUT}"


READINGS: Final = {
    "marking=longest": OtherReading(
        rate_by(Way.LONGEST, penalties=True), "the longest run of steps in order keeps its points"
    ),
    "marking=unordered": OtherReading(
        rate_by(Way.UNORDERED, penalties=True), "the order of steps is not looked at"
    ),
    "penalties=off": OtherReading(
        rate_by(Way.PAPER, penalties=False), "nothing is taken from the whole"
    ),
}
"""What else the paper's words may mean; each moves the score of `marking=paper` with penalties."""


def more_figures(task: str) -> dict[str, Pooled]:
    """The other rates of a task: what has evidence, every way of marking, dimensions."""
    rates = {BACKED_RATE: Pooled((BACKED, MAXIMUM), share)}
    for way in WAYS:
        rates[rate_by(*way)] = Pooled((points_by(*way), MAXIMUM), share)
    for name in DIMENSIONS[task]:
        rates[name + _RATE] = Pooled((name + _POINTS, name + _MAXIMUM), share)
    return rates


class Fate(StrEnum):
    """What became of an item; one and only one of these."""

    UNGRADED = "ungraded"
    OUT_OF_ORDER = "out_of_order"
    AFTER_A_GAP = "after_a_gap"
    UNBACKED = "unbacked"
    FULL = "full"
    PARTIAL = "partial"
    ZERO = "zero"


def fate_of(item: ItemMark) -> Fate:
    """Without an award, lost to order, without evidence, or by its points."""
    if item.awarded is None:
        return Fate.UNGRADED
    if Flag.OUT_OF_ORDER in item.flags:
        return Fate.OUT_OF_ORDER
    if Flag.AFTER_A_GAP in item.flags:
        return Fate.AFTER_A_GAP
    if item.points <= 0:
        return Fate.ZERO
    if UNBACKED.intersection(item.flags):
        return Fate.UNBACKED
    return Fate.FULL if item.points >= item.maximum else Fate.PARTIAL


class Dimension(NamedTuple):
    """Points as they count and with evidence only, out of the maximum; and the items."""

    points: float
    backed: float
    maximum: float
    items: tuple[ItemMark, ...]

    @classmethod
    def of(
        cls, parts: Sequence[ItemMark] | Sequence[SectionMark], items: Iterable[ItemMark]
    ) -> Dimension:
        """Parts of an answer together."""
        return cls(
            left_to_right(part.points for part in parts),
            left_to_right(part.backed for part in parts),
            left_to_right(part.maximum for part in parts),
            tuple(items),
        )

    def fates(self) -> Counter[Fate]:
        """How many items came to what."""
        return Counter(fate_of(item) for item in self.items)


def graded_names(task: str) -> list[str]:
    """Every metric that needs a grader."""
    names = [RATE, POINTS, LENIENT, BACKED, MAXIMUM, ITEMS, UNGRADED]
    names += [points_by(*way) for way in WAYS]
    names += [PENALISED, WRONG_LAW, ALL_PASS]
    names += metric_names(ERROR_TYPES[task])
    for dimension in DIMENSIONS[task]:
        names += [dimension + _POINTS, dimension + _MAXIMUM]
        names += [f"{dimension}_{fate}" for fate in Fate]
    return names


class PLawBenchRules(GradedRuleSet[PLawBenchSample, V]):
    """What the rules of all tasks share: marks to metrics, silence, findings. The fix `evidence`
    leaves awards out that have none. Each grader's verdict is marked by every way, so that what a
    way costs can be seen on the same answers."""

    task: ClassVar[str]
    pooled = POOLED
    graded = OPEN

    def __init__(self, fixes: Fixes, _data: Path | None = None) -> None:
        self.more = more_figures(self.task)
        self._evidence = EVIDENCE in fixes

    @abstractmethod
    def form(self, sample: PLawBenchSample, value: V) -> Metrics:
        """What can be said of an answer without a grader."""

    @abstractmethod
    def dimensions(self, rubric: Rubric, mark: Mark) -> Mapping[str, Dimension]:
        """A mark by the dimensions of the task."""

    def score(self, sample: PLawBenchSample, answer: Answer[V]) -> Score:
        metrics: dict[str, float | None] = dict.fromkeys(graded_names(self.task))
        if answer.value is not None:
            metrics |= self.form(sample, answer.value)
            metrics |= error_metrics(self._errors(sample, answer.value, None))
        return Score(metrics, nobody_asked)

    def grade(self, sample: PLawBenchSample, answer: Answer[V], graded: GradedResponse) -> Score:
        value = answer.value
        if value is None:  # a response always has one
            return self.score(sample, answer)
        law = _law_check() if sample.law else None
        marks = {way: graded.mark(Choices(*way, law)) for way in WAYS}
        errors = self._errors(sample, value, marks[Way.LONGEST, True])
        return Score(
            {**self._metrics(sample, marks), **self.form(sample, value), **error_metrics(errors)},
            partial(self._explain, value.text, graded, Choices(sample.marking, law=law), errors),
        )

    def silence(self, sample: PLawBenchSample) -> Metrics:
        """Nothing out of everything, and every item at zero."""
        asked = Submission(key="", question="", response="", rubric=sample.rubric)
        nothing = mark_verdict(asked, Verdict(()))
        metrics: dict[str, float | None] = dict.fromkeys(graded_names(self.task))
        for name, dimension in self.dimensions(sample.rubric, nothing).items():
            metrics |= {name + _POINTS: 0.0, name + _MAXIMUM: dimension.maximum}
            metrics |= {f"{name}_{fate}": 0.0 for fate in Fate}
            metrics[f"{name}_{Fate.ZERO}"] = float(len(dimension.items))
        zeros = (RATE, POINTS, LENIENT, BACKED, UNGRADED, PENALISED, ALL_PASS)
        metrics |= {points_by(*way): 0.0 for way in WAYS}
        all_there_is = {MAXIMUM: nothing.maximum, ITEMS: float(len(nothing.items()))}
        return metrics | dict.fromkeys(zeros, 0.0) | all_there_is

    def _metrics(self, sample: PLawBenchSample, marks: Mapping[tuple[Way, bool], Mark]) -> Metrics:
        chosen = marks[sample.marking, True]
        items = chosen.items()
        points = chosen.backed if self._evidence else chosen.points
        passed = earns_all(sample.rubric, chosen, backed=self._evidence)
        wrong_law = sum(not _LAW_FLAGS.isdisjoint(item.flags) for item in items)
        metrics: dict[str, float | None] = {
            RATE: share(points, chosen.maximum),
            POINTS: points,
            LENIENT: points + chosen.lenient - chosen.points,
            BACKED: chosen.backed,
            MAXIMUM: chosen.maximum,
            ITEMS: float(len(items)),
            UNGRADED: float(chosen.ungraded),
            PENALISED: float(any(one.id in chosen.faults for one in sample.rubric.penalties)),
            WRONG_LAW: float(wrong_law) if sample.law else None,
            ALL_PASS: None if passed is None else float(passed),
        }
        for way, mark in marks.items():
            metrics[points_by(*way)] = mark.backed if self._evidence else mark.points
        for name, dimension in self.dimensions(sample.rubric, chosen).items():
            metrics[name + _POINTS] = dimension.backed if self._evidence else dimension.points
            metrics[name + _MAXIMUM] = dimension.maximum
            counted = dimension.fates()
            metrics |= {f"{name}_{fate}": float(counted[fate]) for fate in Fate}
        if chosen.lenient == chosen.points:
            return metrics
        ends = (POINTS, LENIENT, MAXIMUM, ITEMS, UNGRADED)
        known = {name for name in metrics if name in ends or name.endswith(_MAXIMUM)}
        return {name: value if name in known else None for name, value in metrics.items()}

    def _errors(self, sample: PLawBenchSample, value: V, mark: Mark | None) -> Errors:
        """Which error types the answer has; those of form and of law need no grader. The mark is
        that by the longest run: only the steps that stand in the wrong place are flagged, whichever
        way of marking was chosen."""
        cited = _law_check().citations(value.text, None) if sample.law else None
        answer = GradedAnswer(sample.rubric, mark, sample, value, cited)
        return errors_of(ERROR_TYPES[self.task], answer)

    def _explain(
        self, response: str, graded: GradedResponse, choices: Choices, errors: Errors
    ) -> Trace:
        """What each grader said, and the errors that follow. Of a consultation graders see the
        questions that count; their words are looked for in the response."""
        seen = graded.submission
        placed = as_seen if seen.response == response else placed_by_line(seen.response, response)
        marks = graded.marks(choices)
        trace = findings_of(seen.rubric, marks, backed=self._evidence, placed=placed)
        return with_errors(trace, ERROR_TYPES[self.task], errors, placed)


class ConsultationRules(PLawBenchRules[Questions]):
    """How many questions there are, and whether that is as many as asked for."""

    task = CONSULTATION

    def read(self, response: str) -> Answer[Questions]:
        return extract.consultation(response)

    def form(self, sample: PLawBenchSample, value: Questions) -> Metrics:
        number = len(value.questions)
        in_range = sample.asked.least <= number <= sample.asked.most
        return {QUESTIONS: float(number), IN_RANGE: float(in_range)}

    def dimensions(self, _rubric: Rubric, mark: Mark) -> Mapping[str, Dimension]:
        """Questions by their weight."""
        items: dict[str, list[ItemMark]] = {name: [] for name in QUESTION_WEIGHTS}
        for item in mark.items():
            items[_weight(item)].append(item)
        return {name: Dimension.of(group, group) for name, group in items.items()}


def _weight(item: ItemMark) -> str:
    decisive, substantial, detail = QUESTION_WEIGHTS
    if item.maximum >= DECISIVE:
        return decisive
    return substantial if item.maximum >= _SUBSTANTIAL else detail


class CaseRules(PLawBenchRules[Parts]):
    """How many of the four parts are there."""

    task = CASE

    def read(self, response: str) -> Answer[Parts]:
        return extract.case(response)

    def form(self, _sample: PLawBenchSample, value: Parts) -> Metrics:
        return {PRESENT: float(len(PARTS) - len(value.missing))}

    def dimensions(self, _rubric: Rubric, mark: Mark) -> Mapping[str, Dimension]:
        """The four parts are sections, with their caps."""
        sections = zip(PARTS, mark.sections, strict=True)
        return {name: Dimension.of([section], section.items) for name, section in sections}


class DocumentRules(PLawBenchRules[Document]):
    """How long the document is, and whether it is of the kind that was asked for."""

    kind: ClassVar[str]

    def read(self, response: str) -> Answer[Document]:
        return extract.document(response)

    def form(self, _sample: PLawBenchSample, value: Document) -> Metrics:
        least, most = LENGTH
        return {
            LENGTH_OF: float(value.length),
            LENGTH_OK: float(least <= value.length <= most),
            KIND_OK: float(value.kind == self.kind),
        }

    def dimensions(self, rubric: Rubric, mark: Mark) -> Mapping[str, Dimension]:
        """Sections by what they are about."""
        kinds: dict[str, list[SectionMark]] = {name: [] for name in DIMENSIONS[self.task]}
        for section, marked in zip(rubric.sections, mark.sections, strict=True):
            kinds[section_kind(self.task, section)].append(marked)
        return {
            name: Dimension.of(sections, [item for section in sections for item in section.items])
            for name, sections in kinds.items()
        }


class PlaintiffRules(DocumentRules):
    task = PLAINTIFF
    kind = CLAIM


class DefendantRules(DocumentRules):
    task = DEFENDANT
    kind = DEFENCE


def _law_check() -> LawCheck:
    from hengfa.evals.grading.statutes import check_by  # noqa: PLC0415 - for those who look law up
    from hengfa.law.library.store import default_file  # noqa: PLC0415

    return check_by(default_file())


# --- the figures of the suite ---


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The three tasks under the paper's names and the overall, each where its parts are there."""
    named = {
        name: sum(task_scores[task] for task in tasks) / len(tasks)
        for name, tasks in _TASKS_OF.items()
        if task_scores.keys() >= {*tasks}
    }
    if named.keys() == WEIGHTS.keys():
        named["overall"] = sum(weight * named[name] for name, weight in WEIGHTS.items())
    return named
