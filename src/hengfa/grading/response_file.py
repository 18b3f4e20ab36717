"""Files of responses that are graded by one rubric: JSON lines of id, response, question…"""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError
from hengfa.grading.rubric import Rubric
from hengfa.grading.submission import Submission


class ResponseRow(msgspec.Struct, frozen=True):
    """One response; ``question`` and ``reference`` help the grader, ``as_of`` dates the law."""

    id: str | int
    response: Annotated[str, msgspec.Meta(min_length=1)]
    question: str = ""
    reference: str = ""
    as_of: date | None = None


def read_responses(file: Path, rubric: Rubric) -> list[Submission]:
    """Every line as a submission. Keys hold a hash: other words under the same id are graded anew.

    The hash is over all that a grader sees, so that a rubric can be mended between two sittings.
    """
    found: dict[str, Submission] = {}
    for number, row in read_lines(file, ResponseRow):
        if (name := str(row.id)) in found:
            raise DataError(f"{name[:80]!r} is there twice", file=file, row=number, field="id")
        seen = msgspec.json.encode((row, rubric))
        digest = hashlib.blake2b(seen, digest_size=6).hexdigest()
        found[name] = Submission(
            key=f"{name}@{digest}",
            question=row.question,
            response=row.response,
            rubric=rubric,
            reference=row.reference,
            as_of=row.as_of,
        )
    if not found:
        raise DataError("holds no responses", file=file)
    return list(found.values())
