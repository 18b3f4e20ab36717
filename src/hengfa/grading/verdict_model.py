"""What a grader reports: awards and faults with their evidence, and no sums."""

from __future__ import annotations

import msgspec


class Award(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one item earns before anything is taken off; ``evidence`` are words of the response.

    ``level`` names the grade of an item that has levels, ``points`` is then what it is worth.
    """

    id: str
    points: float
    evidence: tuple[str, ...] = ()
    reason: str = ""
    level: str = ""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A deduction, gate or penalty that applies; ``points`` only where the rubric has a range."""

    id: str
    times: int = 1
    points: float | None = None
    evidence: tuple[str, ...] = ()
    reason: str = ""


class Problem(msgspec.Struct, frozen=True):
    """Why something in a reply was not accepted: which id (empty: the whole reply), and the reason.

    Codes: ``unreadable``, ``missing``, ``unknown``, ``duplicate``, ``above maximum``, ``negative``,
    ``no number``, ``out of range`` (of a fault), ``no level``, ``no answer``.
    """

    id: str
    code: str
    text: str


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was accepted of a grader's replies. Items without an award are ungraded, never zero."""

    awards: tuple[Award, ...]
    faults: tuple[Fault, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.problems


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a grader said to one request: ``step`` is grade, repair or again."""

    step: str
    status: str
    text: str = ""


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that one grader said of one submission, in order; marks are always made from it."""

    grader: str
    replies: tuple[Reply, ...] = ()
