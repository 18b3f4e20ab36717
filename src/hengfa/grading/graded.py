"""A response that was put before graders: what they saw, what each said, and the marks of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hengfa.grading.marking import Choices, mark_verdict
from hengfa.grading.marks import Mark
from hengfa.grading.panel import How, combine
from hengfa.grading.submission import Submission
from hengfa.grading.verdict import Sheet, Verdict, verdict_of


class GradedResponse:
    """What graders saw of a response (`submission`) and what each of them said (`sheets`).

    Every verdict is read once, and marked once for each reading of the rules (:class:`Choices`),
    whoever asks for it: rules, findings and reports share the marks.
    """

    def __init__(self, submission: Submission, sheets: Sequence[Sheet] = ()) -> None:
        self.submission = submission
        self.sheets = tuple(sheets)
        self._marks: dict[Choices, tuple[tuple[str, Mark], ...]] = {}

    @property
    def graders(self) -> tuple[str, ...]:
        return tuple(sheet.grader for sheet in self.sheets)

    @cached_property
    def _verdicts(self) -> tuple[Verdict, ...]:
        return tuple(verdict_of(self.submission, sheet) for sheet in self.sheets)

    def marks(self, choices: Choices) -> tuple[tuple[str, Mark], ...]:
        """Each grader with its mark."""
        if choices not in self._marks:
            self._marks[choices] = tuple(
                (grader, mark_verdict(self.submission, verdict, choices))
                for grader, verdict in zip(self.graders, self._verdicts, strict=True)
            )
        return self._marks[choices]

    def mark(self, choices: Choices, how: How) -> Mark:
        """One mark from what all graders said; there must be one at least."""
        marks = [mark for _, mark in self.marks(choices)]
        return marks[0] if len(marks) == 1 else combine(marks, how)
