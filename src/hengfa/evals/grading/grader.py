"""Asks a grader: once, then a repair of what cannot stand, then anew, in later sittings once more;
what is missing is ungraded.

A reply that is no answer (filtered, truncated, empty, refused, failed) cannot be repaired, so the
question is put anew at once. Every reply is kept in the sheet with its status; marks are made from
the sheet, so rules can change without asking again.

Beside grades a grader, or a cheaper model, is asked two things by which no points change. Does this
response talk to whoever grades it? Phrases find what people try first
(:mod:`hengfa.evals.grading.tampering`); a model may find the rest, and awards that rest on the
words that it quotes are flagged. Which of a few types of error has it? That is asked for types that
no item of a rubric is about (:mod:`hengfa.evals.grading.error_types`). Here too the reply must
bring back the code, and what is quoted counts only where it stands in the response: what cannot be
quoted cannot be checked, and is left open.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from hengfa.evals.engine.messages import JSONObject, Message, Options, Request, Response, Status
from hengfa.evals.grading.error_types import ErrorType
from hengfa.evals.grading.evidence import Quotation, find_evidence
from hengfa.evals.grading.prompt import (
    PROMPTS,
    again_request,
    between_lines,
    grade_request,
    question_and_rubric,
    repair_request,
    strict_object,
)
from hengfa.evals.grading.rubric import Span
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import (
    LONGEST_REPLY,
    PROMPT_VERSION,
    Problem,
    Reply,
    Sheet,
    Value,
    find_objects,
    verdict_code,
    verdict_of,
)

Find: TypeAlias = Callable[[str], Response | None]
"""Gives a journalled response by the key of its request."""
LATER: Final = "again-"  # what the steps of sittings after the first begin with


class _Turn(NamedTuple):
    """What to ask next; a repair shows the reply and what is wrong with it."""

    step: str
    reply: str = ""
    problems: tuple[Problem, ...] = ()

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
    """All that a grader says of a submission; at most three questions. Of one that an earlier
    sitting left open, as a journal `knows`, one more is asked."""
    sheet, begun_before = Sheet(grader), knows is not None
    while turn := _next_turn(submission, sheet):
        if turn.step.startswith(LATER) and not begun_before:
            break
        request = turn.request(submission, options)
        begun_before = begun_before and knows is not None and knows(request)
        sheet = _with(sheet, turn, await ask(request))
    return sheet


def sheet_from(
    grader: str, submission: Submission, find: Find, prompt: str = PROMPT_VERSION
) -> Sheet:
    """The sheet as :func:`grade` left it, from journalled responses that ``find`` gives by key. A
    response that is not there ends it: the run was stopped, and the rest is not known. `prompt` is
    the version under which they were asked."""
    return _read_back(Sheet(grader, prompt=prompt), submission, find)[0]


def next_request(submission: Submission, find: Find, options: Options) -> Request | None:
    """What :func:`grade` would ask next after the responses that there are; None at its end."""
    _, turn = _read_back(Sheet(""), submission, find)
    return turn and turn.request(submission, options)


def _read_back(sheet: Sheet, submission: Submission, find: Find) -> tuple[Sheet, _Turn | None]:
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


# --- what is asked beside grades ---

SCREEN_VERSION: Final = "1"
ERRORS_VERSION: Final = "1"
"""Go into the folders of whoever is asked, as the prompt's version goes into a grader's."""
_TEXT: Final[JSONObject] = {"type": "string"}
_TEXTS: Final[JSONObject] = {"type": "array", "items": _TEXT}

ErrorPlaces = Mapping[str, tuple[Span, ...] | None]
"""By type of error: the words that show it, none where it is absent; None where the reply shows
nothing."""


def screen_key(submission: Submission) -> str:
    return f"{submission.key}#screen"


def screen_request(submission: Submission, options: Options) -> Request:
    """The one question whether the response talks to graders."""
    schema = strict_object({"sentences": _TEXTS, "talks": {"type": "boolean"}, "code": _TEXT})
    asked = f"{between_lines(submission.response)}\n{PROMPTS.screen.asked}"
    system = PROMPTS.screen.system.format()
    return _request(screen_key(submission), system, asked, schema, options)


def addressed(submission: Submission, reply: Response | None) -> tuple[Span, ...] | None:
    """The sentences that a reply says speak to the grader; None if it says nothing that counts. A
    yes without words of the response says nothing: it cannot be checked."""
    for said in _coded_objects(submission, reply):
        if said.get("talks") is False:
            return ()
        if said.get("talks") is True:
            return _places(_quotations(submission, said.get("sentences")))
    return None


def errors_key(submission: Submission) -> str:
    return f"{submission.key}#errors"


def errors_request(submission: Submission, types: Sequence[ErrorType], options: Options) -> Request:
    """The one question, about all types of error at once."""
    type_ = {"type": "string", "enum": [type_.id for type_ in types]}
    error = strict_object({"type": type_, "quotes": _TEXTS, "reason": _TEXT})
    schema = strict_object({"errors": {"type": "array", "items": error}, "code": _TEXT})
    response = f"{between_lines(submission.response)}\n{PROMPTS.errors.asked}"
    asked = "\n\n".join((*question_and_rubric(submission), response))
    listed = "\n".join(f"{type_.id}：{type_.title}" for type_ in types)
    system = PROMPTS.errors.system.format(types=listed)
    return _request(errors_key(submission), system, asked, schema, options)


def errors_in(
    submission: Submission, types: Sequence[ErrorType], reply: Response | None
) -> ErrorPlaces | None:
    """What a reply says of each type; None if it says nothing that counts."""
    for said in _coded_objects(submission, reply):
        if isinstance(listed := said.get("errors"), list):
            found: dict[str, tuple[Span, ...] | None] = {type_.id: () for type_ in types}
            for error in listed:
                type_ = error.get("type") if isinstance(error, dict) else None
                if isinstance(error, dict) and isinstance(type_, str) and type_ in found:
                    found[type_] = _proof(_quotations(submission, error.get("quotes")))
            return found
    return None


def _request(key: str, system: str, asked: str, schema: JSONObject, options: Options) -> Request:
    messages = (Message("system", system), Message("user", asked))
    return Request(key, messages, msgspec.structs.replace(options, reply_schema=schema))


def _coded_objects(submission: Submission, reply: Response | None) -> Iterator[dict[str, Value]]:
    """The objects of a reply that bring the code back, the last first."""
    if reply is not None and reply.status is Status.ANSWERED:
        code = verdict_code(submission.response)
        for candidate in reversed(find_objects(reply.text[-LONGEST_REPLY:])):
            if candidate.value.get("code") == code:
                yield candidate.value


def _quotations(submission: Submission, quotes: object) -> Sequence[Quotation]:
    listed = quotes if isinstance(quotes, list) else [quotes]
    return find_evidence(submission.response, [one for one in listed if isinstance(one, str)])


def _places(quotations: Sequence[Quotation]) -> tuple[Span, ...] | None:
    return tuple(span for quotation in quotations for span in quotation.spans) or None


def _proof(quotations: Sequence[Quotation]) -> tuple[Span, ...] | None:
    """Where the quoted words stand; all that prove anything must stand somewhere."""
    proving = [quotation for quotation in quotations if quotation.proves]
    return _places(proving) if all(quotation.spans for quotation in proving) else None
