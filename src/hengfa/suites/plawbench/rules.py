"""Extraction and scoring tied together, one function for each task: fixes in, rule set out.

The official rules take points as graders give them, as upstream does; the order of steps is then
left to the grader, and an award needs no evidence. Form (how many questions, which parts, which
document, how long) is reported with every answer and costs nothing: no source says what it should.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from hengfa.grading.verdict import Sheet
from hengfa.results.trace import Trace
from hengfa.suites.base import Answer, Fixes, Graded, Metrics, RuleSet, Sample
from hengfa.suites.plawbench import extract, score, tracing
from hengfa.suites.plawbench import fixes as fix
from hengfa.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PLAINTIFF,
    PLawBenchSample,
)
from hengfa.suites.plawbench.extract import Questions
from hengfa.suites.plawbench.extract_document import CLAIM, DEFENCE, Document
from hengfa.suites.plawbench.extract_parts import PARTS, Parts
from hengfa.suites.plawbench.prompts import LENGTH

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck

V = TypeVar("V", Questions, Parts, Document)
QUESTIONS, IN_RANGE = "questions", "questions_ok"
PRESENT: Final = "parts"
LENGTH_OF, LENGTH_OK, KIND_OK = "length", "length_ok", "kind_ok"


def consultation(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Questions]:
    """`consultation`: how many questions there are, and whether that is as many as asked for."""

    def form(sample: PLawBenchSample, value: Questions) -> Metrics:
        number = len(value.questions)
        in_range = sample.asked.least <= number <= sample.asked.most
        return {QUESTIONS: float(number), IN_RANGE: float(in_range)}

    return _rule_set(CONSULTATION, fixes, extract.consultation, form)


def case(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Parts]:
    """`case`: how many of the four parts are there."""

    def form(_sample: PLawBenchSample, value: Parts) -> Metrics:
        return {PRESENT: float(len(PARTS) - len(value.missing))}

    return _rule_set(CASE, fixes, extract.case, form)


def plaintiff(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Document]:
    """`plaintiff`: how long the document is, and whether it is a statement of claim."""
    return _rule_set(PLAINTIFF, fixes, extract.document, _document_form(CLAIM))


def defendant(fixes: Fixes, _data: Path | None) -> RuleSet[PLawBenchSample, Document]:
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
    order, evidence = fix.ORDER in fixes, fix.EVIDENCE in fixes
    graders: dict[str, None] = {}

    def scored(given: Sample, answer: Answer[V]) -> Metrics:
        sample, sheets = _parted(given)
        value = answer.value
        if value is None:  # extraction always has one
            return score.graded_names(task)
        graders.update(dict.fromkeys(sheet.grader for sheet in sheets))
        graded = (
            score.graded_metrics(
                sample,
                value.text,
                sheets,
                order=order,
                evidence=evidence,
                law=_law_check() if sample.law else None,
            )
            if sheets
            else score.graded_names(task)
        )
        return {**graded, **form(sample, value)}

    def silence(given: Sample) -> Metrics:
        """Zero where answers are graded; where nobody grades, nothing is known of silence too."""
        if isinstance(given, Graded):
            return score.zero_metrics(_parted(given)[0])
        return score.graded_names(task)

    def trace(given: Sample, response: str) -> Trace:
        sample, sheets = _parted(given)
        law = _law_check() if sample.law and sheets else None
        return tracing.trace(sample, response, sheets, order=order, evidence=evidence, law=law)

    return RuleSet(
        read,
        scored,
        silence,
        pooled=score.POOLED,
        more=score.more_figures(task),
        instrument=lambda: "+".join(f"grader:{name}" for name in graders) or "ungraded",
        trace=trace,
    )


def _law_check() -> LawCheck:
    from hengfa.library.store import default_file  # noqa: PLC0415 - for those who look law up

    return _opened(default_file())


@lru_cache(maxsize=1)
def _opened(library: Path) -> LawCheck:
    """One for all samples: opening takes a moment, and what was looked up is kept."""
    from hengfa.grading.statutes import LawCheck  # noqa: PLC0415
    from hengfa.library.store import Library  # noqa: PLC0415

    return LawCheck(Library.open(library))


def _parted(given: Sample) -> tuple[PLawBenchSample, tuple[Sheet, ...]]:
    """A graded sample and its sheets; one that nobody graded has none."""
    if isinstance(given, Graded):
        return cast("PLawBenchSample", given.sample), given.sheets
    return cast("PLawBenchSample", given), ()
