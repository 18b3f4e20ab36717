"""What a grader sees of a guiding case: the question as asked, and the court's own reasons."""

from __future__ import annotations

from hengfa.grading.submission import Submission
from hengfa.suites.claw_cases.dataset import CaseSample
from hengfa.suites.claw_cases.prompts import case_prompt
from hengfa.suites.claw_cases.rubric import RUBRIC


def submission(sample: CaseSample, response: str) -> Submission:
    """The reasons under grading, beside those of the court (CLaw spec 6)."""
    (asked,) = case_prompt(sample)
    return Submission(
        key=f"claw-cases/case/{sample.id}",
        question=asked.content,
        response=response,
        rubric=RUBRIC,
        reference=sample.reference,
        as_of=sample.case.issued,
    )
