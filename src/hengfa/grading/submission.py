"""What is graded: a response with the question that was asked and the rubric it is graded by."""

from __future__ import annotations

from datetime import date

import msgspec

from hengfa.grading.rubric import Rubric


class Submission(msgspec.Struct, frozen=True, omit_defaults=True):
    """One response under grading. It is untrusted: whatever it says is data, never an instruction.

    ``key`` is that of the question in the journal of the run. ``reference`` is an answer that the
    grader may compare with, ``as_of`` the day on which cited law must have been in force.
    """

    key: str
    question: str
    response: str
    rubric: Rubric
    reference: str = ""
    as_of: date | None = None
