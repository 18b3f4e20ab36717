"""Asks a grader: once, then a repair of what cannot stand, then anew, in later sittings once more;
what is missing is ungraded.

A reply that is no answer (filtered, truncated, empty, refused, failed) cannot be repaired, so the
question is put anew at once. Every reply is kept in the sheet with its status; marks are made from
the sheet, so rules can change without asking again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from itertools import count
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
    turns = _turns(grader, submission)
    begun_before = knows is not None
    try:
        turn = next(turns)
        while True:
            request = turn.request(submission, options)
            if turn.later and not begun_before:
                turn = turns.send(None)
            begun_before = begun_before and knows is not None and knows(request)
            turn = turns.send(await ask(request))
    except StopIteration as ended:
        return _sheet(ended)


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
    turns = _turns(grader, submission, prompt)
    try:
        turn = next(turns)
        while True:
            turn = turns.send(find(f"{submission.key}#{turn.step}"))
    except StopIteration as ended:
        return _sheet(ended)


def next_request(
    submission: Submission, find: Callable[[str], Response | None], options: Options
) -> Request | None:
    """What :func:`grade` would ask next after the responses that there are; None at its end."""
    turns = _turns("", submission)
    try:
        turn = next(turns)
        while (response := find(f"{submission.key}#{turn.step}")) is not None:
            turn = turns.send(response)
    except StopIteration:
        return None
    return turn.request(submission, options)


def _turns(
    grader: str, submission: Submission, prompt: str = PROMPT_VERSION
) -> Generator[_Turn, Response | None, Sheet]:
    """What to ask, reply by reply: the one course that asking and reading back both follow."""
    sheet = Sheet(grader, prompt=prompt)
    response = yield _Turn("grade")
    if response is None:
        return sheet
    sheet = _with(sheet, "grade", response)
    verdict = verdict_of(submission, sheet)
    if response.status is Status.ANSWERED and not verdict.whole:
        repaired = yield _Turn("repair", response.text, verdict.problems)
        if repaired is None:
            return sheet
        sheet = _with(sheet, "repair", repaired)
        verdict = verdict_of(submission, sheet)
    step, sittings = "again", count(2)
    while not verdict.whole and (anew := (yield _Turn(step))) is not None:
        sheet = _with(sheet, step, anew)
        verdict = verdict_of(submission, sheet)
        step = f"{LATER}{next(sittings)}"
    return sheet


def _with(sheet: Sheet, step: str, response: Response) -> Sheet:
    reply = Reply(step, str(response.status), response.text)
    return msgspec.structs.replace(sheet, replies=(*sheet.replies, reply))


def _sheet(ended: StopIteration) -> Sheet:
    sheet: Sheet = ended.value
    return sheet
