"""A response that was put before graders: what they saw, what each said, and the marks of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from hengfa.evals.grading.marking import Choices, Examined
from hengfa.evals.grading.marks import Mark
from hengfa.evals.grading.panel import How, combine
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Sheet, Verdict, verdict_of

if TYPE_CHECKING:
    from hengfa.evals.grading.statutes import LawCheck


class Grading:
    """What one grader said of a submission when it was asked once.

    It is read and its evidence looked for once, and it is marked once for each reading of the rules
    (:class:`Choices`), whoever asks for it: rules, findings, panels and reports share the marks.
    `instrument` says by what it was graded, as records have it.
    """

    def __init__(self, submission: Submission, sheet: Sheet, instrument: str = "") -> None:
        self._submission = submission
        self._sheet = sheet
        self._examined: dict[LawCheck | None, Examined] = {}
        self._marks: dict[Choices, Mark] = {}
        self.instrument = instrument

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self._submission, self._sheet)

    def mark(self, choices: Choices) -> Mark:
        law = choices.law
        if law not in self._examined:
            self._examined[law] = Examined(self._submission, self.verdict, law)
        if choices not in self._marks:
            self._marks[choices] = self._examined[law].mark(choices)
        return self._marks[choices]


class Flips(NamedTuple):
    """Of so many items how many have other points in another of several identical gradings."""

    flipped: int
    items: int


class GradedResponse:
    """What graders saw of a response (`submission`), and what each said, asked once or oftener.

    A score is that of one grader or of a panel of them, by the `rule` that makes one mark of
    several: :meth:`by` takes out those whose score it is.
    """

    def __init__(
        self,
        submission: Submission,
        gradings: Mapping[str, Sequence[Grading]] | None = None,
        rule: How | None = None,
    ) -> None:
        self.submission = submission
        self._gradings = {name: tuple(said) for name, said in (gradings or {}).items() if said}
        self._rule = rule

    def __bool__(self) -> bool:
        """Whether anybody was asked."""
        return bool(self._gradings)

    def by(self, graders: Sequence[str], rule: How | None = None) -> GradedResponse:
        """The same as a grader or a panel has it; nothing was said unless all were asked."""
        if not all(name in self._gradings for name in graders):
            return GradedResponse(self.submission)
        said = {name: self._gradings[name] for name in graders}
        return GradedResponse(self.submission, said, rule)

    @cached_property
    def rounds(self) -> tuple[GradedResponse, ...]:
        """One for each time that all graders were asked; if never, one that left all open."""
        times = min(map(len, self._gradings.values()), default=0)
        if not times:
            return (GradedResponse(self.submission, {"": [Grading(self.submission, Sheet(""))]}),)
        if times == 1:
            return (self,)
        return tuple(
            GradedResponse(
                self.submission,
                {name: said[number : number + 1] for name, said in self._gradings.items()},
                self._rule,
            )
            for number in range(times)
        )

    def marks(self, choices: Choices) -> tuple[tuple[str, Mark], ...]:
        """Each grader with its mark, when first asked."""
        return tuple((name, said[0].mark(choices)) for name, said in self._gradings.items())

    def mark(self, choices: Choices) -> Mark:
        """One mark from what the graders said when first asked; there must be one at least."""
        marks = [mark for _, mark in self.marks(choices)]
        if len(marks) == 1:
            return marks[0]
        if self._rule is None:
            raise ValueError("several graders make one mark only by the rule of a panel")
        return combine(marks, self._rule)

    def instrument(self) -> str:
        """By what the response was graded; empty where nobody was asked."""
        members = "; ".join(said[0].instrument for said in self._gradings.values())
        return members if self._rule is None else f"{self._rule} of {members}"

    def flips(self) -> Flips:
        """How many items a grader gives other points when it is asked again."""
        flipped = items = 0
        for said in self._gradings.values():
            awarded = [
                {award.id: award.points for award in grading.verdict.awards} for grading in said
            ]
            for item in self.submission.rubric.items():
                items += 1
                flipped += len({points.get(item.id) for points in awarded}) > 1
        return Flips(flipped, items)
