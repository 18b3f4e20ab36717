"""Whether evidence stands where a response does not answer, but works on whoever grades it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hengfa.grading.addressing import addresses_grader
from hengfa.grading.echoing import echoes_rubric
from hengfa.grading.marks import Flag, Span
from hengfa.grading.submission import Submission


def slipped_in(submission: Submission, evidence: Sequence[Span]) -> list[Flag]:
    """The flags of an award with this evidence: one word of it in such a place is enough."""
    return [
        flag
        for flag, places in _suspect(submission)
        if any(
            span.start < place.end and place.start < span.end
            for place in places
            for span in evidence
        )
    ]


@lru_cache(maxsize=8)  # one submission has many awards
def _suspect(submission: Submission) -> tuple[tuple[Flag, tuple[Span, ...]], ...]:
    return (
        (Flag.ADDRESSES_GRADER, tuple(addresses_grader(submission.response))),
        (Flag.ECHOES_RUBRIC, tuple(echoes_rubric(submission))),
    )
