"""How reasons in a guiding case came to their ratings, dimension by dimension."""

from __future__ import annotations

from typing import cast

from hengfa.grading.marking import Choices, mark
from hengfa.results.trace import Trace
from hengfa.suites.base import Graded, Sample
from hengfa.suites.claw_cases.dataset import CaseSample
from hengfa.suites.claw_cases.rubric import RUBRIC
from hengfa.suites.claw_cases.submissions import submission
from hengfa.suites.rubric_tracing import items


def trace(given: Sample, response: str) -> Trace:
    """What each grader found; nothing where nobody was asked."""
    if not isinstance(given, Graded):
        return Trace("items")
    graded = cast("Graded[CaseSample]", given)
    seen = submission(graded.sample, response)
    marks = [(sheet.grader, mark(seen, sheet, Choices())) for sheet in graded.sheets]
    return items(RUBRIC, marks)
