"""Response to answer: all of it, unless it declines."""

from __future__ import annotations

from hengfa.suites.base import Answer, AnswerStatus
from hengfa.suites.claw.clean import is_refusal

LONGEST_REFUSAL = 200
"""Reasons of this length are no refusal, whatever they say that somebody cannot do."""


def extract(response: str) -> Answer[str]:
    """The whole response is the answer, unless it declines to give one."""
    refused = len(response) < LONGEST_REFUSAL and is_refusal(response)
    return Answer(response, AnswerStatus.ABSTAINED if refused else AnswerStatus.EXTRACTED)
