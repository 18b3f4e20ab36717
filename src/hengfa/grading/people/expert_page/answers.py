"""What an expert says about a response, change by change, and how that becomes a verdict.

A change holds the whole new state of one item or fault, so that sending it twice does no harm and
the last one stands.
"""

from __future__ import annotations

from math import isfinite
from typing import Final

import msgspec

from hengfa.grading.rubric import Deduction, Gate, Penalty
from hengfa.grading.submission import Submission
from hengfa.grading.verdict_model import Award, Fault, Verdict

_LONGEST_COMMENT: Final = 10_000
_MOST_EVIDENCE: Final = 50
_MOST_TIMES: Final = 99


class ItemAnswer(msgspec.Struct, frozen=True, tag="item", forbid_unknown_fields=True):
    """An item as it now stands; without points it is not scored, whatever else is said of it."""

    id: str
    points: float | None = None
    level: str = ""
    evidence: tuple[str, ...] = ()
    comment: str = ""


class FaultAnswer(msgspec.Struct, frozen=True, tag="fault", forbid_unknown_fields=True):
    """A deduction, gate or penalty as it now stands: how often it applies, 0 for not at all."""

    id: str
    times: int = 0
    points: float | None = None


Answer = ItemAnswer | FaultAnswer


class NotAccepted(ValueError):
    """An answer that the rubric or the response does not allow, and why."""


def check(answer: Answer, submission: Submission) -> None:
    """Refuse what cannot be: the page would not send it, but somebody else might."""
    if isinstance(answer, FaultAnswer):
        _check_fault(answer, submission)
        return
    item = {one.id: one for one in submission.rubric.items()}.get(answer.id)
    if item is None:
        raise NotAccepted(f"no item {answer.id!r}")
    points = answer.points
    if points is not None and not (isfinite(points) and 0 <= points <= item.maximum):
        raise NotAccepted(f"{points} is not from 0 to {item.maximum:g}")
    if item.levels and points is not None:
        worth = {level.name: level.points for level in item.levels}
        if worth.get(answer.level) != points:
            raise NotAccepted(f"{answer.level!r} is no level worth {points:g}")
    elif answer.level:
        raise NotAccepted("the item has no levels, or no points were given")
    if len(answer.comment) > _LONGEST_COMMENT or len(answer.evidence) > _MOST_EVIDENCE:
        raise NotAccepted("too long")
    if not all(words and words in submission.response for words in answer.evidence):
        raise NotAccepted("evidence that is not in the response")


def _check_fault(answer: FaultAnswer, submission: Submission) -> None:
    fault = {one.id: one for one in submission.rubric.faults()}.get(answer.id)
    if fault is None:
        raise NotAccepted(f"no deduction, gate or penalty {answer.id!r}")
    if not 0 <= answer.times <= most_times(fault):
        raise NotAccepted(f"{answer.times} times is not from 0 to {most_times(fault)}")
    if answer.points is not None:
        most = fault.most if isinstance(fault, Deduction) else None
        if isinstance(fault, Gate) or most is None or not fault.points <= answer.points <= most:
            raise NotAccepted(f"{answer.points} is outside the range of the deduction")


def most_times(fault: Deduction | Gate | Penalty) -> int:
    """How often it can apply."""
    if isinstance(fault, Deduction):
        return _MOST_TIMES if fault.each else 1
    if isinstance(fault, Penalty) and not fault.all:
        return _MOST_TIMES if fault.times is None else fault.times
    return 1


class Answers(msgspec.Struct):
    """All that one rater has said about one submission."""

    items: dict[str, ItemAnswer] = {}
    faults: dict[str, FaultAnswer] = {}

    def put(self, answer: Answer) -> None:
        if isinstance(answer, ItemAnswer):
            self.items[answer.id] = answer
        else:
            self.faults[answer.id] = answer

    def is_complete(self, submission: Submission) -> bool:
        return all(self._has_points(item.id) for item in submission.rubric.items())

    def _has_points(self, item: str) -> bool:
        answer = self.items.get(item)
        return answer is not None and answer.points is not None

    def verdict(self) -> Verdict:
        """As a grader would report it; items without points are left out."""
        awards = tuple(
            Award(one.id, one.points, one.evidence, one.comment, one.level)
            for one in self.items.values()
            if one.points is not None
        )
        faults = tuple(
            Fault(one.id, one.times, one.points) for one in self.faults.values() if one.times
        )
        return Verdict(awards, faults)
