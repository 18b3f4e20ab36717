"""Reads what a server sent into a response with a status; pure, and never surprised by its input.

A reply is untrusted JSON of any shape. Whatever it is, the result is a `Response` or `Unavailable`.
It is an answer only if it has the shape of one and no sign of trouble (`vendors.SIGNS`) stands
anywhere in it; a sign that nobody knows is a failure, with its name as the reason.

A streamed reply (server-sent events) is first put together into the shape of an ordinary one:
streaming keeps connections to slow, thinking models alive, and some models answer in no other way.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from hengfa.data.jsonfile import decode_json
from hengfa.engine import vendors
from hengfa.engine.messages import JSONObject, Response, Status, ToolCall, Unavailable, Usage
from hengfa.engine.signs import Trouble, error_words, find_troubles, sounds_like_trouble
from hengfa.secrets import Redaction

T = TypeVar("T", list[Any], JSONObject)

THINK_CLOSE = "</think>"

_THINK_OPEN = re.compile(r"\s*<think>")  # "\n<think>…", but not "answer <think>…"

_REASON_LENGTH = 300

_HTTP_STATUS = re.compile(r"HTTP_STATUS/(\d+)")  # ":HTTP_STATUS/400" in Qwen's native streams

_UNKNOWN = 3  # the gravity of a finish reason that is in no table

_MOST_TOKENS = 1 << 53  # a count beyond this is no count, and would not fit into a float


def read_reply(body: object, *, throttling: frozenset[str] = frozenset()) -> Response:
    """The response in a decoded body that came with HTTP 200."""
    if not isinstance(body, dict):
        raise Unavailable("the reply is not a JSON object")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    finish = _finish(choice.get("finish_reason")) if isinstance(choice, dict) else ""
    troubles = find_troubles(body)
    filtered = finish in vendors.FILTER_FINISHES or any(
        trouble.status is Status.FILTERED for trouble in troubles
    )
    errors = [trouble for trouble in troubles if trouble.status is Status.FAILED]
    if errors and not filtered:
        # Some gateways report errors with HTTP 200, a few of them beside half an answer.
        holders = {id(trouble.holder): trouble.holder for trouble in errors}
        said = {"errors": list(holders.values())}
        return read_error(200, said, raw=errors[0].said, throttling=throttling)
    if not isinstance(choice, dict) and not filtered:
        return read_error(200, body, throttling=throttling)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        if not filtered:
            raise Unavailable("the reply has no message")
        message = {}
    content = _message_text(message.get("content"))
    reasoning = _first_text(message, vendors.REASONING_FIELDS)
    if reasoning and not _THINK_OPEN.match(content):
        text: str | None = content  # a </think> in here is part of the answer, perhaps a quotation
    else:
        thoughts, text = split_thinking(content)
        reasoning = thoughts or reasoning
    tool_calls = _tool_calls(message.get("tool_calls"))

    status, reason = _ending(finish, message, troubles)
    if status is Status.ANSWERED and text is None:
        status, reason = Status.TRUNCATED, "thinking never ended"
    elif status is Status.ANSWERED and not (text or "").strip() and not tool_calls:
        status, reason = Status.EMPTY, "no text" if not reasoning else "reasoning without an answer"
    return Response(
        status=status,
        text=text or "",
        reasoning=reasoning,
        tool_calls=tool_calls,
        usage=_usage(body.get("usage")),
        reason=reason,
        served_by=one_line(_text(body.get("model"))),
    )


def read_error(
    http_status: int,
    body: object,
    *,
    retry_after: float | None = None,
    raw: str = "",
    throttling: frozenset[str] = frozenset(),
) -> Response:
    """A final response for an error that will not go away; `Unavailable` for one that may.

    `throttling` are codes with which this vendor, unlike others, only asks to slow down.
    """
    codes, message = error_words(body)
    said = one_line(message or raw) or "no explanation"
    reason = f"HTTP {http_status}: {said}" if http_status != 200 else f"error in reply: {said}"
    lowered = message.lower()
    if any(code.split(".")[0] in vendors.FILTER_CODES for code in codes) or any(
        phrase in lowered for phrase in vendors.FILTER_PHRASES
    ):
        return Response(status=Status.FILTERED, reason=reason)
    if codes & (vendors.ACCOUNT_CODES - throttling):
        return Response(status=Status.FAILED, reason=reason)
    too_fast = codes & (vendors.OVERLOAD_CODES | throttling)
    overloaded = http_status in vendors.OVERLOAD_HTTP or bool(too_fast)
    if overloaded or http_status in vendors.RETRY_HTTP or http_status == 200:
        raise Unavailable(reason, overloaded=overloaded, retry_after=retry_after)
    return Response(
        status=Status.FAILED,
        reason=reason,
        this_question_only=http_status in vendors.QUESTION_HTTP,
    )


def read_any(
    http_status: int, body: object, *, throttling: frozenset[str] = frozenset()
) -> Response:
    """The response in a decoded body that came with any status."""
    if http_status == 200:
        return read_reply(body, throttling=throttling)
    return read_error(http_status, body, throttling=throttling)


def as_it_is(body: object) -> object:
    """A reply of a chat."""
    return body


def as_chat(body: object) -> object:
    """A reply, or an event of a stream, that goes on with a text, in the shape of a chat's."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(choices, list):
        return body
    shaped = [
        {
            **{name: value for name, value in choice.items() if name != "text"},
            "message": {"content": choice["text"]},
            "delta": {"content": choice["text"]},
        }
        if isinstance(choice, dict) and isinstance(choice.get("text"), str)
        else choice
        for choice in choices
    ]
    return {**body, "choices": shaped}


async def assemble(
    lines: AsyncIterator[bytes], shape: Callable[[object], object] = as_it_is
) -> JSONObject:
    """The whole reply; `Unavailable` if the stream broke off before the model finished.

    `shape` makes each event one of a chat.
    Of several finish reasons the worst counts. At the first sign of trouble reading ends, and the
    event that bears it is part of the whole.
    """
    parts: dict[str, list[str]] = {}
    tools: dict[int, JSONObject] = {}
    finish = ""
    last: JSONObject = {}
    async for event in _events(lines, shape):
        for field in ("usage", "model", "id"):
            if event.get(field):
                last[field] = event[field]
        for choice in _expect(list, event.get("choices"))[:1]:
            finish = max(finish, _finish(_expect(dict, choice).get("finish_reason")), key=_gravity)
            _add_delta(_expect(dict, choice.get("delta")), parts, tools)
        if find_troubles(event):
            last["trouble"] = event
            break
    if not finish and "trouble" not in last:
        raise Unavailable("the stream broke off before the answer was complete")
    message: JSONObject = {field: "".join(texts) for field, texts in parts.items()}
    message["tool_calls"] = [tools[index] for index in sorted(tools)]
    return {**last, "choices": [{"message": message, "finish_reason": finish}]}


def split_thinking(content: str) -> tuple[str, str | None]:
    """(thinking, answer) of a text with <think> tags; the answer is None if thinking never ended.

    Servers without a reasoning parser leave the tags in the text, some of them only the closing one
    because the opening one belongs to the chat template. A model may think several times in a row.
    """
    thoughts: list[str] = []
    start = 0
    while (opened := _THINK_OPEN.match(content, start)) or (start == 0 and THINK_CLOSE in content):
        begin = opened.end() if opened else start
        end = content.find(THINK_CLOSE, begin)
        if end < 0:
            thoughts.append(content[begin:].strip())
            return _join(thoughts), None
        thoughts.append(content[begin:end].strip())
        start = end + len(THINK_CLOSE)
    return _join(thoughts), content[start:].lstrip() if start else content


def decode(raw: bytes) -> object:
    """The JSON value in a body, or `Unavailable`."""
    try:
        return decode_json(raw.removeprefix(codecs.BOM_UTF8))
    except msgspec.DecodeError as error:
        shown = one_line(raw[:200].decode("utf-8", "replace")) or "nothing"
        raise Unavailable(f"the reply is not JSON: {shown}") from error


def redacted(response: Response, redaction: Redaction) -> Response:
    """The response without secrets: nothing else that a server said goes further than this."""
    served_by, calls = response.served_by, response.tool_calls
    if response.status is Status.ANSWERED and not served_by.endswith("…"):  # nothing was cut
        said = [response.text, response.reasoning, response.reason, served_by]
        said += (part for call in calls for part in (call.id, call.name, call.arguments))
        if not redaction.finds("\n".join(said)):
            return response
    hide = redaction.hide_cut if response.status is Status.TRUNCATED else redaction.hide
    return msgspec.structs.replace(
        response,
        text=hide(response.text),
        reasoning=hide(response.reasoning),
        tool_calls=tuple(
            ToolCall(hide(call.id), hide(call.name), hide(call.arguments)) for call in calls
        ),
        reason=redaction.hide_message(response.reason),
        served_by=redaction.hide_message(served_by),
    )


def _message_text(content: object) -> str:
    """Text of a message: a string, or a list of parts of which the text ones count."""
    if isinstance(content, list):
        return "".join(
            _text(part.get("text"))
            for part in content
            if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")
        )
    return _text(content)


def one_line(text: str) -> str:
    """One line of bounded length: reasons go into journals, tables and terminals."""
    line = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(line.split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"


def _ending(finish: str, message: JSONObject, troubles: list[Trouble]) -> tuple[Status, str]:
    """How a reply ended, whatever its text, and why, if that is not how answers end."""
    filters = [trouble.said for trouble in troubles if trouble.status is Status.FILTERED]
    ended = f"finish_reason {one_line(finish)!r}"
    if finish in vendors.FILTER_FINISHES or filters:
        return Status.FILTERED, one_line(filters[0]) if filters else ended
    if finish in vendors.TROUBLE:
        raise Unavailable(f"the server gave up: {ended}", overloaded=True)
    if finish in vendors.REFUSALS or message.get("refusal"):
        return Status.REFUSED, one_line(_text(message.get("refusal"))) or "refusal"
    if troubles:
        return Status.FAILED, one_line(f"unknown sign of trouble: {troubles[0].said}")
    if _gravity(finish) == _UNKNOWN:
        return Status.FAILED, f"unknown {ended}"
    return (Status.TRUNCATED, ended) if finish in vendors.CUT else (Status.ANSWERED, "")


async def _events(
    lines: AsyncIterator[bytes], shape: Callable[[object], object]
) -> AsyncIterator[JSONObject]:
    """The events of a stream up to its end; what is announced as an error becomes one."""
    alarm = ""
    async for line in lines:
        field, data = _stream_field(line)
        if field != "data":
            alarm = alarm or _alarm(field, data)
            continue
        event = {} if data in (b"", b"[DONE]") else shape(decode(data))
        if not isinstance(event, dict):
            raise Unavailable("the stream holds something that is not an event")
        if alarm:
            yield {"error": event, "errors": [alarm]}
        if alarm or data == b"[DONE]":
            return
        yield event
    if alarm:
        yield {"errors": [alarm]}


def _stream_field(line: bytes) -> tuple[str, bytes]:
    """Name and value of a line of a stream; a comment has no name, a bare JSON object is data."""
    line = line.removeprefix(codecs.BOM_UTF8).rstrip(b"\r")
    if line.startswith(b"{"):
        return "data", line
    name, _, value = line.partition(b":")
    if name not in (b"", b"data", b"event", b"id", b"retry"):
        shown = one_line(line[:200].decode("utf-8", "replace"))
        raise Unavailable(f"the stream holds something that is not an event: {shown}")
    return name.decode(), value.strip()


def _alarm(field: str, data: bytes) -> str:
    """What the name of an event, or a status in a comment, says of trouble, if anything."""
    said = one_line(data[:200].decode("utf-8", "replace"))
    if field == "event" and sounds_like_trouble(said):
        return f"event: {said}"
    status = _HTTP_STATUS.match(said) if not field else None
    return said if status and not status[1].startswith("2") else ""


def _expect(kind: type[T], value: object) -> T:
    """A part of an event, or none; one of another shape may hold words that would be lost."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise Unavailable("the stream holds something that is not an event")
    return value


def _add_delta(
    delta: JSONObject, parts: dict[str, list[str]], tools: dict[int, JSONObject]
) -> None:
    if not isinstance(delta.get("content"), str | list | None):
        raise Unavailable("the stream holds a piece whose content is no text")
    for field in ("content", "refusal", *vendors.REASONING_FIELDS):
        if text := _message_text(delta.get(field)):
            parts.setdefault(field, []).append(text)
    calls = delta.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if not isinstance(call, dict):
            continue
        index = call.get("index")
        function = call.get("function")
        if not isinstance(index, int):  # then a call begins with its id and the rest follows
            index = max(tools, default=-1) + (1 if call.get("id") or not tools else 0)
        held = tools.setdefault(index, {"id": "", "function": {"name": "", "arguments": ""}})
        if isinstance(call.get("id"), str):
            held["id"] = held["id"] or call["id"]
        for field in ("name", "arguments"):
            if isinstance(function, dict) and isinstance(function.get(field), str):
                held["function"][field] += function[field]


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None

    def count(holder: object, field: str) -> int:
        value = holder.get(field) if isinstance(holder, dict) else None
        if not isinstance(value, int) or isinstance(value, bool):
            return 0
        return value if 0 < value < _MOST_TOKENS else 0

    counted = Usage(
        input=count(usage, "prompt_tokens"),
        output=count(usage, "completion_tokens"),
        reasoning=count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        cached=count(usage.get("prompt_tokens_details"), "cached_tokens")
        or count(usage, "prompt_cache_hit_tokens"),
    )
    return counted if counted.total else None  # a server that says it counted nothing did not count


def _finish(value: object) -> str:
    """The finish reason in small letters; one that is no text is named after its type."""
    if value is None:
        return ""
    finish = value.lower() if isinstance(value, str) else type(value).__name__
    return "" if finish in vendors.NO_FINISH else finish


def _gravity(finish: str) -> int:
    """How bad a finish reason is; of several in a stream the worst counts."""
    known = {1: vendors.COMPLETE, 2: vendors.CUT, 4: vendors.REFUSALS, 5: vendors.TROUBLE}
    known |= {0: vendors.NO_FINISH, 6: vendors.FILTER_FINISHES}
    return next((rank for rank, group in known.items() if finish in group), _UNKNOWN)


def _join(thoughts: list[str]) -> str:
    return "\n\n".join(thought for thought in thoughts if thought)


def _tool_calls(listed: object) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    for call in listed if isinstance(listed, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and _text(function.get("name")):
            arguments = function.get("arguments")
            if isinstance(arguments, dict):  # Ollama once sent an object instead of its text
                arguments = msgspec.json.encode(arguments).decode()
            calls.append(
                ToolCall(
                    id=_text(call.get("id")) or f"call_{len(calls)}",
                    name=_text(function.get("name")),
                    arguments=_text(arguments),
                )
            )
    return tuple(calls)


def _first_text(holder: JSONObject, fields: Sequence[str]) -> str:
    return next((text for field in fields if (text := _text(holder.get(field)))), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
