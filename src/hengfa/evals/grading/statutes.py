"""Cited law checked in the law library: a grader cannot be trusted to know the law by heart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from hengfa.evals.grading.rubric import Flag, Span
from hengfa.evals.grading.submission import Submission
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked, Problem
from hengfa.law.library.store import Library

_NEAR: Final = 120  # a citation may stand so many characters from the words that were quoted for it

_FLAGS: Final[dict[Problem, Flag]] = {
    "no such position": Flag.NO_SUCH_LAW,
    "no such version": Flag.NO_SUCH_LAW,
    "not in force": Flag.NOT_IN_FORCE,
    "quoted from another provision": Flag.MISQUOTED,
    "quoted from another version": Flag.MISQUOTED,
    "quoted words not in the law": Flag.MISQUOTED,
    "wording differs": Flag.MISQUOTED,
    "wording makes another rule": Flag.MISQUOTED,
}
"""What of a citation is worth a look. A law that the library lacks is none: it cannot say."""
_OF_A_DAY: Final = frozenset({"not in force", "quoted from another version"})
"""Problems that only a day can show."""


class LawCheck:
    """Checks the citations behind awards for statutes. The day that counts is the submission's;
    else the one that the citation or the response names. Where nobody names a day, nothing is held
    against a citation that only a day could show: marks must not change with the calendar."""

    def __init__(self, library: Library) -> None:
        self._checker = Checker(library)
        self._last: tuple[str, date | None, tuple[Checked, ...]] | None = None

    def flags(self, submission: Submission, spans: Sequence[Span]) -> tuple[Flag, ...]:
        """What is wrong with the law cited in these places of the response, or next to them."""
        cited = self.citations(submission.response, submission.as_of)
        meant = [one for one in cited if any(_distance(one, span) < 0 for span in spans)]
        if not meant:
            near = [citation for citation in (_nearest(cited, span) for span in spans) if citation]
            meant = list(dict.fromkeys(near))
        flags = {_FLAGS.get(citation.problem) for citation in meant if held_against(citation)}
        return tuple(flag for flag in Flag if flag in flags)

    def citations(self, response: str, as_of: date | None) -> tuple[Checked, ...]:
        """The citations of a response, checked; those of the last are kept: items come in a row."""
        if self._last is None or self._last[:2] != (response, as_of):
            report = self._checker.check(response, as_of=as_of)
            own = tuple(citation for citation in report.citations if not citation.inside)
            self._last = response, as_of, own
        return self._last[2]


@lru_cache(maxsize=1)
def check_by(library: Path) -> LawCheck:
    """One for all answers: opening takes a moment, and what was looked up is kept."""
    return LawCheck(Library.open(library))


def has_day(checked: Checked) -> bool:
    """Whether anybody but the calendar says of which day a citation is meant."""
    return checked.day is not None and checked.day.basis != "today"


def held_against(checked: Checked) -> bool:
    """Whether something is wrong with a citation that the answer has to answer for."""
    wrong = checked.status in {"wrong", "wording"}
    return wrong and (has_day(checked) or checked.problem not in _OF_A_DAY)


def _distance(checked: Checked, span: Span) -> int:
    """From a citation with the words that it quotes; below 0 where they overlap."""
    quotation = checked.quotation or checked
    start, end = min(checked.start, quotation.start), max(checked.end, quotation.end)
    return max(start - span.end, span.start - end)


def _nearest(cited: Sequence[Checked], span: Span) -> Checked | None:
    near = min(cited, key=lambda checked: _distance(checked, span), default=None)
    return near if near and _distance(near, span) <= _NEAR else None
