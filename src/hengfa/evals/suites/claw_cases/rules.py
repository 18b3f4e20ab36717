"""How the reasons given in a guiding case are graded (claw.md 6 and 7), as a rubric like any other.

Five dimensions, each Good, Normal or Bad for 20, 10 or 0 points, asked for as fields: the paper's
return format has none for them, so its own dimension scores rest on what could be read out of
comments. The overall rating from 0 to 100 is no sum of them but a judgement of its own, kept apart;
it is the figure that people quote. A label that a grader did not give has no value: it is counted
as missing, and there is no mean of its dimension; without the overall rating there is a band.

The paper has no table of error types for cases: it names rigour and knowledge as what tells models
apart (its section 5.2), and for statutes three failures (4.2 and appendix C) that reasons have as
well: made-up law, the wrong version or number, and refusal. The first two are read off a grader's
labels, the others decided by rule.
"""

from __future__ import annotations

from typing import Final

from hengfa.evals.grading import error_types
from hengfa.evals.grading.error_types import By, Errors, ErrorType, GradedAnswer, Mistake
from hengfa.evals.grading.graded import GradedResponse
from hengfa.evals.grading.marking import Choices
from hengfa.evals.grading.rubric import Item, Level, Mark, Rubric, Section, earns_all
from hengfa.evals.grading.submission import Submission
from hengfa.evals.results.figures import Graded, Pooled
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Answer, AnswerStatus, GradedRuleSet, Metrics, Score
from hengfa.evals.suites.claw.clean import is_refusal
from hengfa.evals.suites.claw_cases.dataset import WORDS, CaseSample, case_prompt
from hengfa.evals.suites.claw_cases.statutes import METRICS as STATUTES
from hengfa.evals.suites.claw_cases.statutes import overlap
from hengfa.evals.suites.findings import findings_of, nobody_asked, with_errors

LEVELS: Final = (Level("Good", 20), Level("Normal", 10), Level("Bad", 0))
OVERALL: Final = "overall"
MOST: Final = 100.0
LONGEST_REFUSAL: Final = 200
"""Reasons of this length are no refusal, whatever they say that somebody cannot do."""

DIMENSIONS: Final = WORDS.dimensions  # dimension to what it means; its id is the name of the metric

RUBRIC: Final = Rubric(
    id="claw-case",
    maximum=20.0 * len(DIMENSIONS),
    sections=(
        Section(
            id="dimensions",
            title="评分维度",
            maximum=20.0 * len(DIMENSIONS),
            items=tuple(Item(id_, text, 20.0, levels=LEVELS) for id_, text in DIMENSIONS.items()),
        ),
        Section(
            id=OVERALL,
            title="总体评价",
            maximum=MOST,
            items=(Item(OVERALL, WORDS.overall, MOST),),
            counts=False,
        ),
    ),
)


def submission(sample: CaseSample, response: str) -> Submission:
    """What a grader sees: the question as asked, the reasons, and those of the court."""
    (asked,) = case_prompt(sample)
    return Submission(
        key=f"claw-cases/case/{sample.id}",
        question=asked.content,
        response=response,
        rubric=RUBRIC,
        reference=sample.reference,
        as_of=sample.case.issued,
    )


# --- types of error ---

_SOURCE: Final = "appendix C"


def _dimension(name: str) -> error_types.Which:
    return lambda _rubric, _section, item: item.id == name


def _refusal(answer: GradedAnswer) -> list[Mistake]:
    refused = answer.value is AnswerStatus.ABSTAINED
    return [Mistake(words="declines to give reasons")] if refused else []


ERROR_TYPES: Final = (
    *(
        ErrorType(id_, By.GRADER, title, title_en, "table 1", error_types.missed(_dimension(name)))
        for id_, name, title, title_en in (
            ("loose_reasoning", "reasoning", "论证脱离案情或有明显错误", "reasoning rated Bad"),
            ("wrong_knowledge", "knowledge", "关键概念或条文严重错误", "knowledge rated Bad"),
            ("no_structure", "structure", "结构混乱或缺少关键环节", "structure rated Bad"),
            ("unclear_view", "clarity", "观点含糊、矛盾或没有结论", "clarity rated Bad"),
            ("wordy", "conciseness", "大量冗余重复", "conciseness rated Bad"),
        )
    ),
    ErrorType("refusal", By.RULE, "拒绝作答", "refuses to answer", _SOURCE, _refusal),
    *error_types.law_types(_SOURCE),
)


# --- metrics ---

LENIENT, BACKED, GRADED = "overall_if_full", "overall_backed", "graded"
MISSING, LABELS = "missing_labels", "labels"
DIMENSION_SUM, ALL_PASS = "dimension_sum", "all_pass"
METRICS: Final = (
    OVERALL, LENIENT, BACKED, GRADED, MISSING, LABELS, DIMENSION_SUM, ALL_PASS, *DIMENSIONS,
    *error_types.metric_names(ERROR_TYPES), *STATUTES,
)  # fmt: skip
"""Those of a graded response; each is None where nobody was asked, but for what rules can tell."""


def _mean(total: float, number: float) -> float:
    return total / number if number else 0.0


_MORE: Final = {base.BACKED_RATE: Pooled((BACKED, GRADED), _mean)}
_OPEN: Final = Graded(
    Pooled((MISSING, LABELS), _mean),
    least=Pooled((OVERALL, GRADED), _mean),
    most=Pooled((LENIENT, GRADED), _mean),
    labels=(DIMENSION_SUM, ALL_PASS, *DIMENSIONS),
)


class CaseRules(GradedRuleSet[CaseSample, str]):
    """One reading: the paper's evaluator is not published, so there is nothing to repair."""

    more = _MORE
    graded = _OPEN

    def read(self, response: str) -> Answer[str]:
        """The whole response is the answer, unless it declines to give one."""
        refused = len(response) < LONGEST_REFUSAL and is_refusal(response)
        return Answer(response, AnswerStatus.ABSTAINED if refused else AnswerStatus.EXTRACTED)

    def score(self, sample: CaseSample, answer: Answer[str]) -> Score:
        """Nothing is known of reasons that nobody rated, but what rules can tell."""
        metrics = {**dict.fromkeys(METRICS), **overlap(sample.case.statutes, answer.value)}
        if answer.value is not None:
            metrics |= error_types.error_metrics(_errors(sample, answer, None))
        return Score(metrics, nobody_asked)

    def grade(self, sample: CaseSample, answer: Answer[str], graded: GradedResponse) -> Score:
        """Ratings as shares of their maximum: the overall one, and each dimension with a label."""
        mark = graded.mark(Choices())
        dimensions, overall = mark.sections
        labelled = [item for item in dimensions.items if item.awarded is not None]
        every = len(labelled) == len(dimensions.items)
        passed = earns_all(RUBRIC, mark)
        rated = overall.items[0].awarded is not None
        metrics: Metrics = {
            OVERALL: overall.points / MOST if rated else None,
            LENIENT: overall.lenient / MOST,
            BACKED: overall.backed / MOST if rated else None,
            GRADED: 1.0,
            MISSING: float(mark.ungraded),
            LABELS: float(len(mark.items())),
            DIMENSION_SUM: dimensions.points / dimensions.maximum if every else None,
            ALL_PASS: None if passed is None else float(passed),
            **dict.fromkeys(DIMENSIONS),
            **{item.id: item.points / item.maximum for item in labelled},
        }
        errors = _errors(sample, answer, mark)
        cited = overlap(sample.case.statutes, answer.value)

        def explain() -> Trace:
            """What each grader said, dimension by dimension, and the errors that follow."""
            return with_errors(findings_of(RUBRIC, graded.marks(Choices())), ERROR_TYPES, errors)

        return Score({**metrics, **error_types.error_metrics(errors), **cited}, explain)

    def silence(self, sample: CaseSample) -> Metrics:
        """No answer: nothing for the overall rating, and nothing cited."""
        nothing = dict.fromkeys((OVERALL, LENIENT, BACKED, ALL_PASS), 0.0)
        counted = {GRADED: 1.0, MISSING: 0.0, LABELS: 0.0}
        cited = overlap(sample.case.statutes, None)
        return {**dict.fromkeys(METRICS), **nothing, **counted, **cited}


def _errors(sample: CaseSample, answer: Answer[str], mark: Mark | None) -> Errors:
    """Which error types the reasons have, by the law of the day on which the case was published."""
    cited = None
    if sample.law and answer.value is not None:
        from hengfa.evals.grading.statutes import check_by  # noqa: PLC0415 - for those who look law up
        from hengfa.law.library.store import default_file  # noqa: PLC0415

        cited = check_by(default_file()).citations(answer.value, sample.case.issued)
    graded = GradedAnswer(RUBRIC, mark, sample, answer.status, cited)
    return error_types.errors_of(ERROR_TYPES, graded)
