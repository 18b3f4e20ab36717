"""A response that was put before graders: what they saw, what each said, and the marks of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hengfa.grading.marking import Choices, Examined
from hengfa.grading.marks import Mark
from hengfa.grading.panel import How, combine
from hengfa.grading.submission import Submission
from hengfa.grading.verdict import Sheet, Verdict, verdict_of

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck


class GradedResponse:
    """What graders saw of a response (`submission`) and what each of them said (`sheets`).

    Every verdict is read and its evidence looked for once, and it is marked once for each reading
    of the rules (:class:`Choices`), whoever asks for it: rules, findings and reports share the
    marks.
    """

    def __init__(self, submission: Submission, sheets: Sequence[Sheet] = ()) -> None:
        self.submission = submission
        self.sheets = tuple(sheets)
        self._examined: dict[LawCheck | None, tuple[Examined, ...]] = {}
        self._marks: dict[Choices, tuple[tuple[str, Mark], ...]] = {}

    @property
    def graders(self) -> tuple[str, ...]:
        return tuple(sheet.grader for sheet in self.sheets)

    @cached_property
    def _verdicts(self) -> tuple[Verdict, ...]:
        return tuple(verdict_of(self.submission, sheet) for sheet in self.sheets)

    def marks(self, choices: Choices) -> tuple[tuple[str, Mark], ...]:
        """Each grader with its mark."""
        if choices.law not in self._examined:
            self._examined[choices.law] = tuple(
                Examined(self.submission, verdict, choices.law) for verdict in self._verdicts
            )
        if choices not in self._marks:
            self._marks[choices] = tuple(
                (grader, examined.mark(choices))
                for grader, examined in zip(self.graders, self._examined[choices.law], strict=True)
            )
        return self._marks[choices]

    def mark(self, choices: Choices, how: How) -> Mark:
        """One mark from what all graders said; there must be one at least."""
        marks = [mark for _, mark in self.marks(choices)]
        return marks[0] if len(marks) == 1 else combine(marks, how)
