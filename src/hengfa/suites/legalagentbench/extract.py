"""Response to answer: the two closing texts and, where it is told, how the agent got there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hengfa.agents.trajectory import SILENCE, Trajectory, read_reply
from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.legalagentbench import fixes as fix


class Submitted(NamedTuple):
    """Success is judged by `answer`, process by `summary`. A plain text is both."""

    answer: str
    summary: str
    trajectory: Trajectory | None = None


def submitted(fixes: Fixes) -> Callable[[str], Answer[Submitted]]:
    """Read a response. Where a saved file names another task at this line, the official rules go by
    the line and the fix `alignment` by the name; that there was a doubt is said either way."""

    def extract(response: str) -> Answer[Submitted]:
        try:
            reply = read_reply(response)
        except ValueError:
            return Answer(Submitted(response, response), AnswerStatus.MALFORMED)
        if reply is None:
            return _answer(Submitted(response, response), AnswerStatus.EXTRACTED)
        doubt = reply.at_line is not None or reply.again
        status = AnswerStatus.AMBIGUOUS if doubt else AnswerStatus.EXTRACTED
        if reply.at_line is not None and fix.ALIGNMENT not in fixes:
            return _answer(Submitted(reply.at_line.answer, reply.at_line.summary), status)
        return _answer(Submitted(reply.answer, reply.summary, reply.trajectory), status)

    return extract


def _answer(found: Submitted, status: AnswerStatus) -> Answer[Submitted]:
    nothing = found.answer.strip() in ("", SILENCE)
    return Answer(found, AnswerStatus.ABSTAINED if nothing else status)
