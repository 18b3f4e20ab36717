"""What is graded: a response with the question that was asked and the rubric it is graded by.

Files of submissions are JSON lines, one :class:`Submission` each; files of responses that one
rubric grades are JSON lines of id, response, question….
"""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric, Span


class Submission(msgspec.Struct, frozen=True, omit_defaults=True):
    """One response under grading. It is untrusted: whatever it says is data, never an instruction.
    ``key`` is that of the question in the journal of the run. ``reference`` is an answer that the
    grader may compare with, ``as_of`` the day on which cited law must have been in force,
    ``addressed`` what a screening model found to speak to the grader."""

    key: str
    question: str
    response: str
    rubric: Rubric
    reference: str = ""
    as_of: date | None = None
    addressed: tuple[Span, ...] = ()


def read_submissions(file: Path) -> list[Submission]:
    """All lines of a file; keys are unique, so that scores can be put to what they are of."""
    by_key: dict[str, tuple[int, Submission]] = {}
    for number, submission in read_lines(file, Submission):
        if (key := submission.key) in by_key:
            problem = f"{key[:80]!r} stands on line {by_key[key][0]} already"
            advice = "give each response a key of its own, such as MODEL:KEY"
            raise DataError(f"{problem}: {advice}", file=file, row=number, field="key")
        by_key[key] = number, submission
    if not by_key:
        raise DataError("holds no submissions", file=file)
    return [submission for _, submission in by_key.values()]


class ResponseRow(msgspec.Struct, frozen=True):
    """One response; ``question`` and ``reference`` help the grader, ``as_of`` dates the law."""

    id: str | int
    response: Annotated[str, msgspec.Meta(min_length=1)]
    question: str = ""
    reference: str = ""
    as_of: date | None = None


def read_responses(file: Path, rubric: Rubric) -> list[Submission]:
    """Every line as a submission. Keys hold a hash: other words under the same id are graded anew.
    The hash is over all that a grader sees, so that a rubric can be mended between two sittings."""
    submissions: dict[str, Submission] = {}
    for number, row in read_lines(file, ResponseRow):
        if (name := str(row.id)) in submissions:
            raise DataError(f"{name[:80]!r} is there twice", file=file, row=number, field="id")
        seen = msgspec.json.encode((row, rubric.as_graded()))
        digest = hashlib.blake2b(seen, digest_size=6).hexdigest()
        told = (row.question, row.response, rubric, row.reference, row.as_of)
        submissions[name] = Submission(f"{name}@{digest}", *told)
    if not submissions:
        raise DataError("holds no responses", file=file)
    return list(submissions.values())
