"""What graders said of the reasons in a guiding case, to metrics (CLaw spec 6 and 7).

The figure that people quote is the overall rating. A label that a grader did not give has no value:
it is counted as missing, left out of its dimension's mean, and the band says what it could have
been.
"""

from __future__ import annotations

from typing import Final

from hengfa.grading.marking import Choices, mark
from hengfa.grading.marks import Mark
from hengfa.grading.panel import combine
from hengfa.grading.verdict import Sheet
from hengfa.results.figures import Pooled
from hengfa.suites.base import (
    BACKED_RATE,
    LENIENT_RATE,
    UNGRADED_RATE,
    Graded,
    Metrics,
)
from hengfa.suites.claw_cases.dataset import CaseSample
from hengfa.suites.claw_cases.rubric import DIMENSIONS, MOST, OVERALL
from hengfa.suites.claw_cases.submissions import submission

LENIENT, BACKED, GRADED = "overall_if_full", "overall_backed", "graded"
MISSING, LABELS = "missing_labels", "labels"
DIMENSION_SUM: Final = "dimension_sum"
METRICS: Final = (
    OVERALL, LENIENT, BACKED, GRADED, MISSING, LABELS, DIMENSION_SUM, *DIMENSIONS,
)  # fmt: skip
"""Those of a graded response; each is None where nobody was asked."""


def _mean(total: float, number: float) -> float:
    return total / number if number else 0.0


MORE: Final = {
    LENIENT_RATE: Pooled((LENIENT, GRADED), _mean),
    BACKED_RATE: Pooled((BACKED, GRADED), _mean),
    UNGRADED_RATE: Pooled((MISSING, LABELS), _mean),
}


def graded_metrics(sample: CaseSample, response: str, sheets: tuple[Sheet, ...]) -> Metrics:
    """Ratings as shares of their maximum: the overall one, and each dimension that has a label."""
    if not sheets:
        return dict.fromkeys(METRICS)
    graded = submission(sample, response)
    marks = [mark(graded, sheet, Choices()) for sheet in sheets]
    found = marks[0] if len(marks) == 1 else combine(marks, "mean")
    dimensions, overall = found.sections
    labelled = [item for item in dimensions.items if item.awarded is not None]
    every = len(labelled) == len(dimensions.items)
    return {
        OVERALL: overall.points / MOST,
        LENIENT: overall.lenient / MOST,
        BACKED: overall.backed / MOST,
        GRADED: 1.0,
        MISSING: float(_missing(found)),
        LABELS: float(len(found.items())),
        DIMENSION_SUM: dimensions.points / dimensions.maximum if every else None,
        **dict.fromkeys(DIMENSIONS),
        **{item.id: item.points / item.maximum for item in labelled},
    }


def silence(sample: object) -> Metrics:
    """No answer: nothing for the overall rating, where there is a grader to rate answers at all."""
    if not isinstance(sample, Graded):
        return dict.fromkeys(METRICS)
    nothing: dict[str, float | None] = {OVERALL: 0.0, LENIENT: 0.0, BACKED: 0.0, GRADED: 1.0}
    return {**dict.fromkeys(METRICS), **nothing, MISSING: 0.0, LABELS: 0.0}


def _missing(found: Mark) -> int:
    return sum(item.awarded is None for item in found.items())
