"""Asks a grader: once, then a repair of what cannot stand, then anew, in later sittings once more;
what is missing is ungraded.

A reply that is no answer (filtered, truncated, empty, refused, failed) cannot be repaired, so the
question is put anew at once. Every reply is kept in the sheet with its status; marks are made from
the sheet, so rules can change without asking again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import msgspec

from hengfa.evals.engine.messages import Options, Request, Response, Status
from hengfa.evals.grading.prompt import again_request, grade_request, repair_request
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import PROMPT_VERSION, Problem, Reply, Sheet, verdict_of

LATER: Final = "again-"
"""What the steps of sittings after the first begin with."""


class _Turn(NamedTuple):
    """What to ask next; a repair shows the reply and what is wrong with it."""

    step: str
    reply: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def later(self) -> bool:
        """Whether it is for a sitting after the first."""
        return self.step.startswith(LATER)

    def request(self, submission: Submission, options: Options) -> Request:
        if self.step == "grade":
            return grade_request(submission, options)
        if self.step == "repair":
            return repair_request(submission, self.reply, self.problems, options)
        return again_request(submission, options, self.step)


async def grade(
    ask: Callable[[Request], Awaitable[Response]],
    submission: Submission,
    *,
    grader: str,
    options: Options,
    knows: Callable[[Request], bool] | None = None,
) -> Sheet:
    """All that a grader says of a submission; at most three questions.

    Of one that an earlier sitting left open, as a journal `knows`, one more is asked.
    """
    sheet, begun_before = Sheet(grader), knows is not None
    while (turn := _next_turn(submission, sheet)) and (begun_before or not turn.later):
        request = turn.request(submission, options)
        begun_before = begun_before and knows is not None and knows(request)
        sheet = _with(sheet, turn, await ask(request))
    return sheet


def sheet_from(
    grader: str,
    submission: Submission,
    find: Callable[[str], Response | None],
    prompt: str = PROMPT_VERSION,
) -> Sheet:
    """The sheet as :func:`grade` left it, from journalled responses that ``find`` gives by key.

    A response that is not there ends it: the run was stopped, and the rest is not known. `prompt`
    is the version under which they were asked.
    """
    return _read_back(Sheet(grader, prompt=prompt), submission, find)[0]


def next_request(
    submission: Submission, find: Callable[[str], Response | None], options: Options
) -> Request | None:
    """What :func:`grade` would ask next after the responses that there are; None at its end."""
    _, turn = _read_back(Sheet(""), submission, find)
    return turn and turn.request(submission, options)


def _read_back(
    sheet: Sheet, submission: Submission, find: Callable[[str], Response | None]
) -> tuple[Sheet, _Turn | None]:
    """All replies that are there, and the turn whose reply is not."""
    while turn := _next_turn(submission, sheet):
        response = find(f"{submission.key}#{turn.step}")
        if response is None:
            break
        sheet = _with(sheet, turn, response)
    return sheet, turn


def _next_turn(submission: Submission, sheet: Sheet) -> _Turn | None:
    """What to ask after these replies: the one course that asking and reading back both follow."""
    if not sheet.replies:
        return _Turn("grade")
    verdict = verdict_of(submission, sheet)
    if verdict.whole:
        return None
    first, *more = sheet.replies
    if not more and first.status == Status.ANSWERED:
        return _Turn("repair", first.text, verdict.problems)
    anew = sum(reply.step != "repair" for reply in more)
    return _Turn(f"{LATER}{anew + 1}" if anew else "again")


def _with(sheet: Sheet, turn: _Turn, response: Response) -> Sheet:
    reply = Reply(turn.step, str(response.status), response.text)
    return msgspec.structs.replace(sheet, replies=(*sheet.replies, reply))
