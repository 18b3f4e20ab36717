"""What trainers hand over: a reply in any of its forms, and the chat of an agent in their own loop.

A trainer with a loop of its own (TRL with tools, verifiers over MCP) makes the calls itself, and
has the messages afterwards. `chat_response` reads them as what an agent hands in, so that the
reward `agent` sees success, process and calls there too. Only a trainer's own messages are such a
record: what a model says that it called is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.evals.engine.messages import Response, Status, Unavailable
from hengfa.evals.engine.replies import read_reply
from hengfa.train.rewards.shapes import as_response
from hengfa.world.agents.booth import Stopped, Transcript, hand_in, hand_in_silence
from hengfa.world.agents.native import SAME
from hengfa.world.agents.reading import AskedCall, read_calls
from hengfa.world.agents.trajectory import Ended
from hengfa.world.tools.catalogue import FINISH
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.observation import Status as Seen
from hengfa.world.tools.toolbox import STATUS_OF_TEXT

Said: TypeAlias = str | Response | Mapping[str, Any]
"""A text; a message of a chat, which may have `tool_calls`; a whole completion; or a response of
the engine. Only the last two can say how the reply ended and what it took."""


def read_said(said: Said) -> Response:
    """A reply as the engine reads one."""
    if isinstance(said, str | Response):
        return as_response(said)
    message = {"choices": [{"message": dict(said), "finish_reason": "stop"}]}
    try:
        return read_reply(said if "choices" in said else message)
    except Unavailable as trouble:
        return Response(Status.FAILED, reason=trouble.reason, this_question_only=True)


def chat_response(messages: Iterable[Mapping[str, Any]]) -> Response:
    """What the agent of a chat hands in: its calls, each with the result that a message of the role
    `tool` gave it, and its answer, which is what it called `finish` with or said last.

    Who says nothing after its last call has given no answer.
    """
    record, waiting = Transcript(), list[AskedCall]()
    last = Response(Status.EMPTY, reason="nothing was said")
    for message in messages:
        if message.get("role") == "assistant":
            last = read_said(message)
            waiting = list(read_calls(last)) if last.tool_calls else []
            if (texts := _submitted(waiting)) is not None:
                return hand_in(*texts, record, Ended.FINISHED)
        elif message.get("role") == "tool" and waiting:
            _note(record, waiting, message)
    if last.status is Status.ANSWERED and not last.tool_calls:
        return hand_in(last.text, last.text, record, Ended.FINISHED)
    if last.status is Status.ANSWERED:
        last = Response(Status.EMPTY, reason="nothing was said after the last call")
    return hand_in_silence(Stopped(Ended.FAILED, last), record)


def _submitted(calls: Sequence[AskedCall]) -> tuple[str, str] | None:
    """The texts that `finish` was called with; an answer is a summary too, if there is no other."""
    for call in calls:
        if call.tool == FINISH:
            given = call.arguments if isinstance(call.arguments, dict) else {}
            answer, summary = str(given.get("answer", "")), str(given.get("summary", ""))
            return answer, answer if summary in ("", *SAME) else summary
    return None


def _note(record: Transcript, waiting: list[AskedCall], message: Mapping[str, Any]) -> None:
    """Put the call on record to which this is the result; without an id, the first that waits."""
    named = [call for call in waiting if call.id == message.get("tool_call_id")]
    call = (named or waiting)[0]
    waiting.remove(call)
    text = str(message.get("content") or "")
    if call.arguments is None:
        record.unparsable()
    else:
        record.called(call.tool, call.arguments, Observation(text, _seen(text)))


def _seen(text: str) -> Seen:
    """How a call ended, by what the tools of a world say."""
    if not text.startswith('{"error":'):
        return STATUS_OF_TEXT.get(text, Seen.OK)
    try:
        return Seen(decode_json(text)["error"])
    except (msgspec.DecodeError, ValueError, TypeError):
        return Seen.OK
