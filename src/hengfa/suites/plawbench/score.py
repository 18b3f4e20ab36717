"""From a response and what graders said of it to metrics, and from metrics to figures.

A rate is points out of points, summed over samples before it is divided
(docs/benchmarks/plawbench.md 5). Where no grader was asked every metric that needs one is None: a
response that nobody graded is no zero. Items that a grader left out count as zero in `rate` and as
full in `lenient_rate`; both are given, always.

The official rules take points as graders give them, as upstream does, which leaves order and
evidence to the judge: it may award a step that stands in the wrong place, and words that nobody
wrote. Each fix of the corrected rules repairs one of these. Form (how many questions, which parts,
which document, how long) is reported with every answer and costs nothing: no source says what it
should.

A consultation is graded by its first questions, 25 or 50 of them (docs/benchmarks/plawbench.md 2);
everything else is graded as it came. Headings that were asked for are no condition for points: an
item counts wherever its words stand.

Dimensions are the four parts of a case analysis and the three weights of a consultation's points
(decisive 3, substantial 2, detail 1; docs/benchmarks/plawbench.md 3). The items of a document have
none: those of the paper's table 1 are not attached to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast

from hengfa.grading.marking import Choices, mark
from hengfa.grading.marks import UNBACKED, Flag, ItemMark, Mark
from hengfa.grading.panel import combine
from hengfa.grading.submission import Submission
from hengfa.grading.verdict import Sheet
from hengfa.results.figures import Pooled
from hengfa.results.trace import Trace
from hengfa.suites.base import (
    BACKED_RATE,
    LENIENT_RATE,
    UNGRADED_RATE,
    Answer,
    Fixes,
    FunctionRules,
    Graded,
    Metrics,
    RuleSet,
    Sample,
)
from hengfa.suites.plawbench import extract
from hengfa.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PACK,
    PLAINTIFF,
    PLawBenchSample,
)
from hengfa.suites.plawbench.extract import CLAIM, DEFENCE, PARTS, Document, Parts, Questions
from hengfa.suites.plawbench.prompts import LENGTH
from hengfa.suites.rubric_findings import as_seen, findings_of, placed_by_line

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck


ORDER = "order"
EVIDENCE = "evidence"
FIXES = {
    ORDER: "a step that stands before one that must precede it earns nothing, whatever was awarded",
    EVIDENCE: "an award whose quoted words are missing or not in the response earns nothing",
}
RATE: Final = "rate"
POINTS, LENIENT, BACKED, MAXIMUM = "points", "lenient_points", "backed_points", "maximum"
ITEMS, UNGRADED, ORDER_COST = "items", "ungraded", "order_cost"
PENALISED, WRONG_LAW = "penalised", "wrong_law"
_POINTS, _MAXIMUM, _RATE = "_points", "_maximum", "_rate"
"""What a dimension's metrics and figures end with."""
QUESTIONS, IN_RANGE = "questions", "questions_ok"
PRESENT: Final = "parts"
LENGTH_OF, LENGTH_OK, KIND_OK = "length", "length_ok", "kind_ok"
WEIGHTS: Final[Mapping[str, float]] = {"plc": 0.2, "pca": 0.5, "ldg": 0.3}
"""How much each task counts in the overall figure."""
WHOLE: Final = "document"
QUESTION_WEIGHTS: Final = ("decisive", "substantial", "detail")
DIMENSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    CONSULTATION: QUESTION_WEIGHTS,
    CASE: PARTS,
    PLAINTIFF: (WHOLE,),
    DEFENDANT: (WHOLE,),
}
"""By task; what a document has is one."""
_DECISIVE: Final = 3
_SUBSTANTIAL: Final = 2
_LAW_FLAGS: Final = frozenset({Flag.NO_SUCH_LAW, Flag.NOT_IN_FORCE, Flag.MISQUOTED})
V = TypeVar("V", Questions, Parts, Document)


def sentences(*names: str) -> dict[str, str]:
    """The fixes of a task, by name."""
    return {name: FIXES[name] for name in names}


def submission(sample: PLawBenchSample, response: str) -> Submission:
    """The response to a sample as it goes before graders."""
    return Submission(
        key=f"{PACK}/{sample.task}/{sample.id}",
        question="\n\n".join(filter(None, (sample.facts, sample.question))),
        response=graded_text(sample, response),
        rubric=sample.rubric,
    )


def graded_text(sample: PLawBenchSample, response: str) -> str:
    if sample.task != CONSULTATION:
        return response
    questions = extract.consultation(response).value
    return questions.first(sample.asked.most) if questions and questions.questions else response


def consultation_rules(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Questions]:
    """`consultation`: how many questions there are, and whether that is as many as asked for."""

    def form(sample: PLawBenchSample, value: Questions) -> Metrics:
        number = len(value.questions)
        in_range = sample.asked.least <= number <= sample.asked.most
        return {QUESTIONS: float(number), IN_RANGE: float(in_range)}

    return _rule_set(CONSULTATION, fixes, extract.consultation, form)


def case_rules(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Parts]:
    """`case`: how many of the four parts are there."""

    def form(_sample: PLawBenchSample, value: Parts) -> Metrics:
        return {PRESENT: float(len(PARTS) - len(value.missing))}

    return _rule_set(CASE, fixes, extract.case, form)


def plaintiff_rules(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Document]:
    """`plaintiff`: how long the document is, and whether it is a statement of claim."""
    return _rule_set(PLAINTIFF, fixes, extract.document, _document_form(CLAIM))


def defendant_rules(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Document]:
    """`defendant`: how long the document is, and whether it is a defence."""
    return _rule_set(DEFENDANT, fixes, extract.document, _document_form(DEFENCE))


def _document_form(kind: str) -> Callable[[PLawBenchSample, Document], Metrics]:
    least, most = LENGTH

    def form(_sample: PLawBenchSample, value: Document) -> Metrics:
        return {
            LENGTH_OF: float(value.length),
            LENGTH_OK: float(least <= value.length <= most),
            KIND_OK: float(value.kind == kind),
        }

    return form


def _rule_set(
    task: str,
    fixes: Fixes,
    read: Callable[[str], Answer[V]],
    form: Callable[[PLawBenchSample, V], Metrics],
) -> RuleSet[PLawBenchSample, V]:
    order, evidence = ORDER in fixes, EVIDENCE in fixes
    graders: dict[str, None] = {}

    def scored(given: Sample, answer: Answer[V]) -> Metrics:
        sample, sheets = _parted(given)
        value = answer.value
        if value is None:  # extraction always has one
            return graded_names(task)
        graders.update(dict.fromkeys(sheet.grader for sheet in sheets))
        graded = (
            graded_metrics(
                sample,
                value.text,
                sheets,
                order=order,
                evidence=evidence,
                law=_law_check() if sample.law else None,
            )
            if sheets
            else graded_names(task)
        )
        return {**graded, **form(sample, value)}

    def silence(given: Sample) -> Metrics:
        """Zero where answers are graded; where nobody grades, nothing is known of silence too."""
        if isinstance(given, Graded):
            return zero_metrics(_parted(given)[0])
        return graded_names(task)

    def trace(given: Sample, response: str) -> Trace:
        sample, sheets = _parted(given)
        law = _law_check() if sample.law and sheets else None
        return item_trace(sample, response, sheets, order=order, evidence=evidence, law=law)

    return FunctionRules(
        read,
        scored,
        silence,
        pooled=POOLED,
        more=more_figures(task),
        instrument_=lambda: "+".join(f"grader:{name}" for name in graders) or "ungraded",
        trace=trace,
    )


def _parted(given: Sample) -> tuple[PLawBenchSample, tuple[Sheet, ...]]:
    """A graded sample and its sheets; one that nobody graded has none."""
    if isinstance(given, Graded):
        return cast("PLawBenchSample", given.sample), given.sheets
    return cast("PLawBenchSample", given), ()


def _law_check() -> LawCheck:
    from hengfa.library.store import default_file  # noqa: PLC0415 - for those who look law up

    return _opened(default_file())


@lru_cache(maxsize=1)
def _opened(library: Path) -> LawCheck:
    """One for all samples: opening takes a moment, and what was looked up is kept."""
    from hengfa.grading.statutes import LawCheck  # noqa: PLC0415
    from hengfa.library.store import Library  # noqa: PLC0415

    return LawCheck(Library.open(library))


def marked(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    law: LawCheck | None = None,
) -> Mark:
    """One mark from what all graders said."""
    graded = submission(sample, response)
    marks = [mark(graded, sheet, Choices(order=order, law=law)) for sheet in sheets]
    return marks[0] if len(marks) == 1 else combine(marks, sample.panel)


def graded_metrics(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    evidence: bool,
    law: LawCheck | None = None,
) -> Metrics:
    """All metrics of a graded response.

    `order` enforces the order of steps; `evidence` leaves awards out that have none. What order
    costs is measured either way. With `law`, wrong citations behind awards are counted.
    """
    ordered = marked(sample, response, sheets, order=True, law=law)
    free = marked(sample, response, sheets, order=False)
    chosen = ordered if order else free
    points = chosen.backed if evidence else chosen.points
    metrics: dict[str, float | None] = {
        RATE: share(points, chosen.maximum),
        POINTS: points,
        LENIENT: points + chosen.lenient - chosen.points,
        BACKED: chosen.backed,
        MAXIMUM: chosen.maximum,
        ITEMS: float(len(chosen.items())),
        UNGRADED: float(chosen.ungraded),
        ORDER_COST: free.points - ordered.points,
        PENALISED: float(_is_penalised(sample, chosen)),
        WRONG_LAW: None if law is None else float(_wrong_law(ordered)),
    }
    for name, part in by_dimension(sample.task, chosen).items():
        metrics[name + _POINTS] = part.backed if evidence else part.points
        metrics[name + _MAXIMUM] = part.maximum
    # An item counts as misplaced wherever order is asked for, whether or not that cost points.
    counted = fates(sample.task, ordered)
    for name in DIMENSIONS[sample.task]:
        for fate in Fate:
            metrics[f"{name}_{fate}"] = float(counted[name, fate])
    return metrics


def zero_metrics(sample: PLawBenchSample) -> Metrics:
    """Silence: nothing out of everything, and every item at zero."""
    nothing = _unanswered(sample)
    metrics = dict(graded_names(sample.task))
    for name, part in by_dimension(sample.task, nothing).items():
        metrics |= {name + _POINTS: 0.0, name + _MAXIMUM: part.maximum}
        metrics |= {f"{name}_{fate}": 0.0 for fate in Fate}
    for (name, _), number in fates(sample.task, nothing).items():
        metrics[f"{name}_{Fate.ZERO}"] = float(number)
    zeros = (RATE, POINTS, LENIENT, BACKED, UNGRADED, ORDER_COST, PENALISED)
    return (
        metrics
        | dict.fromkeys(zeros, 0.0)
        | {
            MAXIMUM: nothing.maximum,
            ITEMS: float(len(nothing.items())),
        }
    )


def graded_names(task: str) -> dict[str, float | None]:
    """Every metric that needs a grader, without a value: nobody was asked."""
    names = [RATE, POINTS, LENIENT, BACKED, MAXIMUM, ITEMS, UNGRADED]
    names += [ORDER_COST, PENALISED, WRONG_LAW]
    for dimension in DIMENSIONS[task]:
        names += [dimension + _POINTS, dimension + _MAXIMUM]
        names += [f"{dimension}_{fate}" for fate in Fate]
    return dict.fromkeys(names)


def _unanswered(sample: PLawBenchSample) -> Mark:
    """The mark of a response of which no item has an award: it has every maximum."""
    return mark(submission(sample, ""), Sheet(""))


def _is_penalised(sample: PLawBenchSample, whole: Mark) -> bool:
    penalties = {penalty.id for penalty in sample.rubric.penalties}
    return not penalties.isdisjoint(whole.faults)


def _wrong_law(whole: Mark) -> int:
    return sum(not _LAW_FLAGS.isdisjoint(item.flags) for item in whole.items())


def item_trace(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    evidence: bool,
    law: LawCheck | None = None,
) -> Trace:
    """What each grader found, by the rules that scored it.

    Of a consultation graders see the questions that count; their words are found in the response.
    """
    seen = submission(sample, response)
    choices = Choices(order=order, law=law)
    marks = [(sheet.grader, mark(seen, sheet, choices)) for sheet in sheets]
    placed = as_seen if seen.response == response else placed_by_line(seen.response, response)
    return findings_of(sample.rubric, marks, backed=evidence, placed=placed)


class Fate(StrEnum):
    """What became of an item; one and only one of these."""

    UNGRADED = "ungraded"
    OUT_OF_ORDER = "out_of_order"
    UNBACKED = "unbacked"
    FULL = "full"
    PARTIAL = "partial"
    ZERO = "zero"


class Part(NamedTuple):
    """The points of a dimension, as they count and with evidence only, out of the maximum."""

    points: float
    backed: float
    maximum: float


def fate_of(item: ItemMark) -> Fate:
    """Without an award, before what must precede it, without evidence, or by its points."""
    if item.awarded is None:
        return Fate.UNGRADED
    if Flag.OUT_OF_ORDER in item.flags:
        return Fate.OUT_OF_ORDER
    if item.points <= 0:
        return Fate.ZERO
    if UNBACKED.intersection(item.flags):
        return Fate.UNBACKED
    return Fate.FULL if item.points >= item.maximum else Fate.PARTIAL


def by_dimension(task: str, mark: Mark) -> dict[str, Part]:
    """Points by dimension: of a case its sections, with their caps; else sums of items."""
    if task == CASE:
        return {
            name: Part(section.points, section.backed, section.maximum)
            for name, section in zip(PARTS, mark.sections, strict=True)
        }
    if task != CONSULTATION:
        return {WHOLE: Part(mark.points, mark.backed, mark.maximum)}
    found = dict.fromkeys(QUESTION_WEIGHTS, Part(0.0, 0.0, 0.0))
    for item in mark.items():
        before = found[_weight(item)]
        found[_weight(item)] = Part(
            before.points + item.points,
            before.backed + item.backed,
            before.maximum + item.maximum,
        )
    return found


def fates(task: str, mark: Mark) -> Counter[tuple[str, Fate]]:
    """How many items of each dimension came to what."""
    if task == CASE:
        return Counter(
            (name, fate_of(item))
            for name, section in zip(PARTS, mark.sections, strict=True)
            for item in section.items
        )
    if task == CONSULTATION:
        return Counter((_weight(item), fate_of(item)) for item in mark.items())
    return Counter((WHOLE, fate_of(item)) for item in mark.items())


def _weight(item: ItemMark) -> str:
    if item.maximum >= _DECISIVE:
        return QUESTION_WEIGHTS[0]
    return QUESTION_WEIGHTS[1] if item.maximum >= _SUBSTANTIAL else QUESTION_WEIGHTS[2]


def share(part: float, whole: float) -> float:
    """Nothing out of nothing is nothing."""
    return part / whole if whole else 0.0


POOLED: Final = Pooled((POINTS, MAXIMUM), share)


def more_figures(task: str) -> dict[str, Pooled]:
    """The other rates of a task: the band, what has evidence, the share ungraded, dimensions."""
    found = {
        LENIENT_RATE: Pooled((LENIENT, MAXIMUM), share),
        BACKED_RATE: Pooled((BACKED, MAXIMUM), share),
        UNGRADED_RATE: Pooled((UNGRADED, ITEMS), share),
        "order_cost_rate": Pooled((ORDER_COST, MAXIMUM), share),
    }
    for name in DIMENSIONS[task]:
        found[name + _RATE] = Pooled((name + _POINTS, name + _MAXIMUM), share)
    return found


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The three tasks under the paper's names and the overall, each where its parts are there."""
    found: dict[str, float] = {}
    if CONSULTATION in task_scores:
        found["plc"] = task_scores[CONSULTATION]
    if CASE in task_scores:
        found["pca"] = task_scores[CASE]
    if PLAINTIFF in task_scores and DEFENDANT in task_scores:
        found["ldg"] = (task_scores[PLAINTIFF] + task_scores[DEFENDANT]) / 2
    if found.keys() == WEIGHTS.keys():
        found["overall"] = sum(weight * found[name] for name, weight in WEIGHTS.items())
    return found
