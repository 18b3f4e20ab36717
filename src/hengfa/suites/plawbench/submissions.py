"""What graders are shown of a response, and of what was asked.

A consultation is graded by its first questions, 25 or 50 of them (PLawBench spec 2); everything
else is graded as it came. Headings that were asked for are no condition for points: an item counts
wherever its words stand.
"""

from __future__ import annotations

from hengfa.grading.submission import Submission
from hengfa.suites.plawbench import extract
from hengfa.suites.plawbench.dataset import CONSULTATION, PACK, PLawBenchSample


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
