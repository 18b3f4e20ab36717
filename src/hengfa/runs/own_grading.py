"""Responses of anybody's, graded by anybody's rubric: no suite, no run, the same graders.

grades/my-rubric/
  submissions.jsonl    what was graded, with its rubric
  grades/…             what each grader said, as in a run
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hengfa.errors import UsageError
from hengfa.grading.agreement import pairwise
from hengfa.grading.marking import Choices, mark
from hengfa.grading.marks import Mark
from hengfa.grading.panel import How, combine
from hengfa.grading.submission import Submission, write_submissions
from hengfa.results.statistics.evidence import Mean, of_sums
from hengfa.runs.grading import GraderChoice, Grades, grade_submissions
from hengfa.runs.sitting import Notify, quiet

SUBMISSIONS = "submissions.jsonl"


@dataclass(frozen=True, slots=True)
class Marked:
    """A submission with each grader's mark, and the one that the panel comes to."""

    submission: Submission
    marks: dict[str, Mark]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Marking:
    """All of them, and the figures: points out of points, as everywhere."""

    marked: Sequence[Marked]
    how: How

    @property
    def graders(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.marked for name in one.marks))

    def rate(self, points: str = "points") -> Mean | None:
        """Σ points / Σ maximum; ``lenient`` and ``backed`` are the other two ways to count."""
        rows = [(getattr(one.mark, points), one.mark.maximum) for one in self.marked]
        return of_sums(rows, lambda got, most: got / most if most else 0.0)

    def ungraded(self) -> float:
        items = sum(len(one.mark.items()) for one in self.marked)
        return sum(one.mark.ungraded for one in self.marked) / items if items else 0.0

    def as_json(self) -> dict[str, Any]:
        rate, lenient, backed = (self.rate(name) for name in ("points", "lenient", "backed"))
        by_grader = {
            name: {one.submission.key: one.marks[name] for one in self.marked if name in one.marks}
            for name in self.graders
        }
        return {
            "graders": self.graders,
            "panel": self.how,
            "figures": {
                "rate": rate and rate.value,
                "standard_error": rate and rate.standard_error,
                "lenient_rate": lenient and lenient.value,
                "backed_rate": backed and backed.value,
                "ungraded_rate": self.ungraded(),
                "n": len(self.marked),
            },
            "agreement": [
                {"graders": list(pair), **msgspec.structs.asdict(found)}
                for pair, found in pairwise(by_grader).items()
            ],
            "submissions": [
                {"key": one.submission.key, "mark": one.mark, "marks": one.marks}
                for one in self.marked
            ],
        }


def grade_own(
    folder: Path,
    submissions: Sequence[Submission],
    graders: Sequence[GraderChoice],
    choices: Choices,
    how: How,
    notify: Notify = quiet,
) -> Marking:
    """Ask every grader about every submission, then mark what was said."""
    if not graders:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    write_submissions(folder / SUBMISSIONS, submissions)
    for choice in graders:
        grade_submissions(folder, submissions, choice, notify)
    grades = Grades(folder)
    asked = {choice.name for choice in graders}
    marked = []
    for one in submissions:
        marks = {
            sheet.grader: mark(one, sheet, choices)
            for sheet in grades.sheets(one)
            if sheet.grader in asked
        }
        marked.append(Marked(one, marks, combine(list(marks.values()), how)))
    return Marking(marked, how)
